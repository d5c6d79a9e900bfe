package dev.laneway.orders;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.orders.status.OrderEvent;
import dev.laneway.orders.status.OrderJson;
import dev.laneway.orders.status.OrderState;
import dev.laneway.orders.status.StatusChange;
import dev.laneway.testkit.EmbeddedKafka;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real tracker and its load on a real broker. */
class LiveTest {
    private static final int RECORDS = 3_000;
    private static final int PARTITIONS = 4;
    private static final Duration LIMIT = Duration.ofMinutes(2);

    @TempDir
    Path directory;

    @Test
    @DisplayName("B181 two processes tell of each order the status that its events say, though one leaves meanwhile and"
            + " comes again")
    void tracks() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
            String bootstrap = kafka.bootstrapServers();
            Cli one = start(bootstrap, "one.json");
            Cli two = start(bootstrap, "two.json");
            generate(bootstrap);
            assertThat(two.end()).as(two.err()).isZero();
            generate(bootstrap);
            two = start(bootstrap, "three.json");
            generate(bootstrap);

            Map<String, StatusChange> expected = new HashMap<>();
            events(kafka)
                    .forEach((order, events) ->
                            expected.put(order, OrderState.of(events).change()));
            assertThat(expected).hasSizeGreaterThan(500);
            Awaitility.await()
                    .atMost(LIMIT)
                    .pollInterval(Duration.ofSeconds(1))
                    .untilAsserted(() -> assertThat(statuses(kafka)).isEqualTo(expected));
            assertThat(one.hasEnded()).as(one.err()).isFalse();
            assertThat(one.end()).as(one.err()).isZero();
            assertThat(two.end()).as(two.err()).isZero();

            long records = 0;
            for (String report : List.of("one.json", "two.json", "three.json")) {
                records += new ObjectMapper()
                        .readTree(directory.resolve(report).toFile())
                        .get("records")
                        .asLong();
            }
            assertThat(records).isGreaterThanOrEqualTo(3 * RECORDS);
        }
    }

    @Test
    @DisplayName("B182 the load goes at the rate of the last line of its input, and ends when it is asked to")
    void changesItsRate() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start();
                PipedOutputStream lines = new PipedOutputStream();
                PipedInputStream in = new PipedInputStream(lines)) {
            Cli cli = Cli.start(
                    in, List.of("orders", "generate", "--bootstrap", kafka.bootstrapServers(), "--rate", "0"));
            Awaitility.await().atMost(LIMIT).until(() -> hasTopic(kafka));
            assertThat(records(kafka)).isZero();
            lines.write("1000\n".getBytes(StandardCharsets.UTF_8));
            lines.flush();
            Awaitility.await().atMost(LIMIT).until(() -> records(kafka) > 200);
            lines.write("0\n".getBytes(StandardCharsets.UTF_8));
            lines.flush();
            Awaitility.await().atMost(LIMIT).until(() -> records(kafka), new Unchanging()::isSeen);
            assertThat(cli.hasEnded()).isFalse();
            assertThat(cli.end()).as(cli.err()).isZero();
            assertThat(cli.out()).contains(" records in ", " orders placed");
        }
    }

    private static boolean hasTopic(EmbeddedKafka kafka) throws Exception {
        return kafka.admin().listTopics().names().get().contains(OrderTopology.PROGRESS);
    }

    private static long records(EmbeddedKafka kafka) {
        return Stream.of(OrderTopology.ORDERS, OrderTopology.PROGRESS)
                .flatMap(topic -> kafka.endOffsets(topic).values().stream())
                .mapToLong(end -> end)
                .sum();
    }

    /** Whether a number was the same some times in a row. */
    private static final class Unchanging {
        private static final int TIMES = 20;
        private long last = -1;
        private int times;

        boolean isSeen(long number) {
            times = number == last ? times + 1 : 0;
            last = number;
            return times >= TIMES;
        }
    }

    private Cli start(String bootstrap, String report) {
        return Cli.start(List.of(
                "orders",
                "run",
                "--bootstrap",
                bootstrap,
                "--partitions",
                String.valueOf(PARTITIONS),
                "--threads",
                "1",
                "--state-dir",
                directory.resolve("state").toString(),
                "--json",
                directory.resolve(report).toString()));
    }

    private static void generate(String bootstrap) {
        Cli cli = Cli.run(
                "orders",
                "generate",
                "--bootstrap",
                bootstrap,
                "--partitions",
                String.valueOf(PARTITIONS),
                "--rate",
                "2000",
                "--in-flight",
                "300",
                "--late",
                "0.2",
                "--repeated",
                "0.2",
                "--records",
                String.valueOf(RECORDS));
        assertThat(cli.code()).as(cli.err()).isZero();
        assertThat(cli.out()).contains("3,000 records in ");
    }

    private static Map<String, List<OrderEvent>> events(EmbeddedKafka kafka) {
        Map<String, List<OrderEvent>> events = new HashMap<>();
        for (String topic : List.of(OrderTopology.ORDERS, OrderTopology.PROGRESS)) {
            read(kafka, topic)
                    .forEach(record -> events.computeIfAbsent(key(record), _ -> new ArrayList<>())
                            .add(OrderJson.event(record.value())));
        }
        return events;
    }

    private static Map<String, StatusChange> statuses(EmbeddedKafka kafka) {
        Map<String, StatusChange> statuses = new HashMap<>();
        read(kafka, OrderTopology.STATUS)
                .forEach(record -> statuses.put(key(record), OrderJson.change(record.value())));
        return statuses;
    }

    private static String key(ConsumerRecord<byte[], byte[]> record) {
        return new String(record.key(), StandardCharsets.UTF_8);
    }

    private static List<ConsumerRecord<byte[], byte[]>> read(EmbeddedKafka kafka, String topic) {
        List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
        Map<TopicPartition, Long> ends = kafka.endOffsets(topic);
        try (Consumer<byte[], byte[]> consumer = kafka.consumer(Map.of())) {
            consumer.assign(ends.keySet());
            consumer.seekToBeginning(ends.keySet());
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                consumer.poll(Duration.ofMillis(200)).forEach(all::add);
            }
        }
        return all;
    }
}
