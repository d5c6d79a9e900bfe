package dev.laneway.engine;

import dev.laneway.engine.commit.TopicRetention;
import dev.laneway.engine.runtime.ReadableDuration;
import dev.laneway.engine.track.UndoneRecord;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Is a partition's log about to lose a record that must be read again? Looked at from time to time. One thread.
 *
 * <p>A record is at risk when less than a quarter is left of what it had: of the time that {@code retention.ms} or
 * {@code min.compaction.lag.ms} gives it, or of the way from where the log began at the first look to the record. The
 * way counts for deletion by size and by hand, which know no time; it is at its end, too, when one more deletion as
 * large as the largest so far would reach the record, since a log loses whole segments. A quarter leaves time in
 * proportion: two days of a week, a quarter of an hour of an hour.
 */
final class RetentionRisk {
    private static final int SHARE_LEFT = 4;

    private final long firstStart;
    private final long firstMs;
    private long start;
    private long largestStep;

    /**
     * The first look.
     *
     * @param start where the log begins
     * @param nowMs milliseconds since the epoch, here and below
     */
    RetentionRisk(long start, long nowMs) {
        this.firstStart = start;
        this.firstMs = nowMs;
        this.start = start;
    }

    /** The log begins here now. */
    void startsAt(long now) {
        largestStep = Math.max(largestStep, now - start);
        start = now;
    }

    /** Why the record is at risk, in words, without what to do; null when it is not. */
    @Nullable
    String of(UndoneRecord record, TopicRetention topic, long nowMs) {
        if (start > record.offset()) {
            return "the log begins at offset " + start + " now, behind it";
        }
        boolean isDated = record.timestamp() >= 0;
        long age = nowMs - record.timestamp();
        if (isDated && topic.retentionMs() >= 0 && isNearlyOver(age, topic.retentionMs())) {
            return "it was written " + text(age) + " ago, and retention.ms is " + text(topic.retentionMs())
                    + until(topic.retentionMs() - age);
        }
        long left = record.offset() - start;
        if (start > firstStart
                && (isNearlyOver(start - firstStart, left + start - firstStart) || left <= largestStep)) {
            long soon = Math.round((double) (nowMs - firstMs) * left / (start - firstStart));
            return "the log began at offset " + firstStart + ' ' + text(nowMs - firstMs) + " ago, begins at " + start
                    + " now, and will get to it in about " + text(soon) + " at that rate";
        }
        if (topic.isCompacted() && !(isDated && !isNearlyOver(age, topic.compactionLagMs()))) {
            return "the topic is compacted, which removes it for a later record of its key, and a deletion after"
                    + " delete.retention.ms; min.compaction.lag.ms is " + text(topic.compactionLagMs());
        }
        return null;
    }

    private static boolean isNearlyOver(long passed, long whole) {
        return whole - passed < whole / (double) SHARE_LEFT || whole == 0;
    }

    private static String until(long leftMs) {
        return leftMs > 0 ? ", over in " + text(leftMs) : ", over: it goes with its segment of the log";
    }

    private static String text(long millis) {
        return ReadableDuration.of(Duration.ofMillis(Math.max(0, millis)));
    }
}
