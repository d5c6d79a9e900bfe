package dev.laneway.engine.handle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Backoff;
import dev.laneway.BatchOutcome;
import dev.laneway.FailurePolicy;
import dev.laneway.Health;
import dev.laneway.Options;
import dev.laneway.Outcome;
import dev.laneway.RecordDeserializationException;
import dev.laneway.engine.Shop;
import dev.laneway.engine.runtime.HealthConditions;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.charset.CharacterCodingException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What becomes of records that cannot be deserialised. */
class UnreadableRecordsTest {
    private static final Backoff SECOND = Backoff.fixed(Duration.ofSeconds(1)).withJitter(0);
    private static final String KEYS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN";

    /** What the deserialiser throws; null when it can read. */
    private volatile @Nullable Throwable broken;

    private final Deserializer<String> values = (topic, bytes) -> {
        Throwable failure = broken;
        return switch (failure) {
            case null -> "read";
            case RuntimeException unchecked -> throw unchecked;
            case Error error -> throw error;
            default -> throw new SerializationException("cannot be read", failure);
        };
    };

    private Shop shop(FailurePolicy policy) {
        return Shop.each(Options.DEFAULTS.withFailurePolicy(policy), values, (record, context) -> Outcome.done());
    }

    static Stream<Throwable> passing() {
        return Stream.of(
                new DisconnectException("the registry's topic"),
                new ConnectException("refused"),
                new SocketTimeoutException("slow"),
                new UnknownHostException("registry"),
                new HttpTimeoutException("slow"),
                new TimeoutException("slow"),
                new InterruptedException("stopped"),
                new OutOfMemoryError("Java heap space"),
                new IllegalStateException(new SerializationException(new IOException(new ConnectException("deep")))));
    }

    static Stream<Throwable> lasting() {
        return Stream.of(
                new IOException("as of Jackson, Avro and Protobuf"),
                new CharacterCodingException(),
                new IllegalArgumentException("no such field"),
                new SerializationException("no magic byte"),
                new OutOfMemoryError("Requested array size exceeds VM limit"),
                new StackOverflowError());
    }

    @ParameterizedTest
    @MethodSource("passing")
    @DisplayName("B101 a failure that may pass is tried again as the policy says")
    void triedAgain(Throwable failure) {
        Shop shop = shop(FailurePolicy.retry(SECOND, 3).thenSkip());
        broken = failure;
        shop.poll("a").retry();
        assertThat(shop.machine.counts.skipped.sum()).isZero();
        broken = null;
        shop.retry();
        assertThat(shop.committable()).isEqualTo(1);
        assertThat(shop.machine.counts.skipped.sum()).isZero();
        assertThat(shop.machine.counts.retries.sum()).isEqualTo(2);
        broken = failure;
        shop.poll("b").retry().retry();
        assertThat(shop.machine.counts.skipped.sum()).as("after three attempts").isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("lasting")
    @DisplayName("B101 a failure that says that the bytes are wrong is not tried again")
    void notTriedAgain(Throwable failure) {
        Shop shop = shop(FailurePolicy.retry(SECOND).thenSkip());
        broken = failure;
        shop.poll("a");
        assertThat(shop.retries).isEmpty();
        assertThat(shop.machine.counts.skipped.sum()).isEqualTo(1);
        assertThat(shop.committable()).isEqualTo(1);
    }

    @Test
    @DisplayName(
            "B101 where 20 different records in a row cannot be read, they wait, health tells, none more is skipped")
    void waits() {
        Shop shop = shop(FailurePolicy.skip());
        broken = new IllegalStateException("the registry says 503");
        shop.poll(KEYS);
        assertThat(shop.machine.counts.skipped.sum()).isEqualTo(19);
        for (int i = 0; i < 5; i++) {
            shop.retry();
        }
        assertThat(shop.machine.counts.skipped.sum()).isEqualTo(19);
        assertThat(shop.retries).hasSize(KEYS.length() - 19);
        shop.host.nowNanos += HealthConditions.GRACE.toNanos();
        assertThat(degraded(shop))
                .singleElement()
                .satisfies(reason -> assertThat(reason)
                        .contains("topic orders", "the registry says 503", "on(RecordDeserializationException.class"));
        broken = null;
        shop.retry();
        assertThat(shop.machine.counts.skipped.sum()).isEqualTo(19);
        assertThat(shop.committable()).isEqualTo(KEYS.length());
        assertThat(degraded(shop)).isEmpty();
    }

    @Test
    @DisplayName("B101 one record that fails many times is not many records; a good one ends the row")
    void different() {
        Shop shop = shop(FailurePolicy.retry(SECOND, 30).thenSkip());
        broken = new ConnectException("refused");
        shop.poll("a");
        for (int i = 0; i < 29; i++) {
            shop.retry();
        }
        assertThat(shop.machine.counts.skipped.sum()).isEqualTo(1);
        broken = null;
        shop.poll("b");
        broken = new SerializationException("wrong");
        shop.poll(KEYS.substring(0, 19));
        assertThat(shop.machine.counts.skipped.sum()).isEqualTo(20);
        assertThat(degraded(shop)).isEmpty();
    }

    @Test
    @DisplayName("B101 a condition of records that are gone ends by itself")
    void stale() {
        Shop shop = shop(FailurePolicy.skip());
        broken = new IllegalStateException("wrong");
        shop.poll(KEYS);
        shop.track.drop();
        shop.host.nowNanos += HealthConditions.GRACE.toNanos();
        assertThat(degraded(shop)).hasSize(1);
        shop.host.nowNanos += Duration.ofMinutes(1).toNanos();
        assertThat(degraded(shop)).isEmpty();
    }

    @Test
    @DisplayName("B101 a rule for records that cannot be read counts, whatever the failure and however many")
    void rule() {
        Shop shop = shop(FailurePolicy.DEFAULT.on(
                RecordDeserializationException.class,
                FailurePolicy.retry(SECOND, 2).thenSkip()));
        broken = new IllegalArgumentException("wrong");
        shop.poll(KEYS);
        assertThat(shop.retries).hasSize(KEYS.length());
        shop.retry();
        assertThat(shop.machine.counts.skipped.sum()).isEqualTo(KEYS.length());
        assertThat(degraded(shop)).isEmpty();
    }

    @Test
    @DisplayName("B101 a rule for a supertype decides what follows, not whether wrong bytes are read again")
    void ruleOfSupertype() {
        Shop shop = shop(FailurePolicy.stop()
                .on(RuntimeException.class, FailurePolicy.retry(SECOND).thenSkip()));
        broken = new IllegalArgumentException("wrong");
        shop.poll("a");
        assertThat(shop.retries).isEmpty();
        assertThat(shop.machine.counts.skipped.sum()).isEqualTo(1);
    }

    @Test
    @DisplayName("B101 the same holds for the records of batches")
    void batches() {
        Shop shop = Shop.batches(
                Options.DEFAULTS.withFailurePolicy(FailurePolicy.skip()), 4, values, records -> BatchOutcome.done());
        broken = new IllegalStateException("the registry says 503");
        shop.poll(KEYS);
        assertThat(shop.machine.counts.skipped.sum()).isEqualTo(19);
        broken = null;
        for (int i = 0; i < 10; i++) {
            shop.track.ripen(Long.MAX_VALUE);
            shop.retry();
        }
        assertThat(shop.committable()).isEqualTo(KEYS.length());
        assertThat(shop.machine.counts.skipped.sum()).isEqualTo(19);
    }

    private static List<String> degraded(Shop shop) {
        return shop.machine.conditions.reasons(Health.Status.DEGRADED);
    }
}
