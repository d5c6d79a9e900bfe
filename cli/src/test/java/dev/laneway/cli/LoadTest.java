package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.cli.workload.Loader;
import dev.laneway.cli.workload.Payload;
import dev.laneway.testkit.EmbeddedKafka;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Loading, and the bare poll loop, on a real broker. */
class LoadTest {
    private final EmbeddedKafka kafka = EmbeddedKafka.shared();
    private final Map<String, Object> config = Map.of("bootstrap.servers", kafka.bootstrapServers());
    private final String topic = "load-" + UUID.randomUUID();

    @Test
    @DisplayName("load creates the topic and fills it; its JSON has the documented keys and only those")
    void loads(@TempDir Path directory) throws Exception {
        Path json = directory.resolve("load.json");
        Cli cli = load(
                "--records",
                "5000",
                "--keys",
                "70",
                "--partitions",
                "3",
                "--zipf",
                "1",
                "--size",
                "20",
                "--json",
                json.toString());
        assertThat(cli.err()).isEmpty();
        assertThat(cli.code()).isZero();
        assertThat(cli.out()).contains("5,000 of 5,000 (100 %)", "records/s, 3 partitions");
        JsonNode report = new ObjectMapper().readTree(Files.readString(json));
        assertThat(report.fieldNames()).toIterable().containsExactlyElementsOf(CliDoc.keys("load"));
        assertThat(report.get("records").asLong()).isEqualTo(5_000);
        assertThat(report.get("complete").asBoolean()).isTrue();
        assertThat(kafka.endOffsets(topic).values().stream()
                        .mapToLong(Long::longValue)
                        .sum())
                .isEqualTo(5_000);
        assertThat(kafka.endOffsets(topic)).hasSize(3);
    }

    @Test
    @DisplayName("With --json - standard output is the JSON alone, and people read standard error")
    void keepsStandardOutputForJson() throws Exception {
        Cli cli = load("--records", "10", "--json", "-");
        assertThat(new ObjectMapper().readTree(cli.out()).get("records").asLong())
                .isEqualTo(10);
        assertThat(cli.err()).contains("10 of 10");
    }

    @Test
    @DisplayName("Every record has its number in the load and in its key, and the log has them in that order")
    void numbersRecords() {
        int records = 3_000;
        new Loader(config, new Loader.Plan(created(2), records, 20, 1, 16, 0)).run(() -> false);
        Map<Integer, Integer> nextOfKey = new HashMap<>();
        List<Long> indexes = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> record : read(records)) {
            Payload payload = Payload.of(record.value());
            assertThat(record.key()).isEqualTo(Payload.keyBytes(payload.key()));
            assertThat(payload.sequence()).isEqualTo(nextOfKey.merge(payload.key(), 1, Integer::sum) - 1);
            indexes.add(payload.index());
        }
        assertThat(indexes).doesNotHaveDuplicates().hasSize(records).allMatch(index -> index >= 0 && index < records);
    }

    @Test
    @DisplayName("A rate is kept: not faster, and not much slower")
    void keepsTheRate() {
        Loader.Result result =
                new Loader(config, new Loader.Plan(created(1), 2_000, 10, 0, 16, 2_000)).run(() -> false);
        assertThat(result.took()).isBetween(Duration.ofMillis(950), Duration.ofSeconds(10));
        assertThat(result.records()).isEqualTo(2_000);
    }

    @Test
    @DisplayName("A load that is stopped says what was acknowledged, and that this is not all: exit code 1")
    void stops() throws Exception {
        Stop stop = new Stop();
        stop.request();
        Cli cli = Cli.run(stop, "load", "--topic", topic, "--bootstrap", kafka.bootstrapServers(), "--json", "-");
        assertThat(cli.code()).isEqualTo(Program.FAILED);
        JsonNode report = new ObjectMapper().readTree(cli.out());
        assertThat(report.get("complete").asBoolean()).isFalse();
        assertThat(report.get("records").asLong()).isZero();
    }

    @Test
    @DisplayName("A load without an end that is stopped is fine")
    void stopsWithoutEnd() {
        Stop stop = new Stop();
        stop.request();
        Cli cli = Cli.run(stop, "load", "--topic", topic, "--records", "0", "--bootstrap", kafka.bootstrapServers());
        assertThat(cli.code()).isZero();
    }

    @Test
    @DisplayName("What the broker refuses fails the load, with the reason")
    void surfacesRefusals() {
        Loader loader = new Loader(config, new Loader.Plan(created(1), 10, 1, 0, 2_000_000, 0));
        assertThatThrownBy(() -> loader.run(() -> false))
                .isInstanceOf(VerbFailure.class)
                .hasMessageStartingWith("loading " + topic + " failed after 0 records: ");
    }

    @Test
    @DisplayName("The bare loop handles one record after the other, each with its work, up to the limit")
    void loopsBarely() throws InterruptedException {
        new Loader(config, new Loader.Plan(created(1), 300, 10, 0, 16, 0)).run(() -> false);
        BareLoop.Result all = new BareLoop(config, topic, Duration.ZERO).run(300, Duration.ofSeconds(30), () -> false);
        assertThat(all.records()).isEqualTo(300);
        BareLoop.Result some =
                new BareLoop(config, topic, Duration.ofMillis(5)).run(20, Duration.ofSeconds(30), () -> false);
        assertThat(some.records()).isEqualTo(20);
        assertThat(some.worked()).isGreaterThanOrEqualTo(Duration.ofMillis(100));
        assertThat(some.rate()).isLessThanOrEqualTo(200);
        BareLoop.Result timed =
                new BareLoop(config, topic, Duration.ofMillis(5)).run(300, Duration.ofMillis(200), () -> false);
        assertThat(timed.records()).isBetween(1L, 41L);
    }

    private Cli load(String... options) {
        List<String> line = new ArrayList<>(List.of("load", "--topic", topic, "--bootstrap", kafka.bootstrapServers()));
        line.addAll(List.of(options));
        return Cli.run(line.toArray(String[]::new));
    }

    private String created(int partitions) {
        kafka.createTopic(topic, partitions);
        return topic;
    }

    private List<ConsumerRecord<byte[], byte[]>> read(int count) {
        List<ConsumerRecord<byte[], byte[]>> read = new ArrayList<>();
        try (Consumer<byte[], byte[]> consumer = kafka.consumer("read-" + topic)) {
            consumer.subscribe(List.of(topic));
            long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
            while (read.size() < count && System.nanoTime() < deadline) {
                consumer.poll(Duration.ofMillis(200)).forEach(read::add);
            }
        }
        assertThat(read).hasSize(count);
        return read;
    }
}
