package dev.laneway.orders;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.cli.program.Jvm;
import dev.laneway.orders.status.OrderEvent;
import dev.laneway.orders.status.OrderJson;
import dev.laneway.orders.status.OrderState;
import dev.laneway.orders.status.StatusChange;
import dev.laneway.testkit.EmbeddedKafka;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tracker on Laneway, on a real broker and in processes that are killed. */
class LanewayLiveTest {
    private static final int RECORDS = 2_000;
    private static final String PARTITIONS = "4";
    private static final String GROUP = "order-tracker-laneway";
    private static final OwnTopics OWN = OwnTopics.of(GROUP);
    private static final Duration LIMIT = Duration.ofMinutes(2);

    @TempDir
    Path directory;

    @Test
    @DisplayName(
            "B200 on Laneway the same events end in the same statuses as on Kafka Streams, each handled once, though"
                    + " processes are killed, leave and come again")
    void tracks() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
            Cli one = Cli.start(run(kafka, "one"));
            Jvm two = process(kafka);
            awaitMembers(kafka, 2);
            Thread load = Thread.ofPlatform().start(() -> generate(kafka));
            Awaitility.await().atMost(LIMIT).until(() -> inputs(kafka) > RECORDS / 2);
            two.kill();
            load.join();
            generate(kafka);
            two = process(kafka);
            awaitMembers(kafka, 2);
            generate(kafka);
            two.terminate();
            assertThat(two.await(LIMIT)).isTrue();
            assertThat(two.exitCode()).as(two.lastWords()).isZero();
            assertThat(one.end()).as(one.err()).isZero();
            one = Cli.start(run(kafka, "one"));
            generate(kafka);

            Map<String, List<OrderEvent>> events = events(kafka);
            Map<String, StatusChange> expected = new TreeMap<>();
            events.forEach((order, of) -> expected.put(order, OrderState.of(of).change()));
            assertThat(expected).hasSizeGreaterThan(500);
            awaitStatuses(kafka, Map.of(), expected);
            assertThat(one.hasEnded()).as(one.err()).isFalse();
            assertThat(one.end()).as(one.err()).isZero();

            long came = events.values().stream().mapToLong(List::size).sum();
            assertThat(read(kafka, OWN.events()).stream().filter(each -> each.value() != null))
                    .hasSize(Math.toIntExact(came));
            Map<String, OrderState> states = new HashMap<>();
            List<ConsumerRecord<byte[], byte[]>> written = read(kafka, OWN.state());
            written.forEach(record -> states.put(key(record), OrderJson.state(record.value())));
            assertThat(written).hasSize(Math.toIntExact(came));
            states.forEach((order, state) -> assertThat(state).isEqualTo(OrderState.of(events.get(order))));

