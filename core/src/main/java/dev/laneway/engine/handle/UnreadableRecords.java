package dev.laneway.engine.handle;

import dev.laneway.Backoff;
import dev.laneway.Health;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.track.DeadLetter;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;

/**
 * Are the bytes wrong, or is what reads them? A record here and there is bad by itself. When as many in a row as
 * {@link #MOST_IN_A_ROW} cannot be read, and none of the topic can, then more likely the deserialiser is: its registry
 * is down, or it is the wrong one. Such records wait instead of being given up. Thread-safe.
 */
public final class UnreadableRecords {
    /** With this many different records of a topic in a row, that and all that follow wait. */
    static final int MOST_IN_A_ROW = 20;

    private static final Backoff PAUSE = Backoff.exponential(Duration.ofMillis(250), Duration.ofSeconds(5));
    /** Each record that waits is read again long before that; when none is, they have gone with their partitions. */
    private static final Duration STALE = Duration.ofMinutes(1);

    private static final int MOST_CAUSES = 20;
    /** By name: its module is not in every runtime image. */
    private static final String HTTP_TIMEOUT = "java.net.http.HttpTimeoutException";

    private static final String REMEDY = "if it is the records that are wrong, say what becomes of them by"
            + " onFailure(policy.on(RecordDeserializationException.class, ...))";

    private final HealthConditions conditions;
    private final String remedy;
    /** The records since the last one of their topic that could be read, at most as many as matter. */
    private final ConcurrentMap<String, Set<String>> rows = new ConcurrentHashMap<>();

    private volatile boolean any;

    public UnreadableRecords(HealthConditions conditions) {
        this(conditions, REMEDY);
    }

    /** @param remedy what to do where the records are at fault */
    UnreadableRecords(HealthConditions conditions, String remedy) {
        this.conditions = conditions;
        this.remedy = remedy;
    }

    /** A record of the topic could be read. The hot path: nothing but a look where all can. */
    void read(String topic) {
        if (any) {
            endRow(topic);
        }
    }

    private synchronized void endRow(String topic) {
        if (rows.remove(topic) != null) {
            conditions.end(subject(topic));
            any = !rows.isEmpty();
        }
    }

    /** A record could not be read. Whether too many in a row could not, so that it waits for what reads it. */
    synchronized boolean isOneOfMany(ConsumerRecord<byte[], byte[]> record, Throwable failure) {
        Set<String> row = rows.computeIfAbsent(record.topic(), topic -> new HashSet<>());
        any = true;
        if (row.size() < MOST_IN_A_ROW) {
            row.add(record.partition() + "@" + record.offset());
        }
        if (row.size() < MOST_IN_A_ROW) {
            return false;
        }
        conditions.begin(
                subject(record.topic()),
                Health.Status.DEGRADED,
                "the last " + MOST_IN_A_ROW + " records of topic " + record.topic() + " could not be read; they are"
                        + " read again until one can: " + DeadLetter.reason(failure, 300) + ". Mend the deserialiser"
                        + " or what it asks; " + remedy,
                STALE);
        return true;
    }

    /** A record of a stream waits, since what reads it fails for now. Always true. */
    synchronized boolean isWaiting(ConsumerRecord<byte[], byte[]> record, Throwable failure) {
        Throwable cause = passing(failure);
        rows.computeIfAbsent(record.topic(), topic -> new HashSet<>());
        any = true;
        conditions.begin(
                subject(record.topic()),
                Health.Status.DEGRADED,
                "records of topic " + record.topic() + " cannot be read and wait, the latest " + record.topic() + "-"
                        + record.partition() + "@" + record.offset() + ": "
                        + DeadLetter.reason(cause == null ? failure : cause, 300)
                        + ". They are read again until that passes: mend what the deserialiser asks",
                STALE);
        return true;
    }

    /** How long such a record waits, after so many attempts. */
    Duration pause(int attempt, Host host) {
        return pause(attempt, host.random());
    }

    static Duration pause(int attempt, RandomGenerator random) {
        return PAUSE.delay(attempt, random);
    }

    private static HealthConditions.Subject subject(String topic) {
        return new HealthConditions.Subject(Health.Cause.UNREADABLE, "read", topic);
    }

    /**
     * Whether a deserialiser may succeed with the same bytes later: it asks somebody who did not answer, or had no
     * memory. Not every {@link java.io.IOException}: those of Jackson, Avro and Protobuf say that the bytes are wrong.
     */
    static boolean mayPass(Throwable failure) {
        return passing(failure) != null;
    }

    private static @Nullable Throwable passing(Throwable failure) {
        Throwable cause = failure;
        for (int i = 0; i < MOST_CAUSES && cause != null; i++) {
            if (isPassing(cause)) {
                return cause;
            }
            cause = cause.getCause();
        }
        return null;
    }

    private static boolean isPassing(Throwable cause) {
        return switch (cause) {
            case RetriableException kafka -> true;
            case InterruptException stopped -> true;
            case InterruptedException stopped -> true;
            case SocketException network -> true;
            case UnknownHostException network -> true;
            case InterruptedIOException timeout -> true;
            case TimeoutException timeout -> true;
            // An array that no heap could hold comes from a length in the bytes.
            case OutOfMemoryError memory -> !String.valueOf(memory.getMessage()).contains("array size");
            default -> isHttpTimeout(cause.getClass());
        };
    }

    private static boolean isHttpTimeout(@Nullable Class<?> type) {
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            if (at.getName().equals(HTTP_TIMEOUT)) {
                return true;
            }
        }
        return false;
    }
}
