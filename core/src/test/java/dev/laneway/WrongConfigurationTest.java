package dev.laneway;

import static dev.laneway.Stage.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Needs no broker: a wrong configuration is refused before anything is connected. */
@DisplayName("B52 wrong configuration fails at start and names option, value, rule and remedy")
class WrongConfigurationTest {
    /** One thing wrong with an otherwise right start. */
    private interface Mistake extends Consumer<LanewayBuilder<byte[], byte[]>> {}

    private static Map<String, Object> config(String name, Object value) {
        Map<String, Object> config = new HashMap<>(Map.of("bootstrap.servers", "127.0.0.1:1", "group.id", "g"));
        config.put(name, value);
        return config;
    }

    static Stream<Arguments> properties() {
        return Stream.of(
                Arguments.of("enable.auto.commit", true, "Laneway commits itself"),
                Arguments.of("enable.auto.commit", "true", "remove the property"),
                Arguments.of("group.id", "", "progress is committed to a group"),
                Arguments.of("bootstrap.servers", " ", "host:port"),
                Arguments.of("key.deserializer", "org.example.Mine", "deserializers(keys, values)"),
                Arguments.of("value.deserializer", String.class, "deserializers(keys, values)"),
                Arguments.of("max.poll.record", 7, "did you mean max.poll.records"),
                Arguments.of("max.poll.records", 0, "at least 1"),
                Arguments.of("partition.assignment.strategy", " ", "leave the property out"),
                Arguments.of("partition.assignment.strategy", List.of(), "an assignor at least"),
                Arguments.of("retry.backoff.ms", null, "leave it out"),
                Arguments.of("max.poll.interval.ms", "soon", "whole number"));
    }

