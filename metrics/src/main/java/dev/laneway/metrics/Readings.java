package dev.laneway.metrics;

import dev.laneway.Counters;
import dev.laneway.Health;
import dev.laneway.LanewayObserver;
import dev.laneway.PartitionSnapshot;
import dev.laneway.PauseReason;
import dev.laneway.Snapshot;
import dev.laneway.State;
import dev.laneway.Utilisation;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The counters and gauges of one consumer, from snapshots of it. A scrape asks for hundreds of values: all that are
 * asked for within a second are of one snapshot. Thread-safe.
 */
final class Readings {
    private static final long FRESH_NANOS = 1_000_000_000;

    private final LanewayObserver.Subject subject;
    private final LongSupplier clock;
    private @Nullable Taken taken;

    /** One snapshot and what follows from it and those before. */
    private record Taken(
            Snapshot snapshot,
            Health health,
            long atNanos,
            Utilisation utilisationBefore,
            Map<TopicPartition, PartitionSnapshot> partitions,
            Map<TopicPartition, LagClock> clocks) {}

    Readings(LanewayObserver.Subject subject, LongSupplier clock) {
        this.subject = subject;
        this.clock = clock;
    }

    private synchronized Taken taken() {
        long now = clock.getAsLong();
        Taken before = taken;
        if (before != null && now - before.atNanos < FRESH_NANOS) {
            return before;
        }
        Snapshot snapshot = subject.snapshot();
        Map<TopicPartition, PartitionSnapshot> partitions = new HashMap<>();
        Map<TopicPartition, LagClock> clocks = new HashMap<>();
        for (PartitionSnapshot one : snapshot.partitions()) {
            partitions.put(one.partition(), one);
            LagClock known = before == null ? null : before.clocks.get(one.partition());
            LagClock clockOfOne = known == null ? new LagClock() : known;
            clocks.put(one.partition(), clockOfOne);
            one.lag().ifPresent(lag -> clockOfOne.saw(one.committable() + lag, now));
        }
        Utilisation none = new Utilisation(0, 0, 0, 0);
        Taken fresh = new Taken(
                snapshot,
                subject.health(),
                now,
                before == null ? none : before.snapshot.utilisation(),
                partitions,
                clocks);
        taken = fresh;
        return fresh;
    }

    /** The value of a metric without a tag of its own. */
    double value(LanewayMetric metric) {
        Taken now = taken();
        Snapshot snapshot = now.snapshot;
        Counters counters = snapshot.counters();
        return switch (metric) {
            case PROCESSED -> counters.processed();
            case FAILED -> counters.failedAttempts();
            case RETRIED -> counters.retries();
            case DEAD_LETTERED -> counters.deadLettered();
            case SKIPPED -> counters.skipped();
            case EMITTED -> counters.emitted();
            case LATE -> counters.late();
            case DROPPED -> counters.dropped();
            case SPILLED -> counters.spilled();
            case REFILLED -> counters.refilled();
            case LOST -> counters.lost();
            case ARCHIVED -> counters.archived();
            case COMMITS -> counters.commits();
            case FAILED_COMMITS -> counters.failedCommits();
            case REBALANCES -> counters.rebalances();
            case WORKERS_STARTED -> counters.workersStarted();
            case MOST_LAG -> most(now, LanewayMetric.LAG);
            case MOST_LAG_SECONDS -> most(now, LanewayMetric.LAG_SECONDS);
            case ASSIGNED -> snapshot.partitions().size();
            case IN_FLIGHT -> sum(now, LanewayMetric.PARTITION_IN_FLIGHT);
            case LANES -> sum(now, LanewayMetric.PARTITION_LANES);
            case HELD -> snapshot.held();
            case HELD_LIMIT -> snapshot.bufferRecords();
            case HELD_BYTES -> snapshot.heldBytes();
            case HELD_BYTES_LIMIT -> snapshot.bufferBytes();
            case SPILLED_KEYS ->
                snapshot.partitions().stream()
                        .mapToDouble(PartitionSnapshot::spilledKeys)
                        .sum();
            case SPILLED_RECORDS -> sum(now, LanewayMetric.PARTITION_SPILLED);
            case OLDEST_AGE -> most(now, LanewayMetric.PARTITION_AGE);
            case RUNNING -> snapshot.runningWorkers();
            case WORKERS_LIMIT -> snapshot.utilisation().workers();
            case SNAPSHOT_AGE -> seconds(snapshot.age());
            case HEALTH ->
                switch (now.health.status()) {
                    case UP -> 1;
                    case DEGRADED -> 0.5;
                    case DOWN -> 0;
                };
            default -> throw new IllegalArgumentException(metric + " is not read without a tag");
        };
    }

