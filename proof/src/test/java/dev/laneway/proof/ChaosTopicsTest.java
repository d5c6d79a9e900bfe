package dev.laneway.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.cli.workload.Cluster;
import dev.laneway.testkit.EmbeddedKafka;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** On a real broker. */
class ChaosTopicsTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final Map<String, Object> config =
            Map.of("bootstrap.servers", EmbeddedKafka.shared().bootstrapServers());
    private final Cluster cluster = Cluster.connect(config, LIMIT);
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    @DisplayName("A topic that is missing, since an earlier try has failed half-way, is there after the next; then "
            + "it is replaced")
    void missing() {
        if (cluster.topicId(ChaosPlan.PASSING).isPresent()) {
            cluster.deleteTopic(ChaosPlan.PASSING);
        }
        PrintStream text = new PrintStream(said, true, StandardCharsets.UTF_8);
        try (ChaosTopics topics =
                new ChaosTopics(Cluster.connect(config, LIMIT), new SplittableRandom(1), new FaultLog(text))) {
            replace(topics);
            Optional<Uuid> first = cluster.topicId(ChaosPlan.PASSING);
            assertThat(first).isPresent();
            replace(topics);
            assertThat(cluster.topicId(ChaosPlan.PASSING)).isPresent().isNotEqualTo(first);
        }
        assertThat(said.toString(StandardCharsets.UTF_8))
                .contains("is there again; 0 records went with it")
                .doesNotContain("could not be replaced");
        cluster.deleteTopic(ChaosPlan.PASSING);
    }

    private static void replace(ChaosTopics topics) {
        assertThat(topics.begin()).isTrue();
        assertThat(topics.begin()).as("while it is away").isFalse();
        await().atMost(LIMIT).until(() -> {
            topics.tick();
            return !topics.isBusy();
        });
    }
}
