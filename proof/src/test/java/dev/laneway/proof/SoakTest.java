package dev.laneway.proof;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Stop;
import dev.laneway.cli.workload.Cluster;
import dev.laneway.testkit.EmbeddedKafka;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The shortest soaks on a real broker: one that is well, and one that leaks. */
@Isolated // It counts the threads and the open files of this JVM.
class SoakTest {
    private final EmbeddedKafka kafka = EmbeddedKafka.shared();

    @Test
    @DisplayName(
            "B34 B86 a steady load with retries, dead letters and a member that comes and goes leaves no thread and no"
                    + " file behind, and loses, doubles and reorders nothing; the report is as documented")
    void soaks() throws Exception {
        Cli cli = Cli.run(
                "soak",
                "--bootstrap",
                kafka.bootstrapServers(),
                "--minutes",
                "0.5",
                "--concurrency",
                "8",
                "--partitions",
                "4",
                "--keys",
                "500",
                "--json",
                "-");
        JsonNode report = new ObjectMapper().readTree(cli.out());
        List<String> keys = new ArrayList<>();
        report.fieldNames().forEachRemaining(keys::add);
        report.get("trends").get(0).fieldNames().forEachRemaining(keys::add);
        report.get("rounds").get(0).fieldNames().forEachRemaining(keys::add);
        assertThat(keys).containsExactlyElementsOf(CliDoc.keys("soak"));
        // The heap is the broker's and the other tests' too, and half a minute says little about latencies.
        for (JsonNode trend : report.get("trends")) {
            if (List.of("threads", "handles").contains(trend.get("name").asText())) {
                assertThat(trend.get("growing").asBoolean()).as("%s", trend).isFalse();
            }
        }
        assertThat(report.get("records").asLong()).isGreaterThan(1_000);
        assertThat(report.get("lost").asLong()).isZero();
        assertThat(report.get("duplicates").asLong()).isZero();
        assertThat(report.get("order_violations").asLong()).isZero();
        assertThat(report.get("dead_letters").asLong()).isPositive();
        assertThat(report.get("dead_letters_missing").asLong()).isZero();
        assertThat(report.get("retries").asLong()).isPositive();
        assertThat(report.get("rebalances").asLong()).isGreaterThan(10);
        assertThat(report.get("committed_equals_end").asBoolean()).isTrue();
        assertThat(report.get("rate").asDouble())
                .isLessThanOrEqualTo(0.7 * report.get("capacity").asDouble());
        assertThat(report.get("rounds")).hasSize(20);
        assertThat(cli.code()).isEqualTo(report.get("fine").asBoolean() ? Program.FINE : Program.FAILED);
    }

    @Test
    @DisplayName("A leak of heap and threads in each round is found, and fails the soak")
    void findsLeaks() throws Exception {
        String topic = "leak-" + UUID.randomUUID();
        Map<String, Object> config = Map.of("bootstrap.servers", kafka.bootstrapServers());
        SoakPlan plan = new SoakPlan(Duration.ofSeconds(20), 2, 100, 4, Duration.ofMillis(5));
        List<byte[]> leak = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        try (Cluster cluster = Cluster.connect(config, Duration.ofSeconds(10))) {
            Runnable leaks = () -> {
                leak.add(new byte[4 << 20]);
                threads.add(Thread.ofPlatform().daemon().start(LockSupport::park));
            };
            SoakRun run = new SoakRun(plan, config, cluster, topic, System.out, new Stop(), () -> {}, leaks);
            SoakResult result = Objects.requireNonNull(run.run());
            assertThat(result.isFine()).isFalse();
            assertThat(result.trends().stream().filter(Trend::isGrowing).map(Trend::name))
                    .contains("heap_mb", "threads");
        } finally {
            threads.forEach(LockSupport::unpark);
        }
        assertThat(leak).hasSize(20);
    }
}
