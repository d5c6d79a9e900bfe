package dev.laneway.cli.size;

import dev.laneway.cli.workload.Loader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is sized, and how. Immutable.
 *
 * @param kafkaConfig how to reach the cluster
 * @param command that starts an instance, with placeholders
 * @param generator a shell command that makes the load, with placeholders; null for the load that {@code plan} makes
 * @param plan of the records, for the first topic
 * @param partitions of the topics, all together
 * @param instances to measure first; then there is one more
 * @param firstRate to look at
 * @param mostRate records a second that the load may be raised to
 * @param warmUp after each change of the rate, before a trial counts
 * @param window how long a trial counts
 * @param joinLimit how long instances may take to join the group, and the group to work off what waits
 * @param directory for the output of the processes
 */
record SizeSetup(
        Map<String, Object> kafkaConfig,
        String group,
        List<String> topics,
        List<String> command,
        @Nullable String generator,
        Loader.Plan plan,
        int partitions,
        int instances,
        double firstRate,
        double mostRate,
        Duration warmUp,
        Duration window,
        Duration joinLimit,
        Duration brokerLimit,
        Path directory) {
    SizeSetup {
        kafkaConfig = Map.copyOf(kafkaConfig);
        topics = List.copyOf(topics);
        command = List.copyOf(command);
    }

    String bootstrap() {
        return String.valueOf(kafkaConfig.get("bootstrap.servers"));
    }
}