    /** The value of a partition's metric; empty while it is not known, or the partition is not assigned. */
    OptionalDouble value(LanewayMetric metric, TopicPartition id) {
        Taken now = taken();
        PartitionSnapshot one = now.partitions.get(id);
        return one == null ? OptionalDouble.empty() : value(metric, one, now);
    }

    private static OptionalDouble value(LanewayMetric metric, PartitionSnapshot one, Taken now) {
        return switch (metric) {
            case LAG ->
                one.lag().isEmpty()
                        ? OptionalDouble.empty()
                        : OptionalDouble.of((double) one.lag().getAsLong());
            case LAG_SECONDS -> {
                LagClock clock = now.clocks.get(one.partition());
                yield clock == null ? OptionalDouble.empty() : clock.secondsSince(one.committable(), now.atNanos);
            }
            case OFFSET ->
                one.committed().isEmpty()
                        ? OptionalDouble.empty()
                        : OptionalDouble.of((double) one.committed().getAsLong());
            case PARTITION_IN_FLIGHT -> OptionalDouble.of(one.inFlight());
            case PARTITION_HELD -> OptionalDouble.of((double) one.held());
            case PARTITION_LANES -> OptionalDouble.of(one.lanes());
            case PARTITION_SPILLED -> OptionalDouble.of((double) one.spilledRecords());
            case PARTITION_AGE -> OptionalDouble.of(seconds(one.oldestAge()));
            default -> throw new IllegalArgumentException(metric + " is not of a partition");
        };
    }

    /** The assigned partitions that there are values of. */
    Iterable<TopicPartition> partitions() {
        return taken().snapshot.partitions().stream()
                .map(PartitionSnapshot::partition)
                .toList();
    }

    /** How many partitions are paused for this reason. */
    double paused(PauseReason reason) {
        return taken().snapshot.partitions().stream()
                .filter(one -> one.pauseReason().equals(Optional.of(reason)))
                .count();
    }

    /** 1 if it is in this state. */
    double isIn(State state) {
        return taken().snapshot.state() == state ? 1 : 0;
    }

    /** 1 if health names this cause. */
    double isNamed(Health.Cause cause) {
        return taken().health.causes().contains(cause) ? 1 : 0;
    }

    /** A cause as {@code laneway check} writes its verdicts. */
    static String verdict(Health.Cause cause) {
        return cause.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The share of the workers' time since the snapshot before. */
    double share(Activity activity) {
        Taken now = taken();
        Utilisation before = now.utilisationBefore;
        Utilisation after = now.snapshot.utilisation();
        double blocked = after.blockedNanos() - before.blockedNanos();
        double busy = after.busyNanos() - before.busyNanos() - blocked;
        double idle = after.idleNanos() - before.idleNanos();
        double all = busy + blocked + idle;
        if (all <= 0) {
            return 0;
        }
        return switch (activity) {
            case BUSY -> busy / all;
            case WAITING -> blocked / all;
            case IDLE -> idle / all;
        };
    }

    /** What workers do. */
    enum Activity {
        BUSY,
        WAITING,
        IDLE
    }

    private static double most(Taken now, LanewayMetric metric) {
        return now.snapshot.partitions().stream()
                .map(one -> value(metric, one, now).orElse(0))
                .max(Comparator.naturalOrder())
                .orElse(0.0);
    }

    private static double sum(Taken now, LanewayMetric metric) {
        return now.snapshot.partitions().stream()
                .mapToDouble(one -> value(metric, one, now).orElse(0))
                .sum();
    }

    private static double seconds(Optional<Duration> age) {
        return age.map(Readings::seconds).orElse(0.0);
    }

    static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }
}
