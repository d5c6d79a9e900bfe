package dev.laneway.ops.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.Health;
import dev.laneway.Laneway;
import dev.laneway.LanewayBuilder;
import dev.laneway.Limits;
import dev.laneway.RecordHandler;
import dev.laneway.ops.observe.JmxSource;
import dev.laneway.ops.observe.LanewayBean;
import dev.laneway.ops.observe.LanewaySource;
import dev.laneway.testkit.EmbeddedKafka;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** On real Laneways and a real broker: the verdict in the process, and from outside by JMX. */
class LanewayCheckTest {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration PERIOD = Duration.ofSeconds(6);
    /** What stands still is told from what is slow after 15 s. */
    private static final Duration LONG = Duration.ofSeconds(17);

    private final String topic = "check-" + UUID.randomUUID();
    private final AtomicLong produced = new AtomicLong();

    private LanewayBuilder<byte[], byte[]> consumer() {
        return Laneway.consumer(Map.of(
                        "bootstrap.servers",
                        KAFKA.bootstrapServers(),
                        "group.id",
                        topic,
                        "auto.offset.reset",
                        "earliest"))
                .subscribe(topic)
                .closeLimit(Duration.ofSeconds(1));
    }

    private ProducerRecord<byte[], byte[]> record(String key) {
        return new ProducerRecord<>(topic, 0, key.getBytes(StandardCharsets.UTF_8), new byte[10]);
    }

    /** Appends a few records every 100 ms: of many keys, or of one. */
    private ScheduledExecutorService load(int aSecond, boolean oneKey) {
        ScheduledExecutorService load = Executors.newSingleThreadScheduledExecutor();
        var _ = load.scheduleAtFixedRate(
                () -> KAFKA.produce(IntStream.range(0, aSecond / 10)
                        .mapToObj(_ -> record(oneKey ? "hot" : "key " + produced.incrementAndGet() % 1_000))
                        .toList()),
                0,
                100,
                TimeUnit.MILLISECONDS);
        return load;
    }

    private static RecordHandler<byte[], byte[]> waits(Duration time) {
        return _ -> LockSupport.parkNanos(time.toNanos());
    }

    static Stream<Arguments> stories() {
        UnaryOperator<LanewayBuilder<byte[], byte[]>> two = builder -> builder.concurrency(2);
        UnaryOperator<LanewayBuilder<byte[], byte[]>> many = builder -> builder.concurrency(50);
        return Stream.of(
                Arguments.of("healthy", many, Duration.ofMillis(5), false),
                Arguments.of("limited TOO_FEW_THREADS", two, Duration.ofMillis(20), false),
                Arguments.of("limited EXTERNAL_CALL", two, Duration.ofMillis(1_200), false),
                Arguments.of("limited HOT_KEY", many, Duration.ofMillis(20), true));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("stories")
    @DisplayName("B143 a running Laneway gets its verdict in its process, and the same one from outside")
    @SuppressWarnings("try")
    void verdict(String expected, UnaryOperator<LanewayBuilder<byte[], byte[]>> options, Duration work, boolean oneKey)
            throws Exception {
        KAFKA.createTopic(topic, 1);
        try (ScheduledExecutorService load = load(500, oneKey);
                Laneway laneway = options.apply(consumer()).process(waits(work));
                LanewayBean bean = LanewayBean.register(topic, laneway);
                JmxSource outside = JmxSource.ofPid(ProcessHandle.current().pid())) {
            await().atMost(LIMIT).until(() -> laneway.snapshot().counters().processed() > 0);
            Twice twice = Twice.judged(topic, laneway, outside, PERIOD);
            load.shutdownNow();
            assertThat(Group.words(twice.inside)).as("%s", twice.inside).isEqualTo(expected);
            assertThat(Group.words(twice.outside)).as("%s", twice.outside).isEqualTo(expected);
        }
    }

    private record Twice(CheckResult inside, CheckResult outside) {
        static Twice judged(String name, Laneway laneway, JmxSource outside, Duration period) throws Exception {
            CheckResult[] results = new CheckResult[2];
            Thread other = Thread.ofVirtual().start(() -> {
                try {
                    results[1] = Check.of(outside).verdict(period);
                } catch (InterruptedException end) {
                    throw new IllegalStateException(end);
                }
            });
            results[0] = Check.of(name, laneway).verdict(period);
            other.join();
            return new Twice(results[0], results[1]);
        }
    }

    @Test
    @DisplayName("B143 B144 a stuck key is named by check and by health in the same words")
    void stuckKey() throws Exception {
        KAFKA.createTopic(topic, 1);
        CountDownLatch released = new CountDownLatch(1);
        Limits limits = Limits.DEFAULTS.withStuckLimit(Duration.ofSeconds(30));
        try (ScheduledExecutorService load = load(100, false);
                Laneway laneway = consumer().limits(limits).process(record -> {
                    if (new String(record.key(), StandardCharsets.UTF_8).equals("stuck")) {
                        released.await();
                    }
                })) {
            KAFKA.produce(List.of(record("stuck")));
            await().atMost(LIMIT).until(() -> laneway.snapshot().counters().processed() > 100);
            CheckResult result = Check.of("orders", laneway).verdict(LONG);
            assertThat(Group.words(result)).as("%s", result).isEqualTo("broken STUCK_KEY");
            await().atMost(LIMIT).until(() -> laneway.health().causes().contains(Health.Cause.STUCK_KEY));
            CheckResult told = Check.of("orders", laneway).verdict(Duration.ofSeconds(1));
            assertThat(Group.words(told)).as("%s", told).isEqualTo("broken STUCK_KEY");
            assertThat(told.sentence())
                    .startsWith(
                            "Broken: " + laneway.health().causes().getFirst().words());
            assertThat(told.evidence()).anySatisfy(line -> assertThat(line).contains("key hash"));
            load.shutdownNow();
            released.countDown();
        }
    }

    @Test
    @DisplayName("B143 a paused, a failed and a closed Laneway are told at once")
    void ends() throws Exception {
        KAFKA.createTopic(topic, 1);
        Laneway laneway = consumer().process(_ -> {});
        try (laneway) {
            laneway.pause();
            await().atMost(LIMIT).until(() -> laneway.health().causes().contains(Health.Cause.PAUSED));
            assertThat(Group.words(Check.of("orders", laneway).verdict(Duration.ofMillis(1))))
                    .isEqualTo("broken PAUSED");
        }
        assertThat(Group.words(Check.of("orders", laneway).verdict(Duration.ofMillis(1))))
                .isEqualTo("broken MEMBER_CLOSED");
        KAFKA.produce(List.of(record("key")));
        try (Laneway failing = consumer()
                .onFailure(dev.laneway.FailurePolicy.stop())
                .process(_ -> {
                    throw new IllegalStateException("no stock");
                })) {
            await().atMost(LIMIT).until(() -> failing.state().isTerminal());
            CheckResult result = Check.of(LanewaySource.of("orders", failing)).verdict(Duration.ofMillis(1));
            assertThat(Group.words(result)).isEqualTo("broken MEMBER_FAILED");
            assertThat(result.sentence())
                    .startsWith("Broken: a member has failed. orders: record " + topic + "-0@0 stopped the consumer");
        }
    }
}
