package dev.laneway.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.Laneway;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.Verb;
import dev.laneway.ops.observe.LanewayBean;
import dev.laneway.testkit.EmbeddedKafka;
import io.fabric8.kubernetes.client.Config;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole command: brokers, an API server, and a workload whose replicas are members of the group. */
class KubernetesLiveTest {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int PARTITIONS = 4;
    /** Of 100 that a member can do. */
    private static final int RECORDS_A_SECOND = 200;

    @TempDir
    private Path directory;

    private final String group = "pods-" + UUID.randomUUID();
    private final FakeScaleServer server = new FakeScaleServer(1, Rights.ofManifest());
    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(2);
    private final Deque<Pod> pods = new ArrayDeque<>();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    /** One member, which is seen by JMX. */
    private record Pod(Laneway laneway, LanewayBean bean) implements AutoCloseable {
        static Pod start(String group) {
            Laneway laneway = Laneway.consumer(Map.of(
                            "bootstrap.servers",
                            KAFKA.bootstrapServers(),
                            "group.id",
                            group,
                            "auto.offset.reset",
                            "earliest"))
                    .subscribe(group)
                    .concurrency(1)
                    .process(_ -> LockSupport.parkNanos(10_000_000));
            return new Pod(laneway, LanewayBean.register(group, laneway));
        }

        @Override
        public void close() {
            bean.close();
            laneway.close();
        }
    }

    /** What a pod finds in its environment; the client reads properties first. */
    @BeforeEach
    void environment() {
        System.setProperty(Config.KUBERNETES_MASTER_SYSTEM_PROPERTY, server.url());
        System.setProperty(Config.KUBERNETES_AUTH_TRYKUBECONFIG_SYSTEM_PROPERTY, "false");
    }

    @AfterEach
    void close() throws InterruptedException {
        System.clearProperty(Config.KUBERNETES_MASTER_SYSTEM_PROPERTY);
        System.clearProperty(Config.KUBERNETES_AUTH_TRYKUBECONFIG_SYSTEM_PROPERTY);
        timer.shutdownNow();
        assertThat(timer.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        pods.forEach(Pod::close);
        server.close();
    }

    /** Starts and ends replicas as the workload asks for them, as a kubelet does. */
    private void follow() {
        while (pods.size() < server.wanted()) {
            pods.push(Pod.start(group));
        }
        while (pods.size() > server.wanted()) {
            pods.pop().close();
        }
        server.settle();
    }

    private void load() {
        KAFKA.produce(IntStream.range(0, RECORDS_A_SECOND / 10)
                .mapToObj(i -> new ProducerRecord<byte[], byte[]>(group, i % PARTITIONS, null, new byte[10]))
                .toList());
    }

    private CompletableFuture<Integer> autoscaler(Stop stop) {
        List<String> line =
                new ArrayList<>(List.of("kubernetes", "--bootstrap", KAFKA.bootstrapServers(), "--group", group));
        line.addAll(List.of("--log", directory.resolve("decisions.jsonl").toString(), "--mode", "act"));
        line.addAll(List.of("--workload", "deployment/shop", "--namespace", "prod", "--interval", "1s"));
        line.addAll(List.of(
                "--window", "6s", "--pid", Long.toString(ProcessHandle.current().pid())));
        for (String set : List.of(
                "replicas.max=4",
                "cool.down.seconds=10",
                "stabilization.seconds=2",
                "catch.up.seconds=20",
                "restart.seconds=1")) {
            line.addAll(List.of("--set", set));
        }
        return CompletableFuture.supplyAsync(
                () -> Main.run(new Verb.Streams(stream(out), stream(err), stop), line.toArray(String[]::new)));
    }

    private static PrintStream stream(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }

    @Test
    @DisplayName("B196 on Kubernetes a group that is behind gets replicas, which are members soon, and catches up")
    void followsTheLoad() {
        KAFKA.createTopic(group, PARTITIONS);
        var _ = timer.scheduleAtFixedRate(this::load, 0, 100, TimeUnit.MILLISECONDS);
        var _ = timer.scheduleWithFixedDelay(this::follow, 0, 100, TimeUnit.MILLISECONDS);
        Stop stop = new Stop();
        CompletableFuture<Integer> ended = autoscaler(stop);
        try {
            await().atMost(LIMIT).failFast(ended::isDone).until(() -> server.wanted() >= 3);
            await().atMost(LIMIT)
                    .failFast(ended::isDone)
                    .until(() -> out.toString(StandardCharsets.UTF_8).contains("HOLD at " + server.wanted()));
        } finally {
            stop.request();
        }
        await().atMost(LIMIT).until(ended::isDone);
        assertThat(ended.join()).as(err.toString(StandardCharsets.UTF_8)).isEqualTo(Program.FINE);
        assertThat(server.wanted()).isBetween(3, 4);
        assertThat(server.events())
                .isNotEmpty()
                .allSatisfy(event -> assertThat(event.path("reason").asText()).isEqualTo("ScaledUp"));
    }
}
