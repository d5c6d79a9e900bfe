package dev.laneway.stream;

import static dev.laneway.stream.SourceStage.LIMIT;
import static dev.laneway.stream.SourceStage.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.laneway.BrokerException;
import dev.laneway.Health;
import dev.laneway.StartCheck;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(180)
@DisplayName("Records of a stream that cannot be read, on a real broker")
class UnreadableStreamTest {
    enum Kind {
        PLAIN,
        COMMITTABLE,
        AT_MOST_ONCE,
        PARTITIONED
    }

    private final SourceStage stage = new SourceStage(2);
    private final Queue<String> delivered = new ConcurrentLinkedQueue<>();
    private volatile boolean isAway;

    /** Uses a registry, which may be away; values that begin with an x are wrong. */
    private final Deserializer<String> registry = (topic, data) -> {
        if (isAway) {
            throw new SerializationException("no schema", new SocketException("connection refused"));
        }
        String text = new String(data, StandardCharsets.UTF_8);
        if (Integer.parseInt(text) >= 1_000) {
            throw new SerializationException("no such version");
        }
        return text;
    };

    private ConsumerSettings<String, String> settings() {
        ConsumerSettings<String, String> plain = stage.settings();
        return ConsumerSettings.of(plain.kafkaConfig(), new StringDeserializer(), registry)
                .withCloseOnShutdown(false)
                .withHealthLimit(Duration.ofSeconds(2));
    }

    private ConsumerRecord<String, String> note(ConsumerRecord<String, String> record) {
        delivered.add(record.partition() + ":" + record.value());
        return record;
    }

    private Control run(Kind kind, ConsumerSettings<String, String> settings) {
        return switch (kind) {
            case PLAIN ->
                KafkaSource.plain(settings, stage.all()).map(this::note).run();
            case AT_MOST_ONCE ->
                KafkaSource.atMostOnce(settings, stage.all()).map(this::note).run();
            case COMMITTABLE ->
                KafkaSource.committable(settings, stage.all())
                        .map(record -> {
                            note(record.record());
                            return record;
                        })
                        .to(Committer.sink(CommitterSettings.DEFAULTS));
            case PARTITIONED ->
                KafkaSource.partitioned(settings, stage.all())
                        .map(partition -> partition.source().map(this::note).run())
                        .run();
        };
    }

    private static List<String> values(int partition, int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> partition + ":" + i).toList();
    }

    private List<String> of(int partition) {
        return delivered.stream().filter(one -> one.startsWith(partition + ":")).toList();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("B101 what reads the records fails for a while: they wait, health says why, none is lost or doubled")
    void registryAway(Kind kind) throws Exception {
        stage.load(0, 0, 20);
        Control control = run(kind, settings());
        await().atMost(LIMIT).until(() -> of(0).size() == 20);
        isAway = true;
        stage.load(0, 20, 60);
        stage.load(1, 0, 30);
        await().atMost(LIMIT)
                .until(() ->
                        control.health().reasons().toString().contains("cannot be read and wait, the latest source-"));
        assertThat(control.health().status()).isEqualTo(Health.Status.DEGRADED);
        assertThat(control.health().reasons().toString()).contains(stage.topic, "connection refused");
        isAway = false;
        await().atMost(LIMIT).until(() -> of(0).size() == 60 && of(1).size() == 30);
        assertThat(of(0)).isEqualTo(values(0, 0, 60));
        assertThat(of(1)).isEqualTo(values(1, 0, 30));
        await().atMost(LIMIT).until(() -> control.health().status() == Health.Status.UP);
        if (kind == Kind.COMMITTABLE || kind == Kind.AT_MOST_ONCE) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        control.stop();
        join(control.completion());
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("B101 a stream that stops while a record waits to be read ends at once, and leaves it to the next")
    void stopWhileAway(Kind kind) throws Exception {
        isAway = true;
        stage.load(0, 0, 20);
        Control control = run(kind, settings().withCloseLimit(Duration.ofMinutes(5)));
        await().atMost(LIMIT).until(() -> !control.health().reasons().isEmpty());
        control.stop();
        join(control.completion());
        assertThat(delivered).isEmpty();
        assertThat(stage.committed(0)).isLessThanOrEqualTo(0);
    }

    @ParameterizedTest
    @EnumSource(names = {"COMMITTABLE", "AT_MOST_ONCE"})
    @DisplayName("B101 B68 a partition that is given up while a record waits to be read is the next owner's, once")
    void givenUpWhileAway(Kind kind) throws Exception {
        isAway = true;
        stage.load(0, 0, 20);
        stage.load(1, 0, 20);
        Control first = run(kind, settings());
        await().atMost(LIMIT).until(() -> !first.health().reasons().isEmpty());
        Control second = run(kind, stage.settings());
        await().atMost(LIMIT).until(() -> of(0).size() == 20 || of(1).size() == 20);
        isAway = false;
        await().atMost(LIMIT).until(() -> of(0).size() == 20 && of(1).size() == 20);
        await().atMost(LIMIT).until(stage::isCommittedToEnd);
        assertThat(of(0)).isEqualTo(values(0, 0, 20));
        assertThat(of(1)).isEqualTo(values(1, 0, 20));
        first.stop();
        second.stop();
        join(first.completion());
        join(second.completion());
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("B101 a record whose bytes are wrong fails the stream, or is skipped where the settings say so")
    void wrongBytes(Kind kind) throws Exception {
        stage.load(0, 0, 5);
        stage.load(0, 1_000, 1_003);
        stage.load(0, 5, 10);
        Control failing = run(kind, settings());
        assertThatThrownBy(() -> join(failing.completion())).rootCause().hasMessage("no such version");
        assertThat(of(0)).isEqualTo(values(0, 0, 5));
        delivered.clear();
        Control skipping = run(kind, settings().withOnUnreadable(Unreadable.SKIP));
        await().atMost(LIMIT).until(() -> of(0).contains("0:9"));
        assertThat(of(0)).endsWith("0:5", "0:6", "0:7", "0:8", "0:9").doesNotContain("0:1000");
        if (kind == Kind.COMMITTABLE || kind == Kind.AT_MOST_ONCE) {
            await().atMost(LIMIT).until(() -> stage.committed(0) == 13);
        }
        skipping.stop();
        join(skipping.completion());
    }

    @Test
    @DisplayName("B101 where many different records in a row are wrong, a stream that skips waits instead")
    void manyWrong() throws Exception {
        stage.load(0, 1_000, 1_050);
        Control control = run(Kind.COMMITTABLE, settings().withOnUnreadable(Unreadable.SKIP));
        await().atMost(LIMIT).until(() -> control.health().reasons().toString().contains("the last 20 records"));
        assertThat(stage.committed(0)).isLessThan(20);
        control.stop();
        join(control.completion());
    }

    @Test
    @DisplayName("B114 a stream whose settings say so fails when a topic is missing; else health says it in time")
    void startCheck() throws Exception {
        Subscription missing = Subscription.topics(stage.topic + "-missing");
        ConsumerSettings<String, String> settings = settings().withHealthLimit(Duration.ofSeconds(4));
        Control waiting = KafkaSource.plain(settings, missing).run();
        await().atMost(LIMIT).until(() -> waiting.health().reasons().toString().contains("does not exist"));
        waiting.stop();
        join(waiting.completion());
        Control failing = KafkaSource.plain(settings.withStartCheck(StartCheck.FAIL), missing)
                .run();
        assertThatThrownBy(() -> join(failing.completion())).hasCauseInstanceOf(BrokerException.class);
    }
}
