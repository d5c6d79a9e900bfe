package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.Ordering;
import dev.laneway.cli.workload.ParallelRun;
import dev.laneway.cli.workload.Payload;
import dev.laneway.testkit.EmbeddedKafka;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ExactlyOnceDemoTest {
    private final EmbeddedKafka kafka = EmbeddedKafka.shared();

    @Test
    @DisplayName("B60 The demo of exactly-once holds its checks while a member is killed, and has the documented keys")
    void demonstrates() throws Exception {
        Cli cli = Cli.run(
                "demo",
                "--exactly-once",
                "--bootstrap",
                kafka.bootstrapServers(),
                "--records",
                "20000",
                "--keys",
                "500",
                "--partitions",
                "4",
                "--work",
                "2ms",
                "--concurrency",
                "100",
                "--members",
                "2",
                "--kills",
                "1",
                "--property",
                "session.timeout.ms=2000",
                "--property",
                "heartbeat.interval.ms=300",
                "--json",
                "-");
        assertThat(cli.code()).as(cli.err()).isZero();
        JsonNode report = new ObjectMapper().readTree(cli.out());
        assertThat(report.fieldNames()).toIterable().containsExactlyElementsOf(CliDoc.keys("Demo, exactly once"));
        assertThat(report.get("kills").asInt()).isEqualTo(1);
        assertThat(report.get("copies").asInt()).isEqualTo(20_000);
        assertThat(report.get("order_violations").asInt()).isZero();
        assertThat(report.get("duplicates").asInt()).isZero();
        assertThat(report.get("lost").asInt()).isZero();
        assertThat(report.get("committed_equals_end").asBoolean()).isTrue();
    }

    @Test
    @DisplayName("Members that are asked to end before they have begun end cleanly")
    void endsBeforeItHasBegun() throws InterruptedException {
        String topic = "begun-" + UUID.randomUUID();
        kafka.createTopic(topic, 1);
        kafka.createTopic(topic + "-copies", 1);
        ParallelRun.Setup run = new ParallelRun.Setup(topic, topic, 1, Ordering.KEY, 2, 1, Duration.ofMillis(1));
        ExactlyOnceDemo.Setup setup = new ExactlyOnceDemo.Setup(run, topic + "-copies", 1, 1, 2, 0);
        Map<String, Object> config = Map.of("bootstrap.servers", kafka.bootstrapServers());
        for (int millis = 0; millis <= 200; millis += 40) {
            try (CopyProcesses members = new CopyProcesses(setup, config)) {
                members.start();
                await().pollDelay(Duration.ofMillis(millis)).until(() -> true); // They begin at some time in between.
                assertThatCode(members::end).doesNotThrowAnyException();
            }
        }
    }

    @Test
    @DisplayName("Copies that are doubled, missing or out of their key's order are seen")
    void sees() {
        CopiesCheck check = new CopiesCheck(Ordering.KEY, 5, 2);
        check.add(new Payload(0, 0, 0));
        check.add(new Payload(3, 1, 1));
        check.add(new Payload(0, 0, 0));
        check.add(new Payload(2, 1, 0));
        check.add(new Payload(1, 0, 1));
        assertThat(check.duplicates()).isEqualTo(1);
        assertThat(check.violations()).isEqualTo(1);
        assertThat(check.lost()).isEqualTo(1);
        assertThat(check.visible()).isEqualTo(5);
        CopiesCheck unordered = new CopiesCheck(Ordering.UNORDERED, 2, 1);
        unordered.add(new Payload(1, 0, 1));
        unordered.add(new Payload(0, 0, 0));
        assertThat(unordered.violations()).isZero();
    }
}
