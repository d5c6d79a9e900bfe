package dev.laneway;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * When a record may be handled at the earliest. One whose time has not come holds up only records that must wait for
 * it: those of its key, or of its partition with {@link Ordering#PARTITION}. It counts against the budgets, and against
 * what a commit can tell, as any record does that is unfinished while later ones are done.
 *
 * <p>Where times rise along each partition, as with one delay for all records, nothing is gained by a look behind the
 * first record that has to wait: then the partition waits with it, and fetches nothing.
 *
 * <p>The time is compared with the clock of this machine. Immutable; as thread-safe as its function.
 *
 * @param time finds the time of a record
 * @param isRising whether a record never has an earlier time than the one before it in its partition. One that has is
 *     handled late, at the time of the one before it
 */
public record NotBefore(Time time, boolean isRising) {
    /**
     * Finds the time of a record. Called once for each record that is fetched, on the thread that polls, and again for
     * one that is read a second time, on another one. So it must be fast, thread-safe and pure: while it runs its
     * member polls nothing and commits nothing.
     */
    @FunctionalInterface
    public interface Time {
        /**
         * Returns the time from which on the record may be handled; null for at once.
         *
         * @param record as it was fetched; must not be changed
         * @throws Exception of any kind: each attempt of the record then fails with a {@link NotBeforeException}, so
         *     that the {@link FailurePolicy} decides what follows
         */
        @Nullable
        Instant of(ConsumerRecord<byte[], byte[]> record) throws Exception;
    }

    /**
     * Checks the function.
     *
     * @throws ConfigurationException if it is missing
     */
    public NotBefore {
        Checks.given("notBefore.time", time);
    }

    /** Each record has a time of its own, in any order. */
    public static NotBefore of(Time time) {
        return new NotBefore(time, false);
    }

    /** Times that rise along each partition, see {@link #isRising}. */
    public static NotBefore rising(Time time) {
        return new NotBefore(time, true);
    }

    /**
     * So long after the record's timestamp; see {@link #isRising}. Timestamps rise strictly with
     * {@code message.timestamp.type=LogAppendTime}; those of several producers rise but for the difference between
     * their clocks.
     *
     * @throws ConfigurationException if the delay is negative or longer than 100 years
     */
    public static NotBefore afterTimestamp(Duration delay) {
        Checks.notNegative("notBefore.delay", delay, "zero delays nothing");
        long millis = delay.toMillis();
        return rising(record -> Instant.ofEpochMilli(record.timestamp() + millis));
    }

    /**
     * The time in the last header of this name, at once without one: milliseconds since 1970 in decimal digits or as a
     * big-endian {@code long} of 8 bytes, or text as {@code 2026-11-27T09:00:00Z}.
     */
    public static NotBefore header(String name) {
        Checks.given("notBefore.header", name);
        return of(record -> {
            Header header = record.headers().lastHeader(name);
            return header == null || header.value() == null ? null : parsed(header.value());
        });
    }

    private static Instant parsed(byte[] value) {
        if (value.length == Long.BYTES && !isDigits(value)) {
            return Instant.ofEpochMilli(ByteBuffer.wrap(value).getLong());
        }
        String text = new String(value, StandardCharsets.UTF_8).trim();
        try {
            return isDigits(value) ? Instant.ofEpochMilli(Long.parseLong(text)) : Instant.parse(text);
        } catch (DateTimeParseException | NumberFormatException wrong) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is no time: write milliseconds since 1970, or text as 2026-11-27T09:00:00Z",
                    wrong);
        }
    }

    private static boolean isDigits(byte[] value) {
        for (byte digit : value) {
            if (digit < '0' || digit > '9') {
                return false;
            }
        }
        return value.length > 0;
    }
}