            Map<TopicPartition, Long> told = kafka.endOffsets(OrderTopology.STATUS);
            Cli streams = Cli.start(List.of(
                    "orders",
                    "run",
                    "--bootstrap",
                    kafka.bootstrapServers(),
                    "--state-dir",
                    directory.resolve("state").toString()));
            awaitStatuses(kafka, told, expected);
            assertThat(streams.end()).as(streams.err()).isZero();
        }
    }

    @Test
    @DisplayName(
            "B201 on Laneway orders that have ended are forgotten, in memory and in the topic, and none is revived")
    void forgets() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
            Path report = directory.resolve("one.json");
            Cli one = Cli.start(Stream.concat(
                            run(kafka, "one").stream(), Stream.of("--forget-after", "5s", "--json", report.toString()))
                    .toList());
            // An event that is read later than that is left out: both topics are read from the start.
            awaitMembers(kafka, 1);
            generate(kafka, "--rate", "500", "--in-flight", "20");
            Map<String, StatusChange> expected = new TreeMap<>();
            Awaitility.await().atMost(LIMIT).pollInterval(Duration.ofSeconds(1)).until(() -> {
                generate(kafka, "--rate", "500", "--in-flight", "20", "--records", "500");
                return tombstones(kafka) > RECORDS / 10;
            });
            events(kafka)
                    .forEach(
                            (order, of) -> expected.put(order, OrderState.of(of).change()));
            awaitStatuses(kafka, Map.of(), expected);
            assertThat(one.end()).as(one.err()).isZero();
            for (ConsumerRecord<byte[], byte[]> record : read(kafka, OWN.state())) {
                if (record.value() == null) {
                    assertThat(expected.get(key(record)).status().isFinal()).isTrue();
                }
            }
            assertThat(new ObjectMapper()
                            .readTree(report.toFile())
                            .get("forgotten")
                            .asLong())
                    .isEqualTo(tombstones(kafka));
        }
    }

    private static List<String> run(EmbeddedKafka kafka, String instance) {
        return List.of(
                "orders",
                "run-laneway",
                "--bootstrap",
                kafka.bootstrapServers(),
                "--partitions",
                PARTITIONS,
                "--concurrency",
                "8",
                "--instance",
                instance,
                "--property",
                "session.timeout.ms=6000",
                "--property",
                "heartbeat.interval.ms=1000");
    }

    private Jvm process(EmbeddedKafka kafka) {
        return Jvm.start(
                Main.class,
                List.of(
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx128m",
                        "--enable-native-access=ALL-UNNAMED"),
                run(kafka, "two"),
                directory.resolve("two.log"));
    }

    private static void awaitMembers(EmbeddedKafka kafka, int count) {
        Awaitility.await().atMost(LIMIT).ignoreExceptions().until(() -> {
            var group = kafka.admin()
                    .describeConsumerGroups(List.of(GROUP))
                    .describedGroups()
                    .get(GROUP)
                    .get();
            return group.groupState() == GroupState.STABLE && group.members().size() == count;
        });
    }

    private static void generate(EmbeddedKafka kafka, String... options) {
        List<String> all = new ArrayList<>(List.of(
                "orders",
                "generate",
                "--bootstrap",
                kafka.bootstrapServers(),
                "--partitions",
                PARTITIONS,
                "--late",
                "0.2",
                "--repeated",
                "0.2"));
        all.addAll(options.length == 0 ? List.of("--rate", "1000", "--in-flight", "200") : List.of(options));
        if (!all.contains("--records")) {
            all.addAll(List.of("--records", String.valueOf(RECORDS)));
        }
        Cli cli = Cli.run(all.toArray(String[]::new));
        assertThat(cli.code()).as(cli.err()).isZero();
    }

    private static void awaitStatuses(
            EmbeddedKafka kafka, Map<TopicPartition, Long> from, Map<String, StatusChange> expected) {
        Awaitility.await().atMost(LIMIT).pollInterval(Duration.ofSeconds(1)).untilAsserted(() -> {
            Map<String, StatusChange> statuses = new TreeMap<>();
            for (ConsumerRecord<byte[], byte[]> record : read(kafka, OrderTopology.STATUS)) {
                if (record.offset() >= from.getOrDefault(new TopicPartition(record.topic(), record.partition()), 0L)) {
                    statuses.put(key(record), OrderJson.change(record.value()));
                }
            }
            assertThat(statuses).isEqualTo(expected);
        });
    }

    private static long inputs(EmbeddedKafka kafka) throws Exception {
        if (!kafka.admin().listTopics().names().get().contains(OrderTopology.PROGRESS)) {
            return 0;
        }
        return Stream.of(OrderTopology.ORDERS, OrderTopology.PROGRESS)
                .flatMap(topic -> kafka.endOffsets(topic).values().stream())
                .mapToLong(end -> end)
                .sum();
    }

    private static long tombstones(EmbeddedKafka kafka) {
        return read(kafka, OWN.state()).stream()
                .filter(record -> record.value() == null)
                .count();
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

    private static String key(ConsumerRecord<byte[], byte[]> record) {
        return new String(record.key(), StandardCharsets.UTF_8);
    }

    private static List<ConsumerRecord<byte[], byte[]>> read(EmbeddedKafka kafka, String topic) {
        List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
        Map<TopicPartition, Long> ends = kafka.endOffsets(topic);
        try (Consumer<byte[], byte[]> consumer = kafka.consumer(Map.of("isolation.level", "read_committed"))) {
            consumer.assign(ends.keySet());
            consumer.seekToBeginning(ends.keySet());
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                consumer.poll(Duration.ofMillis(200)).forEach(all::add);
            }
        }
        return all;
    }
}