    @ParameterizedTest(name = "{displayName}: {0} = {1}")
    @MethodSource("properties")
    @DisplayName("B52 a property of Kafka's")
    void property(String name, Object value, String told) {
        var builder = Laneway.consumer(config(name, value)).subscribe("topic");
        ConfigurationException failure =
                catchThrowableOfType(ConfigurationException.class, () -> builder.process(record -> {}));
        assertThat(failure.option()).isEqualTo(name);
        assertThat(failure).hasMessageContaining(name).hasMessageContaining(told);
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @ValueSource(strings = {"false", " FALSE ", "no"})
    @DisplayName("B52 B111 a producer of outputs that does not keep the order is refused at start, in any mode")
    void unorderedProducer(String idempotence) {
        for (CommitMode mode : List.of(CommitMode.async(millis(50)), CommitMode.exactlyOnce("id"))) {
            var builder = Laneway.consumer(config("group.id", "group"))
                    .subscribe("topic")
                    .commit(mode)
                    .producer(Map.of("enable.idempotence", idempotence))
                    .onFailure(FailurePolicy.deadLetter("letters"));
            ConfigurationException failure =
                    catchThrowableOfType(ConfigurationException.class, () -> builder.process(record -> {}));
            assertThat(failure.option()).isEqualTo("enable.idempotence");
            assertThat(failure).hasMessageContaining("overtaken").hasMessageContaining("remove the property");
        }
    }

    static Stream<Arguments> options() {
        return Stream.of(
                option("concurrency", "0", builder -> builder.concurrency(0)),
                option("consumers", "0", builder -> builder.consumers(0)),
                option("consumers", "8", builder -> builder.concurrency(4).consumers(8)),
                option("bufferRecords", "-1", builder -> builder.bufferRecords(-1)),
                option("bufferBytes", "0", builder -> builder.bufferBytes(0)),
                option("attemptLimit", "PT0S", builder -> builder.attemptLimit(Duration.ZERO)),
                option("drainLimit", "PT-0.001S", builder -> builder.drainLimit(millis(-1))),
                option("drainLimit", "PT10M", builder -> builder.drainLimit(Duration.ofMinutes(10))),
                option("closeLimit", "PT-0.001S", builder -> builder.closeLimit(millis(-1))),
                option("stallLimit", "PT0S", builder -> builder.stallLimit(Duration.ZERO)),
                option("brokerLimit", "PT0S", builder -> builder.brokerLimit(Duration.ZERO)),
                option("retryAuthorization", "PT-1S", builder -> builder.retryAuthorization(Duration.ofSeconds(-1))),
                option("commit.interval", "PT0S", builder -> builder.commit(CommitMode.async(Duration.ZERO))),
                option("workers.threads", "0", builder -> builder.workers(Workers.cpuBound(0))),
                option("name", "blank", builder -> builder.name(" ")),
                option(
                        "maxAttempts",
                        "0",
                        builder -> builder.onFailure(FailurePolicy.retry(Backoff.fixed(millis(1)), 0))),
                option("thenDeadLetter", "topic", builder -> builder.onFailure(FailurePolicy.deadLetter(" "))),
                option("backoff.first", "PT-0.001S", builder -> Backoff.fixed(millis(-1))),
                option(
                        "backoff.max",
                        "PT1S",
                        builder -> Backoff.exponential(Duration.ofSeconds(2), Duration.ofSeconds(1))),
                option("backoff.factor", "0.5", builder -> new Backoff(millis(1), millis(2), 0.5, 0)),
                option(
                        "backoff.jitter",
                        "2.0",
                        builder -> Backoff.fixed(millis(1)).withJitter(2)),
                option("batch.size", "0", builder -> builder.processBatch(0, millis(1), batch -> BatchOutcome.done())),
                option(
                        "batch.linger",
                        "PT-0.001S",
                        builder -> builder.processBatch(1, millis(-1), batch -> BatchOutcome.done())),
                option(
                        "startAt offset",
                        "-5",
                        builder -> builder.startAt(StartPosition.offsets(Map.of(new TopicPartition("topic", 0), -5L)))),
                option(
                        "consumers",
                        "2",
                        builder -> builder.assign(List.of(new TopicPartition("topic", 0)))
                                .consumers(2)));
    }

    private static Arguments option(String name, String value, Mistake mistake) {
        return Arguments.of(name, value, mistake);
    }

    @ParameterizedTest(name = "{displayName}: {0} = {1}")
    @MethodSource("options")
    @DisplayName("B52 an option of Laneway's")
    void option(String name, String value, Consumer<LanewayBuilder<byte[], byte[]>> mistake) {
        var builder = Laneway.consumer(config("client.id", "c")).subscribe("topic");
        ConfigurationException failure = catchThrowableOfType(ConfigurationException.class, () -> {
            mistake.accept(builder);
            builder.process(record -> {}).close();
        });
        assertThat(failure.option()).startsWith(name);
        assertThat(failure).hasMessageContaining(value).hasMessageContaining(": ");
    }

    @Test
    @DisplayName("B52 no group: progress of partitions that are assigned by hand is committed to one, too")
    void noGroup() {
        Map<String, Object> config = Map.of("bootstrap.servers", "127.0.0.1:1");
        for (LanewayBuilder<byte[], byte[]> builder : List.of(
                Laneway.consumer(config).subscribe("topic"),
                Laneway.consumer(config).assign(List.of(new TopicPartition("topic", 0))))) {
            assertThatThrownBy(() -> builder.process(record -> {}))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessage("group.id is missing but progress is committed to a group: name one");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"missing", "true"})
    @DisplayName("B52 B1 clients of the caller's own that may commit by themselves, which is Kafka's default")
    void clientsThatCommit(String value) {
        Map<String, Object> config = config("client.id", "c");
        if (!value.equals("missing")) {
            config.put("enable.auto.commit", value);
        }
        AtomicInteger made = new AtomicInteger();
        var builder = Laneway.consumer(config, () -> {
                    made.incrementAndGet();
                    return new MockConsumer<byte[], byte[]>("earliest");
                })
                .subscribe("topic");
        ConfigurationException failure =
                catchThrowableOfType(ConfigurationException.class, () -> builder.process(record -> {}));
        assertThat(failure.option()).isEqualTo("enable.auto.commit");
        assertThat(failure)
                .hasMessageStartingWith("enable.auto.commit is " + value + " but ")
                .hasMessageEndingWith(": make the clients with false, and say so here");
        assertThat(made.get()).isZero();
    }

    @Test
    @DisplayName("B52 no subscription; what Kafka itself refuses is told in the same words")
    void whole() {
        assertThatThrownBy(() -> Laneway.consumer(config("client.id", "c")).process(record -> {}))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("subscribe(topics) or assign(partitions)");
        assertThatThrownBy(() -> Laneway.consumer(config("auto.offset.reset", "sometimes"))
                        .subscribe("topic")
                        .process(record -> {}))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("auto.offset.reset");
        assertThatThrownBy(() -> Laneway.consumer(config("bootstrap.servers", "nowhere"))
                        .subscribe("topic")
                        .process(record -> {}))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("nowhere");
    }
}
