package dev.laneway.engine.track;

import dev.laneway.AttemptTimeoutException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the owner finds out about a partition's work from time to time. The owner only, but for the last two. */
public abstract class PartitionDiagnostics {
    /** Workers and asynchronous handlers that are busy, and how many of those wait. Immutable. */
    public record Sample(int workers, int waiting) {
        static final Sample NOBODY = new Sample(0, 0);
    }

    /** Ends attempts that have run for longer than the limit, with an {@link AttemptTimeoutException}. */
    public void expire(long nowNanos, Duration limit) {}

    /** Looks at some of those that are busy. */
    public Sample sample() {
        return Sample.NOBODY;
    }

    /** The lowest offset that should be done some time and is not; -1 when there is none. */
    public abstract long oldestStarted();

    /** Records that were started, or wait behind a busy key, for a retry or for an acknowledgement. */
    public abstract int inFlight();

    /** Records that were done and are not counted yet. */
    public int passed() {
        return 0;
    }

    /** Keys that are busy. */
    public int lanes() {
        return 0;
    }

    /** Lanes whose record waits for its time. */
    public int delayed() {
        return 0;
    }

    /** Busy keys with records that wait in the log. */
    public int spilledKeys() {
        return 0;
    }

    /** The first few of those keys: their hashes, as {@code offsets describe} shows them. */
    public List<String> keysInLog() {
        return List.of();
    }

    /** How many such records are known. */
    public long spilledRecords() {
        return 0;
    }

    /** What the record at an offset waits for, in words. */
    public abstract String describe(long offset);

    /** What helps against it, in words. */
    public abstract String remedy();

    /** The lowest record that waits in the log and is not held; null when there is none. Any thread. */
    public @Nullable UndoneRecord oldestInLog() {
        return null;
    }

    /** The lowest record that has left the cursor's path and is not done; null when there is none. Any thread. */
    public @Nullable UndoneRecord oldestUndone() {
        return null;
    }
}
