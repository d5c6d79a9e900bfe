package dev.laneway.dashboard;

import dev.laneway.Counters;
import dev.laneway.Health;
import dev.laneway.Laneway;
import dev.laneway.PartitionSnapshot;
import dev.laneway.Snapshot;
import dev.laneway.dashboard.Frame.Row;
import dev.laneway.dashboard.Frame.Totals;
import dev.laneway.ops.LagAge;
import dev.laneway.ops.check.LanewayPace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Shows a consumer of this process, from its snapshots and its health alone, and judges as {@code laneway check} does.
 */
final class LanewayFeed implements Feed {
    private static final double RATES = 5;
    /** Looks of four minutes: ages beyond have a lower bound only. */
    private static final int ENDS = 240;

    private static final int DONES = 8;

    private final Laneway laneway;
    private final String name;
    private final LongSupplier nanos;
    private final LongSupplier millis;
    private final LanewayWatch watch;
    private final Clearing.Estimate lagTrend = new Clearing.Estimate();
    private final Map<TopicPartition, AppendTrail> ends = new HashMap<>();
    private final Map<TopicPartition, AppendTrail> dones = new HashMap<>();
    private final @Nullable RecordWatch records;
    private long pauseNanos = PERIOD_NANOS;
    /** At the present look; the watch reads them, on a thread of its own while this one waits. */
    private volatile @Nullable Snapshot seen;

    private volatile @Nullable Health seenHealth;

    /** @param records null if single records are not watched */
    LanewayFeed(Laneway laneway, String name, @Nullable RecordWatch records) {
        this(laneway, name, records, System::nanoTime, System::currentTimeMillis);
    }

