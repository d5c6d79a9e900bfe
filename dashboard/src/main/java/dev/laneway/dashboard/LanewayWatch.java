package dev.laneway.dashboard;

import dev.laneway.Health;
import dev.laneway.Snapshot;
import dev.laneway.ops.check.CheckResult;
import dev.laneway.ops.check.CheckResult.Outcome;
import dev.laneway.ops.check.GroupCheck;
import dev.laneway.ops.check.LanewayPace;
import dev.laneway.ops.check.Thresholds;
import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.LanewaySource;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Sample;
import dev.laneway.ops.observe.Source;
import dev.laneway.ops.observe.Watch;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Watches a consumer of this process as {@code laneway check} does, for ever: remembers what the rules need, and judges
 * at each look unless that takes too much of the time. Used by one thread.
 */
final class LanewayWatch implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    /** The rules look at partitions' latest seconds, and at those of the process for a minute. */
    private static final long PARTITIONS_MILLIS = 30_000;

    private static final long PROCESS_MILLIS = 90_000;
    /** For so long it is known how fast records were done; there it is looked at in larger steps. */
    private static final long PACE_MILLIS = 3_600_000;

    private static final long STEP_MILLIS = 15_000;
    /** Of the time, looking and judging take no more than one part in so many, unless that takes longer than: */
    private static final int SHARE = 20;

    private static final long LONGEST_PAUSE_NANOS = 5_000_000_000L;

    private final String name;
    private final LongSupplier nanos;
    private final Watch watch;
    private final SteadyVerdict verdict = new SteadyVerdict(Verdict.of(
            Outcome.UNKNOWN, "Whether it keeps up cannot be told yet: it is watched for a few seconds first.", ""));
    private List<String> runnersUp = List.of();
    private @Nullable LanewayPace pace;
    private boolean wasStuck;
    private boolean begun;
    private long nextNanos;

    /**
     * @param snapshot what was seen at this look, as {@code health}: so it is taken once for the page and the verdict
     */
    LanewayWatch(Supplier<Snapshot> snapshot, Supplier<Health> health, String name, LongSupplier nanos) {
        this.name = name;
        this.nanos = nanos;
        Source source = new Clocked(LanewaySource.of(name, snapshot, health), nanos);
        this.watch = new Watch(List.of(source), LIMIT, _ -> {});
    }

    /** On a clock that is never set, since rates are differences. */
    private record Clocked(Source source, LongSupplier nanos) implements Source {
        @Override
        public String name() {
            return source.name();
        }

        @Override
        public Sample read(Duration limit) {
            Sample sample = source.read(limit);
            return new Sample(sample.source(), nanos.getAsLong() / 1_000_000, sample.numbers(), sample.texts());
        }

        @Override
        public void close() {
            source.close();
        }
    }

    /**
     * Looks and judges, if it is time to.
     *
     * @param oldestSeconds for how long the oldest record is unfinished: one that has become stuck is judged at once
     */
    void look(double oldestSeconds) {
        long from = nanos.getAsLong();
        LanewayPace before = pace;
        boolean isStuck = before != null && before.isStuck(oldestSeconds);
        boolean isNews = isStuck && !wasStuck;
        wasStuck = isStuck;
        if (begun && !isNews && from - nextNanos < 0) {
            return;
        }
        begun = true;
        watch.round();
        long now = from / 1_000_000;
        watch.forgetBefore(group -> switch (group) {
            case Groups.LANEWAY -> now - PACE_MILLIS;
            case Groups.LANEWAY_PARTITION -> now - PARTITIONS_MILLIS;
            default -> now - PROCESS_MILLIS;
        });
        watch.thinBefore(Groups.LANEWAY, now - PROCESS_MILLIS, STEP_MILLIS);
        Observations seen = watch.observations();
        pace = LanewayPace.of(seen, name, Thresholds.USUAL).orElse(null);
        CheckResult result = GroupCheck.judge(seen, Thresholds.USUAL);
        verdict.found(from / 1e9, verdict(result));
        runnersUp = Verdict.runnersUp(result);
        long until = nanos.getAsLong();
        nextNanos = until + Math.min(LONGEST_PAUSE_NANOS, SHARE * (until - from));
    }

    /** What is to be done if nothing can be told, the page does already: it watches on. */
    private static Verdict verdict(CheckResult result) {
        return result.outcome() == Outcome.UNKNOWN
                ? Verdict.of(
                        Outcome.UNKNOWN,
                        result.sentence(),
                        "",
                        result.evidence().toArray(String[]::new))
                : Verdict.of(result, result.blame());
    }

    Verdict verdict() {
        return verdict.said();
    }

    /** What else was found. */
    List<String> runnersUp() {
        return runnersUp;
    }

    /** Null until it was looked at. */
    @Nullable
    LanewayPace pace() {
        return pace;
    }

    @Override
    public void close() {
        watch.close();
    }
}
