package dev.laneway.engine;

import dev.laneway.Health;
import dev.laneway.Options;
import dev.laneway.engine.runtime.EventCounts;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.runtime.ReadableDuration;
import dev.laneway.engine.runtime.UtilisationMeter;
import dev.laneway.engine.track.Assignment;
import dev.laneway.engine.track.Partition;
import dev.laneway.engine.track.PartitionDiagnostics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the owner looks at from time to time rather than workers at each record: attempts over their limit, records that
 * do not end, how many workers wait. The owner only, but for {@link #stalls} and {@link #unfinished}.
 */
final class StallDetector {
    private static final Logger log = LoggerFactory.getLogger(StallDetector.class);

    private static final long SLOWEST_NANOS = 1_000_000_000;
    private static final long FASTEST_NANOS = 1_000_000;
    private static final int LOOKS_PER_LIMIT = 10;
    private static final HealthConditions.Subject ATTEMPTS =
            new HealthConditions.Subject(Health.Cause.ATTEMPTS_FAIL, "attempts", "all");

    private final Assignment assignment;
    private final UtilisationMeter meter;
    private final @Nullable Duration attemptLimit;
    private final Duration stallLimit;
    private final Duration stuckLimit;
    private final long intervalNanos;
    private final EventCounts counts;
    private final HealthConditions conditions;
    /** Records that were done with success, at most so far; attempts that had failed when that changed last. */
    private long mostDone;

    private long failedBefore;
    private long failedSeen;
    private Set<TopicPartition> stalled = Set.of();
    /** Those that health tells of. */
    private final Set<Partition> stuck = new HashSet<>();
    /** The lowest unfinished record of each partition that has one. Never changed, but replaced at each look. */
    private volatile Map<Partition, Unfinished> unfinished = Map.of();

    private volatile List<String> stalls = List.of();

    /** A record that was seen started and unfinished, and since when. Immutable. */
    record Unfinished(long offset, long sinceNanos) {
        Duration age(long nowNanos) {
            return Duration.ofNanos(nowNanos - sinceNanos);
        }
    }

    /** @param stallLimit after which age an unfinished record is a stall */
    StallDetector(
            Assignment assignment,
            UtilisationMeter meter,
            Options options,
            Duration stallLimit,
            EventCounts counts,
            HealthConditions conditions) {
        this.counts = counts;
        this.conditions = conditions;
        this.assignment = assignment;
        this.meter = meter;
        this.attemptLimit = options.attemptLimit();
        this.stallLimit = stallLimit;
        Duration stuck = options.limits().stuckLimit();
        this.stuckLimit = stuck.compareTo(stallLimit) < 0 ? stuck : stallLimit;
        long shortest =
                attemptLimit == null ? stuckLimit.toNanos() : Math.min(attemptLimit.toNanos(), stuckLimit.toNanos());
        this.intervalNanos = Math.max(FASTEST_NANOS, Math.min(SLOWEST_NANOS, shortest / LOOKS_PER_LIMIT));
    }

    /** How often {@link #look} is due. */
    long intervalNanos() {
        return intervalNanos;
    }

    /** One sentence for each partition whose lowest unfinished record is older than the stall limit. */
    List<String> stalls() {
        return stalls;
    }

    /** The partition's lowest record that the latest look saw started and unfinished; null when there was none. */
    @Nullable
    Unfinished unfinished(Partition partition) {
        return unfinished.get(partition);
    }

    /** @param leftovers partitions that were given up and whose handlers still run */
    void look(long nowNanos, List<Partition> leftovers) {
        List<String> sentences = new ArrayList<>();
        Set<TopicPartition> found = new HashSet<>();
        Map<Partition, Unfinished> seen = new HashMap<>();
        for (Partition leftover : leftovers) {
            Unfinished oldest = look(leftover, nowNanos, seen);
            if (oldest != null && isStall(oldest, nowNanos)) {
                sentences.add(leftover.id + " starts nothing until its earlier assignment has ended: "
                        + describe(leftover, oldest, nowNanos));
            }
        }
        int workers = 0;
        int waiting = 0;
        // In this order: what a runner counts meanwhile is missed by this look, and not taken for two.
        long done = counts.processed.sum() - counts.skipped.sum() - counts.deadLettered.sum();
        long held = 0;
        for (Partition partition : assignment.all()) {
            if (attemptLimit != null) {
                partition.watch.expire(nowNanos, attemptLimit);
            }
            PartitionDiagnostics.Sample sample = partition.watch.sample();
            workers += sample.workers();
            waiting += sample.waiting();
            done += partition.watch.passed();
            held += partition.held.ledger.allRecords();
            Unfinished oldest = look(partition, nowNanos, seen);
            tellOfStuck(partition, oldest, nowNanos);
            if (oldest != null && isStall(oldest, nowNanos)) {
                String sentence = describe(partition, oldest, nowNanos);
                sentences.add(sentence);
                found.add(partition.id);
                if (!stalled.contains(partition.id)) {
                    log.warn("{}", sentence);
                }
            }
        }
        meter.sampled(workers == 0 ? 0 : (double) waiting / workers);
        tellOfAttempts(done, held);
        stuck.removeIf(partition -> isOver(partition, seen));
        unfinished = seen;
        stalled = found;
        stalls = List.copyOf(sentences);
    }

    /** A record is unfinished for so long that somebody should know, whether or not it stops others. */
    private void tellOfStuck(Partition partition, @Nullable Unfinished oldest, long nowNanos) {
        if (oldest == null || oldest.age(nowNanos).compareTo(stuckLimit) <= 0 || isStall(oldest, nowNanos)) {
            if (stuck.remove(partition)) {
                conditions.end(stuckAt(partition));
            }
            return;
        }
        int keys = partition.watch.spilledKeys();
        String behind = keys == 0
                ? ""
                : "; " + partition.watch.spilledRecords() + " records or more of " + keys
                        + (keys == 1 ? " key" : " keys") + " wait in the log";
        conditions.tell(
                stuckAt(partition),
                Health.Status.DEGRADED,
                "record " + partition.id + "@" + oldest.offset + " is unfinished for longer than stuckLimit "
                        + ReadableDuration.of(stuckLimit) + "; " + partition.watch.describe(oldest.offset) + behind
                        + ". " + partition.watch.remedy(),
                oldest.sinceNanos);
        stuck.add(partition);
    }

    /** Whether the partition is assigned no more, and nobody will tell of it. */
    private boolean isOver(Partition partition, Map<Partition, Unfinished> seen) {
        boolean over = !seen.containsKey(partition);
        if (over) {
            conditions.end(stuckAt(partition));
        }
        return over;
    }

    private static HealthConditions.Subject stuckAt(Partition partition) {
        return new HealthConditions.Subject(Health.Cause.STUCK_KEY, "stuck", partition.id);
    }

    /** While attempts fail and no record is done with success, health says so. */
    private void tellOfAttempts(long done, long held) {
        long failed = counts.failedAttempts.sum();
        if (done > mostDone || (held == 0 && failed == failedSeen)) {
            mostDone = Math.max(mostDone, done);
            failedBefore = failed;
            conditions.end(ATTEMPTS);
        } else if (failed > failedBefore) {
            conditions.begin(
                    ATTEMPTS,
                    Health.Status.DEGRADED,
                    (failed - failedBefore) + " have failed so far, the latest at " + counts.latestFailure
                            + ": mend the handler or what it calls");
        }
        failedSeen = failed;
    }

    /** The partition's lowest unfinished record, which is noted in {@code seen}; null when there is none. */
    private @Nullable Unfinished look(Partition partition, long nowNanos, Map<Partition, Unfinished> seen) {
        long offset = partition.watch.oldestStarted();
        if (offset < 0) {
            return null;
        }
        Unfinished before = unfinished.get(partition);
        Unfinished oldest = before != null && before.offset == offset ? before : new Unfinished(offset, nowNanos);
        seen.put(partition, oldest);
        return oldest;
    }

    private boolean isStall(Unfinished oldest, long nowNanos) {
        return oldest.age(nowNanos).compareTo(stallLimit) > 0;
    }

    private String describe(Partition partition, Unfinished oldest, long nowNanos) {
        return "record " + partition.id + "@" + oldest.offset + " has been unfinished for "
                + oldest.age(nowNanos).toSeconds() + " s, longer than stallLimit " + ReadableDuration.of(stallLimit)
                + "; " + partition.watch.describe(oldest.offset) + ". " + partition.watch.remedy();
    }
}
