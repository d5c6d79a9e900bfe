package dev.laneway.keda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.DynamicMessage;
import dev.laneway.ops.compare.ReplicaFormula;
import dev.laneway.ops.scale.DecisionLogReader;
import dev.laneway.ops.scale.LogEntry;
import dev.laneway.testkit.EmbeddedKafka;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** By real sockets, with real brokers and real groups. */
class ScalerTest {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();
    private static final int RECORDS = 40_000;
    private static final int RECORDS_A_TICK = 60;
    private static final long TICK_NANOS = 100_000_000;
    private static final long PAUSE_NANOS = 5_000_000;

    @TempDir
    private Path directory;

    private final String group = "keda-" + UUID.randomUUID();
    private final List<AutoCloseable> open = new ArrayList<>();
    private volatile boolean isOver;

    @AfterEach
    void close() throws Exception {
        isOver = true;
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private static ConditionFactory soon() {
        return await().atMost(RunningScaler.LIMIT);
    }

    private RunningScaler scaler(String... more) {
        RunningScaler scaler = new RunningScaler(KAFKA.bootstrapServers(), directory.resolve("logs"), more);
        open.add(scaler);
        return scaler;
    }

    private static ManagedChannel channel(int port) {
        return NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    }

    private ScalerClient client(int port) {
        ScalerClient client = new ScalerClient(channel(port));
        open.add(client);
        return client;
    }

    /** A member that takes a record each 5 ms or so, so that it is behind for minutes. */
    private void member(EmbeddedKafka kafka) {
        CompletableFuture<Void> ended = CompletableFuture.runAsync(
                () -> consume(kafka), work -> Thread.ofVirtual().start(work));
        open.add(() -> {
            isOver = true;
            ended.join();
        });
    }

    private void consume(EmbeddedKafka kafka) {
        try (Consumer<byte[], byte[]> consumer = kafka.consumer(Map.of("group.id", group, "max.poll.records", 20))) {
            consumer.subscribe(List.of(group));
            while (!isOver) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(100));
                Map<TopicPartition, OffsetAndMetadata> done = new HashMap<>();
                for (ConsumerRecord<byte[], byte[]> each : records) {
                    LockSupport.parkNanos(PAUSE_NANOS);
                    done.put(
                            new TopicPartition(each.topic(), each.partition()),
                            new OffsetAndMetadata(each.offset() + 1));
                }
                if (!done.isEmpty()) {
                    consumer.commitAsync(done, null);
                }
            }
        } catch (RuntimeException gone) {
            // Its brokers, at the end of a test.
        }
    }

    /** More comes than a member does: where nobody tells how busy members are, that they cannot is seen by this. */
    private void load(EmbeddedKafka kafka) {
        CompletableFuture<Void> ended = CompletableFuture.runAsync(
                () -> {
                    while (!isOver) {
                        produce(kafka, RECORDS_A_TICK);
                        LockSupport.parkNanos(TICK_NANOS);
                    }
                },
                work -> Thread.ofVirtual().start(work));
        open.add(() -> {
            isOver = true;
            ended.join();
        });
    }

    private void fill(EmbeddedKafka kafka) {
        kafka.createTopic(group, 4);
        produce(kafka, RECORDS);
    }

    private void produce(EmbeddedKafka kafka, int records) {
        kafka.produce(IntStream.range(0, records)
                .mapToObj(i -> new ProducerRecord<byte[], byte[]>(group, i % 4, null, new byte[1]))
                .toList());
    }

    private DynamicMessage asks(String name, Map<String, String> more) {
        Map<String, String> metadata =
                new HashMap<>(Map.of("scalerAddress", "laneway:9370", "group", group, "stabilization.seconds", "0"));
        metadata.putAll(Map.of("catch.up.seconds", "60", "arrival.seconds", "5", "stale.seconds", "5"));
        metadata.putAll(Map.of("cool.down.seconds", "1", "cool.down.restarts", "0"));
        metadata.putAll(more);
        return ScalerClient.scaledObject("prod", name, metadata);
    }

    private List<LogEntry> log() throws IOException {
        List<LogEntry> entries = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory.resolve("logs"))) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".jsonl")).toList()) {
                new DecisionLogReader(file).forEach(entries::add);
            }
        }
        return entries;
    }

    @Test
    @DisplayName("B203 KEDA is told what the policy wants of a group that is behind, which is active, and why is in the"
            + " log")
    void scales() throws Exception {
        fill(KAFKA);
        load(KAFKA);
        member(KAFKA);
        RunningScaler scaler = scaler();
        ScalerClient keda = client(scaler.port());
        DynamicMessage shop = asks("shop", Map.of());
        DynamicMessage spec = ScalerClient.only(keda.ask("GetMetricSpec", shop), "metricSpecs");
        assertThat(spec.getAllFields().values()).containsExactly("laneway-members", 1L, 1.0);
        ScalerClient.Told active = keda.stream("StreamIsActive", shop);
        ScalerClient.Told specs = keda.stream("StreamMetricSpec", shop);
        Status first = keda.refusal("GetMetrics", ScalerClient.metricsRequest(shop, "s0-laneway-members"));
        assertThat(first.getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(first.getDescription()).contains("what group " + group + " needs is not known");
        soon().ignoreException(StatusRuntimeException.class)
                .untilAsserted(
                        () -> assertThat(keda.value(shop)).as(scaler::text).isGreaterThan(1));
        double value = keda.value(shop);
        assertThat(value).isBetween(2.0, 4.0);
        assertThat(ReplicaFormula.byAverageValue(1, value, 1)).isEqualTo((int) value);
        assertThat(ScalerClient.field(keda.ask("IsActive", shop), "result")).isEqualTo(true);
        soon().until(() -> !active.messages().isEmpty() && !specs.messages().isEmpty());
        assertThat(ScalerClient.field(active.messages().getFirst(), "result")).isEqualTo(true);
        assertThat(ScalerClient.only(specs.messages().getFirst(), "metricSpecs"))
                .isEqualTo(spec);
        String report = scaler.end();
        assertThat(report).contains("\"answers\"", "\"unavailable\"", "\"refused\" : 0");
        soon().until(() -> active.end() != null && specs.end() != null);
        assertThat(active.end().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(log()).allSatisfy(entry -> {
            assertThat(entry.mode()).isEqualTo("recommend");
            assertThat(entry.application()).isEqualTo(group);
        });
        assertThat(log()).anyMatch(entry -> entry.decision().to().members() == (int) value);
        assertThat(scaler.text()).contains("prod/shop " + group + ": " + (int) value + " members: UP from 1 to");

        ScalerClient next = client(scaler().port());
        soon().ignoreException(StatusRuntimeException.class).until(() -> next.value(shop) == value);
    }

    @Test
    @DisplayName("B204 what is wrong is INVALID_ARGUMENT in one sentence, what is not known UNAVAILABLE, and never 0")
    void refuses() {
        RunningScaler scaler = scaler("--triggers", "2", "--set", "replicas.max=8");
        ScalerClient keda = client(scaler.port());
        refused(keda, Map.of("group", " "), "metadata has no group: name the consumer group");
        refused(keda, Map.of("replicas.max", "ten"), "replicas.max is ten but must be a number");
        refused(keda, Map.of("replicas.min", "9"), "replicas.min is 9 but must be at most replicas.max, which is 8");
        refused(keda, Map.of("replicas.min", "0"), "replicas.min is 0 but must be");
        refused(keda, Map.of("lagThreshold", "10"), "lagThreshold is no option of a policy");
        refused(keda, Map.of("threads.max", "4"), "threads.max is 4 but must be 0, since KEDA changes");
        refused(keda, Map.of("down.interval.seconds", "1"), "must be at least ten times the scaler's --interval");
        refused(keda, Map.of("prometheus-each", "file:///etc/passwd"), "is not http or https with a host");
        DynamicMessage bad = ScalerClient.scaledObject("../..", "shop", Map.of("group", group));
        assertThat(keda.refusal("IsActive", bad).getDescription()).contains("namespace is '../..' but must be");
        DynamicMessage shop = asks("shop", Map.of());
        Status metric = keda.refusal("GetMetrics", ScalerClient.metricsRequest(shop, "lag"));
        assertThat(metric.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(metric.getDescription()).contains("the metric is 'lag' but must be laneway-members");

        assertThat(keda.refusal("IsActive", shop).getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(keda.refusal("IsActive", asks("cart", Map.of())).getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        Status full = keda.refusal("IsActive", asks("third", Map.of()));
        assertThat(full.getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(full.getDescription()).contains("watches 2 triggers, as many as --triggers allows");
        soon().untilAsserted(() -> {
            Status unknown = keda.refusal("GetMetrics", ScalerClient.metricsRequest(shop, MetricValue.NAME));
            assertThat(unknown.getCode()).isEqualTo(Status.Code.UNAVAILABLE);
            assertThat(unknown.getDescription()).contains("does not exist");
        });
    }

    private void refused(ScalerClient keda, Map<String, String> metadata, String sentence) {
        for (String call : List.of("IsActive", "GetMetricSpec")) {
            Status status = keda.refusal(call, asks("shop", metadata));
            assertThat(status.getCode()).as(sentence).isEqualTo(Status.Code.INVALID_ARGUMENT);
            assertThat(status.getDescription()).contains(sentence).doesNotContain("\n");
        }
    }

    @Test
    @DisplayName("B204 without brokers nothing is known after stale.seconds, until they are there again")
    void brokersGone() {
        try (EmbeddedKafka own = EmbeddedKafka.start()) {
            fill(own);
            member(own);
            RunningScaler scaler = new RunningScaler(own.bootstrapServers(), directory.resolve("logs"));
            open.add(scaler);
            ScalerClient keda = client(scaler.port());
            DynamicMessage shop = asks("shop", Map.of("stale.seconds", "3"));
            ScalerClient.Told active = keda.stream("StreamIsActive", shop);
            soon().ignoreException(StatusRuntimeException.class).until(() -> keda.value(shop) >= 1);
            own.kill(1);
            List<Double> values = new ArrayList<>();
            soon().until(() -> {
                try {
                    values.add(keda.value(shop));
                    return false;
                } catch (StatusRuntimeException failed) {
                    return failed.getStatus().getCode() == Status.Code.UNAVAILABLE;
                }
            });
            assertThat(values).allMatch(value -> value >= 1);
            assertThat(keda.refusal("IsActive", shop).getCode()).isEqualTo(Status.Code.UNAVAILABLE);
            assertThat(keda.ask("GetMetricSpec", shop)).isNotNull();
            own.start(1);
            soon().ignoreException(StatusRuntimeException.class).until(() -> keda.value(shop) >= 1);
            soon().until(() -> active.messages().size() >= 2);
            assertThat(active.messages()).allMatch(each -> (Boolean) ScalerClient.field(each, "result"));
            isOver = true;
            scaler.end();
        }
    }

    @Test
    @DisplayName("B204 a trigger that nobody asks for, or whose stream has gone, is watched no more; another policy"
            + " begins anew")
    void forgets() {
        RunningScaler scaler = scaler("--idle-limit", "1s", "--triggers", "1");
        int port = scaler.port();
        ScalerClient leaving = client(port);
        ScalerClient.Told stream = leaving.stream("StreamIsActive", asks("shop", Map.of()));
        soon().until(() -> scaler.text().contains("prod/shop " + group + ": is watched\n"));
        ScalerClient keda = client(port);
        assertThat(keda.refusal("IsActive", asks("cart", Map.of())).getCode())
                .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(keda.ask("GetMetricSpec", asks("shop", Map.of("replicas.max", "5"))))
                .isNotNull();
        soon().until(() -> stream.end() != null);
        assertThat(stream.end().getDescription()).contains("no longer watches the group: ask again");
        ScalerClient.Told again = leaving.stream("StreamIsActive", asks("shop", Map.of("replicas.max", "5")));
        leaving.close();
        soon().until(() -> again.end() != null);
        soon().until(() -> keda.refusal("IsActive", asks("cart", Map.of())).getCode() == Status.Code.UNAVAILABLE);
        assertThat(scaler.text()).containsPattern("(?s)(prod/shop [^ ]+: is watched no more.*){2}");
    }

    @Test
    @DisplayName("B203 it has gRPC's health service, and no reflection")
    void health() {
        RunningScaler scaler = scaler();
        ManagedChannel channel = channel(scaler.port());
        try {
            for (String service : List.of("", "externalscaler.ExternalScaler")) {
                assertThat(HealthGrpc.newBlockingStub(channel)
                                .check(HealthCheckRequest.newBuilder()
                                        .setService(service)
                                        .build())
                                .getStatus())
                        .isEqualTo(ServingStatus.SERVING);
            }
            try (ScalerClient keda = new ScalerClient(channel)) {
                assertThat(keda.bytes("grpc.reflection.v1.ServerReflection/ServerReflectionInfo", new byte[0])
                                .getCode())
                        .isEqualTo(Status.Code.UNIMPLEMENTED);
                assertThat(keda.bytes("externalscaler.ExternalScaler/IsActive", new byte[] {10, 99})
                                .getCode())
                        .isEqualTo(Status.Code.INVALID_ARGUMENT);
                assertThat(keda.bytes("externalscaler.ExternalScaler/IsActive", new byte[1 << 20])
                                .getCode())
                        .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
            }
        } finally {
            channel.shutdownNow();
        }
    }
}
