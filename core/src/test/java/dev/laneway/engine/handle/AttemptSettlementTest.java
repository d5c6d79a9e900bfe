package dev.laneway.engine.handle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.AttemptTimeoutException;
import dev.laneway.Backoff;
import dev.laneway.FailurePolicy;
import dev.laneway.Options;
import dev.laneway.Outcome;
import dev.laneway.RecordDeserializationException;
import dev.laneway.RecordFailedException;
import dev.laneway.engine.Shop;
import dev.laneway.engine.track.TrackDiagnostics;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.common.errors.SerializationException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What follows the end of an attempt; of what is sent, see {@code OutgoingRecordsTest}. */
class AttemptSettlementTest {
    private static final Backoff SECOND = Backoff.fixed(Duration.ofSeconds(1)).withJitter(0);
    private final List<String> calls = new ArrayList<>();

    @Test
    @DisplayName("B42 a failed record is tried again after the delay; waiting, it holds its lane and no thread")
    void retries() {
        Shop shop = Shop.each(Options.DEFAULTS.withFailurePolicy(FailurePolicy.retry(SECOND)), (record, context) -> {
            calls.add(record.key() + record.offset() + " attempt " + context.attempt());
            if (record.offset() == 0 && context.attempt() < 3) {
                throw new IOException("busy");
            }
            return Outcome.done();
        });
        shop.poll("aba");
        assertThat(calls).containsExactly("a0 attempt 1", "b1 attempt 1");
        assertThat(shop.machine.scheduler.running()).isZero();
        assertThat(shop.track.busy()).isZero();
        assertThat(shop.retries)
                .singleElement()
                .satisfies(retry -> assertThat(retry.delayNanos()).isEqualTo(1_000_000_000));
        shop.retry();
        assertThat(shop.committable()).isZero();
        shop.retry();
        assertThat(calls)
                .containsExactly("a0 attempt 1", "b1 attempt 1", "a0 attempt 2", "a0 attempt 3", "a2 attempt 1");
        assertThat(shop.committable()).isEqualTo(3);
        assertThat(shop.machine.counts.failedAttempts.sum()).isEqualTo(2);
        assertThat(shop.machine.counts.retries.sum()).isEqualTo(2);
    }

