package dev.laneway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class OptionsTest {
    private static final Duration TOO_LONG = Duration.ofDays(36_501);

    @Test
    @DisplayName("each default is pinned")
    void defaults() {
        Options defaults = Options.DEFAULTS;
        assertThat(defaults.name()).isEqualTo("laneway");
        assertThat(defaults.ordering()).isEqualTo(Ordering.KEY);
        assertThat(defaults.concurrency()).isEqualTo(256);
        assertThat(defaults.consumers()).isEqualTo(1);
        assertThat(defaults.bufferRecords()).isZero();
        assertThat(defaults.bufferRecordsOrSized()).isEqualTo(20_000);
        assertThat(defaults.bufferBytes()).isEqualTo(67_108_864);
        assertThat(defaults.attemptLimit()).isNull();
        assertThat(defaults.failurePolicy()).isSameAs(FailurePolicy.DEFAULT);
        assertThat(defaults.commit()).isEqualTo(CommitMode.async(Duration.ofSeconds(1)));
        assertThat(defaults.limits()).isSameAs(Limits.DEFAULTS);
        assertThat(defaults.startCheck()).isEqualTo(StartCheck.WAIT);
        assertThat(defaults.workers()).isEqualTo(Workers.virtual());
        assertThat(defaults.nullKeys()).isEqualTo(NullKeys.ORDERED);
        assertThat(defaults.metadata()).isEqualTo(MetadataPolicy.READ);
        assertThat(defaults.startPosition()).isEqualTo(StartPosition.committed());
        assertThat(defaults.closeOnShutdown()).isTrue();
    }

    @Test
    @DisplayName("each default of the limits that streams share is pinned")
    void defaultLimits() {
        Limits defaults = Limits.DEFAULTS;
        assertThat(defaults.drainLimit()).isNull();
        assertThat(defaults.closeLimit()).isEqualTo(Duration.ofSeconds(30));
        assertThat(defaults.stallLimit()).isEqualTo(Duration.ofMinutes(5));
        assertThat(defaults.healthLimit()).isEqualTo(Duration.ofSeconds(10));
        assertThat(defaults.brokerLimit()).isEqualTo(Duration.ofMinutes(1));
        assertThat(defaults.commitRefresh()).isEqualTo(Duration.ofMinutes(10));
        assertThat(defaults.retryAuthorization()).isEqualTo(Duration.ZERO);
    }

    @Test
    void bufferIsSizedFromTheConcurrencyOfOneMember() {
        Options options = Options.DEFAULTS;
        assertThat(options.withConcurrency(625).bufferRecordsOrSized()).isEqualTo(20_000);
        assertThat(options.withConcurrency(626).bufferRecordsOrSized()).isEqualTo(20_032);
        assertThat(options.withConcurrency(10_000).withConsumers(3).bufferRecordsOrSized())
                .isEqualTo(32 * 3_334);
        assertThat(options.withConcurrency(Integer.MAX_VALUE).bufferRecordsOrSized())
                .isEqualTo(2_000_000);
        assertThat(options.withBufferRecords(7).bufferRecordsOrSized()).isEqualTo(7);
    }

    @ParameterizedTest(name = "B52 {1}")
    @MethodSource
    @DisplayName("B52 each wrong value is refused with option, value, rule and remedy")
    void refuses(Consumer<LanewayBuilder<byte[], byte[]>> wrong, String message) {
        var builder = Laneway.consumer(Map.of());
        assertThatThrownBy(() -> wrong.accept(builder))
                .isInstanceOf(ConfigurationException.class)
                .isInstanceOf(LanewayException.class)
                .hasMessage(message)
                .extracting(failure -> ((ConfigurationException) failure).option())
                .isEqualTo(message.substring(0, message.indexOf(' ')));
    }

    static Stream<Arguments> refuses() {
        Duration negative = Duration.ofSeconds(-1);
        return Stream.of(
                wrong(d -> d.name(" "), "name is blank but must not be: give a short name for threads and logs"),
                wrong(d -> d.concurrency(0), "concurrency is 0 but must be at least 1: raise it"),
                wrong(d -> d.consumers(0), "consumers is 0 but must be at least 1: raise it"),
                wrong(
                        d -> d.bufferRecords(-1),
                        "bufferRecords is -1 but must not be negative: 0 sizes it from the concurrency"),
                wrong(d -> d.bufferBytes(0), "bufferBytes is 0 but must be at least 1: raise it"),
                wrong(
                        d -> d.attemptLimit(Duration.ZERO),
                        "attemptLimit is PT0S but must be longer than zero: give a positive duration"),
                wrong(
                        d -> d.attemptLimit(negative),
                        "attemptLimit is PT-1S but must be longer than zero: give a positive duration"),
                wrong(
                        d -> d.drainLimit(negative),
                        "drainLimit is PT-1S but must not be negative: zero waits for nothing"),
                wrong(
                        d -> d.closeLimit(negative),
                        "closeLimit is PT-1S but must not be negative: zero waits for nothing"),
                wrong(
                        d -> d.stallLimit(Duration.ZERO),
                        "stallLimit is PT0S but must be longer than zero: give a positive duration"),
                wrong(
                        d -> d.brokerLimit(Duration.ZERO),
                        "brokerLimit is PT0S but must be longer than zero: give a positive duration"),
                wrong(
                        d -> d.commitRefresh(Duration.ZERO),
                        "commitRefresh is PT0S but must be longer than zero: give a positive duration"),
                wrong(
                        d -> d.retryAuthorization(negative),
                        "retryAuthorization is PT-1S but must not be negative: zero stops at once"),
                tooLong(d -> d.attemptLimit(TOO_LONG), "attemptLimit"),
                tooLong(d -> d.drainLimit(TOO_LONG), "drainLimit"),
                tooLong(d -> d.closeLimit(TOO_LONG), "closeLimit"),
                tooLong(d -> d.stallLimit(TOO_LONG), "stallLimit"),
                tooLong(d -> d.healthLimit(TOO_LONG), "healthLimit"),
                tooLong(d -> d.brokerLimit(TOO_LONG), "brokerLimit"),
                tooLong(d -> d.commitRefresh(TOO_LONG), "commitRefresh"),
                tooLong(d -> d.retryAuthorization(TOO_LONG), "retryAuthorization"));
    }

    @Test
    @DisplayName("B52 null where there must be a value is refused at once, and by name")
    void refusesNull() {
        var builder = Laneway.consumer(Map.of());
        assertThatThrownBy(() -> builder.closeLimit(null))
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("closeLimit is null but must have a value: give one, or leave the option out");
        assertThatThrownBy(() -> builder.options(null)).hasMessageStartingWith("options is null but ");
        assertThatThrownBy(() -> builder.limits(null)).hasMessageStartingWith("limits is null but ");
        assertThatThrownBy(() -> builder.onFailure(null)).hasMessageStartingWith("failurePolicy is null but ");
    }

    @Test
    @DisplayName("the order of the builder's calls does not matter: what must fit together is checked at start")
    void orderOfCalls() {
        var builder = Laneway.consumer(Map.of()).subscribe("orders").consumers(300);
        assertThatThrownBy(() -> builder.process(record -> {}))
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("consumers is 300 but must not exceed concurrency, 256: each member needs a worker");

        assertThatThrownBy(() -> builder.concurrency(1_000).process(record -> {}))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith("group.id is missing");
    }

    @Test
    void theLeastValuesPass() {
        Options least = Options.DEFAULTS
                .withConcurrency(1)
                .withBufferBytes(1)
                .withBufferRecords(1)
                .withLimits(Limits.DEFAULTS.withDrainLimit(Duration.ZERO).withCloseLimit(Duration.ZERO))
                .withAttemptLimit(Duration.ofNanos(1));
        assertThat(least.bufferRecordsOrSized()).isEqualTo(1);
    }

    private static Arguments tooLong(Consumer<LanewayBuilder<byte[], byte[]>> wrong, String option) {
        return Arguments.of(
                wrong, option + " is PT876024H but must be at most PT876000H: 100 years are as good as for ever");
    }

    private static Arguments wrong(Consumer<LanewayBuilder<byte[], byte[]>> wrong, String message) {
        return Arguments.of(wrong, message);
    }
}