    LanewayFeed(Laneway laneway, String name, @Nullable RecordWatch records, LongSupplier nanos, LongSupplier millis) {
        this.records = records;
        this.laneway = laneway;
        this.name = name;
        this.nanos = nanos;
        this.millis = millis;
        this.watch = new LanewayWatch(
                () -> Objects.requireNonNull(seen), () -> Objects.requireNonNull(seenHealth), name, nanos);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Frame look() {
        double now = nanos.getAsLong() / 1e9;
        Snapshot snapshot = laneway.snapshot();
        Health health = laneway.health();
        seen = snapshot;
        seenHealth = health;
        follow(snapshot, now);
        Long lag = lag(snapshot);
        if (lag != null) {
            lagTrend.add(now, lag);
        }
        double appended = snapshot.partitions().stream()
                .mapToDouble(one -> rate(ends, one, now))
                .sum();
        watch.look(snapshot.partitions().stream()
                .mapToDouble(Holds::unfinished)
                .max()
                .orElse(0));
        LanewayPace pace = watch.pace();
        pauseNanos = Math.min(PERIOD_NANOS, (long) (1e9 * secondsUntilStuck(snapshot, pace)));
        boolean hasRates = pace != null && pace.seconds() > 0;
        List<Row> rows = new ArrayList<>();
        for (PartitionSnapshot one : snapshot.partitions()) {
            rows.add(row(one, pace, now));
        }
        List<String> remarks = new ArrayList<>(health.reasons());
        remarks.addAll(watch.runnersUp());
        Totals totals = new Totals(
                pace == null || !hasRates ? 0 : pace.done() / pace.seconds(),
                appended,
                lag,
                rows.stream()
                        .map(Row::age)
                        .reduce(LagAge.NONE, (one, other) -> other != null && other.low() >= one.low() ? other : one),
                lagTrend.clearing(),
                snapshot.runningWorkers(),
                snapshot.utilisation().workers(),
                pace == null || !hasRates ? null : (Double) pace.busyShare(),
                pace == null || pace.busyShare() == 0 ? null : (Double) pace.waitingShare(),
                snapshot.held(),
                snapshot.bufferRecords(),
                snapshot.heldBytes(),
                snapshot.bufferBytes());
        return new Frame(
                millis.getAsLong(),
                snapshot.state().name(),
                watch.verdict(),
                totals,
                counters(snapshot.counters()),
                rows,
                List.of(),
                remarks,
                records == null ? Frame.Details.NONE : records.details());
    }

    /** When the next record will be stuck unless it ends before; infinity if none is under way. */
    private static double secondsUntilStuck(Snapshot snapshot, @Nullable LanewayPace pace) {
        return pace == null
                ? Double.POSITIVE_INFINITY
                : snapshot.partitions().stream()
                        .filter(one -> Holds.unfinished(one) > 0 && !Holds.isStuck(one, pace))
                        .mapToDouble(one -> pace.stuckSeconds() - Holds.unfinished(one))
                        .filter(left -> left >= 0)
                        .min()
                        .orElse(Double.POSITIVE_INFINITY);
    }

    @Override
    public long pauseNanos() {
        return pauseNanos;
    }

    private void follow(Snapshot snapshot, double now) {
        Map<TopicPartition, AppendTrail> oldEnds = new HashMap<>(ends);
        Map<TopicPartition, AppendTrail> oldDones = new HashMap<>(dones);
        ends.clear();
        dones.clear();
        for (PartitionSnapshot one : snapshot.partitions()) {
            AppendTrail end = oldEnds.computeIfAbsent(one.partition(), _ -> new AppendTrail(ENDS));
            one.lag().ifPresent(lag -> end.add(now, one.committable() + lag));
            ends.put(one.partition(), end);
            AppendTrail done = oldDones.computeIfAbsent(one.partition(), _ -> new AppendTrail(DONES));
            done.add(now, one.committable());
            dones.put(one.partition(), done);
        }
    }

    private static double rate(Map<TopicPartition, AppendTrail> trails, PartitionSnapshot one, double now) {
        AppendTrail trail = trails.get(one.partition());
        return trail == null ? 0 : trail.rate(now, RATES);
    }

    private @Nullable LagAge age(PartitionSnapshot one, double now) {
        AppendTrail trail = ends.get(one.partition());
        return trail == null || one.lag().isEmpty() ? null : trail.age(now, one.committable());
    }

    /** Null if it is not known of any partition. */
    private static @Nullable Long lag(Snapshot snapshot) {
        long sum = 0;
        boolean known = false;
        for (PartitionSnapshot one : snapshot.partitions()) {
            known |= one.lag().isPresent();
            sum += one.lag().orElse(0);
        }
        return known ? (Long) sum : null;
    }

    private Row row(PartitionSnapshot one, @Nullable LanewayPace pace, double now) {
        Holds.Held held = Holds.of(one, pace);
        return new Row(
                one.partition().toString(),
                boxed(one.lag()),
                age(one, now),
                rate(dones, one, now),
                rate(ends, one, now),
                held.hold(),
                held.why(),
                boxed(one.committed()),
                boxed(one.oldestOffset()),
                one.oldestAge().map(age -> age.toMillis() / 1e3).orElse(null),
                one.lanes(),
                one.inFlight(),
                one.held(),
                one.spilledKeys(),
                one.spilledRecords(),
                null,
                one.pausedByUser());
    }

    private static @Nullable Long boxed(OptionalLong value) {
        return value.isPresent() ? (Long) value.getAsLong() : null;
    }

    private static Map<String, Long> counters(Counters counters) {
        Map<String, Long> named = new LinkedHashMap<>();
        named.put("processed", counters.processed());
        named.put("failedAttempts", counters.failedAttempts());
        named.put("retries", counters.retries());
        named.put("skipped", counters.skipped());
        named.put("deadLettered", counters.deadLettered());
        named.put("emitted", counters.emitted());
        named.put("late", counters.late());
        named.put("dropped", counters.dropped());
        named.put("commits", counters.commits());
        named.put("failedCommits", counters.failedCommits());
        named.put("archived", counters.archived());
        named.put("lost", counters.lost());
        named.put("rebalances", counters.rebalances());
        named.put("workersStarted", counters.workersStarted());
        return named;
    }

    /** The consumer stays its owner's. */
    @Override
    public void close() {
        watch.close();
    }
}