    @Test
    @DisplayName("B42 the delay follows the back-off of the policy that applies")
    void backsOff() {
        Backoff doubling = Backoff.exponential(Duration.ofMillis(100), Duration.ofSeconds(30))
                .withJitter(0);
        Shop shop = Shop.each(
                Options.DEFAULTS.withFailurePolicy(
                        FailurePolicy.retry(SECOND).on(IOException.class, FailurePolicy.retry(doubling))),
                (record, context) -> {
                    throw context.attempt() == 3 ? new IllegalStateException() : new IOException();
                });
        shop.poll("a");
        List<Long> delays = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            delays.add(shop.retries.getFirst().delayNanos() / 1_000_000);
            shop.retry();
        }
        assertThat(delays).containsExactly(100L, 200L, 1_000L, 800L);
    }

    @Test
    @DisplayName("B43 after the last attempt the record is skipped")
    void thenSkips() {
        Shop shop = failing(FailurePolicy.retry(SECOND, 2).thenSkip());
        shop.poll("aa").retry();
        assertThat(calls).containsExactly("0 attempt 1", "0 attempt 2", "1 attempt 1");
        shop.retry();
        assertThat(shop.committable()).isEqualTo(2);
        assertThat(shop.machine.counts.skipped.sum()).isEqualTo(2);
        assertThat(shop.fatal).isEmpty();
    }

    @Test
    @DisplayName("B43 after the last attempt the consumer stops, and says how to go on")
    void thenStops() {
        Shop shop = failing(FailurePolicy.retry(SECOND, 2));
        shop.poll("ab").retry();
        assertThat(shop.fatal.getFirst())
                .isInstanceOf(RecordFailedException.class)
                .hasMessage("record orders-0@0 stopped the consumer: attempt 2 failed and failurePolicy says stop: mend"
                        + " the cause, or choose thenDeadLetter(topic) or thenSkip()")
                .hasCauseInstanceOf(IOException.class)
                .extracting(failure -> ((RecordFailedException) failure).offset())
                .isEqualTo(0L);
        assertThat(shop.committable()).isZero();
        assertThat(shop.track.busy()).isZero();
    }

    static Stream<FailurePolicy> policies() {
        return Stream.of(FailurePolicy.stop(), FailurePolicy.skip(), FailurePolicy.retry(SECOND));
    }

    @ParameterizedTest
    @MethodSource("policies")
    @DisplayName("B35 B43 what fails since it was interrupted, because its partition is gone, is late and nothing else")
    void failsLate(FailurePolicy policy) {
        Shop[] shop = new Shop[1];
        shop[0] = Shop.each(Options.DEFAULTS.withFailurePolicy(policy), (record, context) -> {
            shop[0].track.drop();
            throw new InterruptedException();
        });
        assertIsLate(shop[0]);
    }

    @Test
    @DisplayName("B35 B43 what a handler says when its partition is gone is for the next owner to hear")
    void saidLate() {
        for (Outcome outcome : List.of(
                Outcome.stop("full"), Outcome.skip("bad"), Outcome.retryAfter(Duration.ofSeconds(1)), Outcome.done())) {
            Shop[] shop = new Shop[1];
            shop[0] = Shop.each(Options.DEFAULTS, (record, context) -> {
                shop[0].track.drop();
                return outcome;
            });
            assertIsLate(shop[0]);
        }
    }

    private static void assertIsLate(Shop shop) {
        shop.poll("a");
        assertThat(shop.fatal).isEmpty();
        assertThat(shop.retries).isEmpty();
        assertThat(shop.machine.counts.late.sum()).isEqualTo(1);
        assertThat(shop.machine.counts.failedAttempts.sum() + shop.machine.counts.skipped.sum())
                .isZero();
        assertThat(shop.track.busy()).isZero();
        assertThat(shop.machine.scheduler.running()).isZero();
        assertThat(shop.committable()).isZero();
    }

    @Test
    @DisplayName("B43 per exception type: each follows its own policy")
    void perType() {
        Shop shop = Shop.each(
                Options.DEFAULTS.withFailurePolicy(FailurePolicy.retry(SECOND)
                        .on(IllegalArgumentException.class, FailurePolicy.skip())
                        .on(IOException.class, FailurePolicy.stop())),
                (record, context) -> {
                    throw switch ((int) record.offset()) {
                        case 0 -> new IllegalArgumentException("never");
                        case 1 -> new IOException("over");
                        default -> new IllegalStateException("again");
                    };
                });
        shop.poll("abc");
        assertThat(shop.machine.counts.skipped.sum()).isEqualTo(1);
        assertThat(shop.fatal)
                .singleElement()
                .satisfies(failure ->
                        assertThat(failure).hasMessageContaining("orders-0@1").hasMessageContaining("attempt 1"));
        assertThat(shop.retries).hasSize(1);
    }

    @Test
    @DisplayName("B43 what a handler says: skip, retry without a limit, stop")
    void outcomes() {
        Shop shop =
                Shop.each(Options.DEFAULTS.withFailurePolicy(FailurePolicy.skip()), (record, context) -> switch ((int)
                        record.offset()) {
                    case 0 -> Outcome.skip("old");
                    case 1 -> context.attempt() < 4 ? Outcome.retryAfter(Duration.ofMillis(5)) : Outcome.done();
                    default -> Outcome.stop("the shop is closed");
                });
        shop.poll("ab");
        assertThat(shop.retries.getFirst().delayNanos()).isEqualTo(5_000_000);
        shop.retry().retry().retry();
        assertThat(shop.committable()).isEqualTo(2);
        assertThat(shop.machine.counts.failedAttempts.sum()).isZero();
        assertThat(shop.machine.counts.retries.sum()).isEqualTo(3);
        shop.poll("c");
        assertThat(shop.fatal.getFirst())
                .hasMessage("record orders-0@2 stopped the consumer: its handler said so: the shop is closed");
    }

    @Test
    @DisplayName("B45 a record that cannot be read is not tried again, whatever the policy says of attempts")
    void unreadable() {
        Shop shop = Shop.each(
                Options.DEFAULTS.withFailurePolicy(FailurePolicy.retry(SECOND)),
                (topic, bytes) -> {
                    throw new SerializationException("not an order");
                },
                (record, context) -> Outcome.done());
        shop.poll("a");
        assertThat(shop.retries).isEmpty();
        assertThat(shop.fatal.getFirst())
                .cause()
                .isInstanceOf(RecordDeserializationException.class)
                .hasMessageStartingWith("the value of record orders-0@0 cannot be deserialised: ")
                .hasCauseInstanceOf(SerializationException.class);
    }

    @Test
    @DisplayName("B47 errors are failures of the record too, and none ends the worker")
    void errors() {
        Shop shop =
                Shop.each(Options.DEFAULTS.withFailurePolicy(FailurePolicy.skip()), (record, context) -> switch ((int)
                        record.offset()) {
                    case 0 -> throw new StackOverflowError();
                    case 1 -> throw new OutOfMemoryError("of a kind");
                    case 2 -> throw new AssertionError();
                    case 3 -> throw new InterruptedException();
                    default -> null;
                });
        shop.poll("abcde");
        assertThat(shop.machine.counts.skipped.sum()).isEqualTo(5);
        assertThat(shop.committable()).isEqualTo(5);
        assertThat(shop.fatal).isEmpty();
        assertThat(Thread.interrupted()).as("the interrupt of record 3").isFalse();
    }

    @Test
    @DisplayName("B47 a handler that returns null fails, and the message says what to return")
    void returnsNull() {
        Shop shop = Shop.each(Options.DEFAULTS.withFailurePolicy(FailurePolicy.stop()), (record, context) -> null);
        shop.poll("a");
        assertThat(shop.fatal.getFirst())
                .cause()
                .hasMessage("the handler returned null: return Outcome.done() when the record is done");
    }

    @Test
    @DisplayName("B47 an attempt over its limit is interrupted and counts as failed, however it ends")
    void overItsLimit() {
        Duration limit = Duration.ofSeconds(2);
        Shop[] shop = new Shop[1];
        shop[0] = Shop.each(
                Options.DEFAULTS
                        .withAttemptLimit(limit)
                        .withFailurePolicy(FailurePolicy.retry(SECOND, 3).thenSkip()),
                (record, context) -> {
                    if (context.attempt() < 3) {
                        expire(shop[0], limit);
                        calls.add("interrupted " + Thread.currentThread().isInterrupted());
                    }
                    if (context.attempt() == 2) {
                        throw new IOException("interrupted");
                    }
                    return Outcome.done();
                });
        shop[0].poll("a");
        assertThat(shop[0].retries).hasSize(1);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        shop[0].retry();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        shop[0].retry();
        assertThat(calls).containsExactly("interrupted true", "interrupted true");
        assertThat(shop[0].machine.counts.failedAttempts.sum()).isEqualTo(2);
        assertThat(shop[0].committable()).isEqualTo(1);
        assertThat(shop[0].machine.counts.skipped.sum()).isZero();
    }

    @Test
    @DisplayName("B47 a time-out names the lane and the limit, and keeps what the handler threw")
    void timeoutIsTold() {
        Duration limit = Duration.ofSeconds(2);
        Shop[] shop = new Shop[1];
        shop[0] = Shop.each(
                Options.DEFAULTS.withAttemptLimit(limit).withFailurePolicy(FailurePolicy.stop()), (record, context) -> {
                    expire(shop[0], limit);
                    throw new IOException("cut off");
                });
        shop[0].poll("a");
        assertThat(shop[0].fatal.getFirst().getCause())
                .isInstanceOf(AttemptTimeoutException.class)
                .hasMessage("an attempt in lane orders-0#80 took longer than attemptLimit PT2S");
        assertThat(shop[0].fatal.getFirst().getCause().getSuppressed())
                .singleElement()
                .isInstanceOf(IOException.class);
    }

    @Test
    @DisplayName("B35 what comes of a partition that is gone is late: not done, not tried again, counted")
    void late() {
        Shop[] shop = new Shop[1];
        shop[0] = Shop.each(Options.DEFAULTS, (record, context) -> {
            shop[0].track.drop();
            return record.offset() == 0 ? Outcome.done() : Outcome.retryAfter(Duration.ZERO);
        });
        shop[0].poll("a");
        assertThat(shop[0].machine.counts.late.sum()).isEqualTo(1);
        assertThat(shop[0].machine.counts.processed.sum()).isZero();
        assertThat(shop[0].track.busy()).isZero();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    @DisplayName("B46 a record that fails for ever stops no other, and leaves nothing behind but itself")
    void failsForEver() {
        Shop shop = Shop.each(Options.DEFAULTS.withFailurePolicy(FailurePolicy.retry(SECOND)), (record, context) -> {
            if (record.offset() == 0) {
                throw new IOException("for ever");
            }
            return Outcome.done();
        });
        shop.poll("a");
        for (int i = 0; i < 1_000; i++) {
            shop.poll("b").retry();
        }
        assertThat(shop.retries).hasSize(1);
        assertThat(shop.track.ledger.undone()).isEqualTo(1);
        assertThat(shop.track.lanes.table().size()).isEqualTo(1);
        assertThat(shop.machine.counts.processed.sum()).isEqualTo(1_000);
        assertThat(shop.retries.getFirst().lane().attempt).isEqualTo(1_002);
    }

    @Test
    @DisplayName("B119 the next attempt learns what the last one failed with, and waits as long as that says")
    void delayOfFailure() {
        List<String> last = new ArrayList<>();
        FailurePolicy policy = FailurePolicy.retry(SECOND).retryAfter(failure -> switch (failure.getMessage()) {
            case "in 7 s" -> Optional.of(Duration.ofSeconds(7));
            case "before now" -> Optional.of(Duration.ofSeconds(-7));
            case "no delay" -> throw new IllegalStateException("retryAfter is broken");
            default -> Optional.empty();
        });
        List<String> failures = List.of("in 7 s", "some time", "before now", "no delay");
        Shop shop = Shop.each(Options.DEFAULTS.withFailurePolicy(policy), (record, context) -> {
            last.add(context.lastFailure().map(Throwable::getMessage).orElse("none"));
            if (context.attempt() <= failures.size()) {
                throw new IOException(failures.get(context.attempt() - 1));
            }
            return record.offset() == 0 && context.attempt() == 5 ? Outcome.retryAfter(Duration.ZERO) : Outcome.done();
        });
        shop.poll("aa");
        List<Long> delays = new ArrayList<>();
        for (int i = 0; i < failures.size(); i++) {
            delays.add(shop.retries.getFirst().delayNanos() / 1_000_000_000);
            shop.retry();
        }
        assertThat(delays).containsExactly(7L, 1L, 1L, 1L);
        shop.retry();
        assertThat(last).containsExactly("none", "in 7 s", "some time", "before now", "no delay", "none", "none");
    }

    private Shop failing(FailurePolicy policy) {
        return Shop.each(Options.DEFAULTS.withFailurePolicy(policy), (record, context) -> {
            calls.add(record.offset() + " attempt " + context.attempt());
            throw new IOException("no stock");
        });
    }

    /** The owner's looks, as if the attempt had taken until after its limit. */
    private static void expire(Shop shop, Duration limit) {
        TrackDiagnostics inspection = new TrackDiagnostics(shop.track, shop.host);
        inspection.expire(shop.host.nowNanos, limit);
        shop.host.nowNanos += limit.toNanos();
        inspection.expire(shop.host.nowNanos, limit);
    }
}
