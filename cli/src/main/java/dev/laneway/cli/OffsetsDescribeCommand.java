package dev.laneway.cli;

import dev.laneway.cli.program.Connection;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Verb;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.cli.workload.Cluster;
import dev.laneway.ops.CommitReader;
import dev.laneway.ops.GroupCommits;
import dev.laneway.ops.LagFailure;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows what a group has committed. */
@Command(
        name = "describe",
        header = "Show what a group has committed, and what its maps name done.",
        description = {
            "For each partition: the committed offset, whose map stands beside it, what it names done beyond that"
                    + " offset, what is undone, and what a restart has to do. Reads the maps of Laneway and of Parallel"
                    + " Consumer. Changes nothing, and joins no group."
        },
        footer = {
            "",
            "Example: laneway offsets describe --group shop",
            "",
            "Exit codes: 0 all was read, whatever it says; 1 failed, or a part could not be read; 2 usage."
        })
final class OffsetsDescribeCommand extends Verb {
    @Mixin
    private Connection connection = new Connection();

    @Option(
            names = "--group",
            paramLabel = "GROUP",
            required = true,
            description = "The group: classic, consumer or streams. Share groups commit no offsets.")
    private String group = "";

    @Option(
            names = "--topic",
            paramLabel = "TOPIC",
            split = ",",
            description = "Only of this topic; several topics with commas between them.")
    private List<String> topics = new ArrayList<>();

    @Option(
            names = "--top",
            paramLabel = "N",
            defaultValue = "15",
            description = "How many partitions are shown: those with warnings first, then those with the most lag"
                    + " (default: ${DEFAULT-VALUE}). JSON has all.")
    private int top = 15;

    OffsetsDescribeCommand(Streams streams) {
        super(streams);
    }

    @Override
    protected void check() {
        Rules.named("--group", group);
        topics.forEach(topic -> Rules.named("--topic", topic));
        Rules.atLeast("--top", top, 1);
        connection.brokerLimit();
    }

    @Override
    protected int run() {
        Map<String, Object> config = new HashMap<>(connection.kafkaConfig(Connection.LOCAL));
        try (Cluster _ = Cluster.connect(config, connection.brokerLimit())) {
            // A broker answers: a later failure has another reason.
        }
        int millis = (int) Math.min(Integer.MAX_VALUE, connection.brokerLimit().toMillis());
        config.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis);
        config.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, millis);
        GroupCommits commits;
        try (Admin admin = Admin.create(config)) {
            commits = new CommitReader(admin, connection.brokerLimit()).read(group, topics);
        } catch (LagFailure failed) {
            throw new VerbFailure(String.valueOf(failed.getMessage()), failed);
        }
        OffsetsDescribeTable.lines(commits, terminal().width(), top).forEach(text()::println);
        report(OffsetsDescribeJson.of(commits));
        return commits.isComplete() ? Program.FINE : Program.FAILED;
    }
}
