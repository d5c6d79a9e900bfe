package dev.laneway.ops.control;

import dev.laneway.ops.check.Cause;
import dev.laneway.ops.check.GroupCheck;
import dev.laneway.ops.check.Thresholds;
import dev.laneway.ops.observe.HostSource;
import dev.laneway.ops.observe.JmxSource;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.PrometheusSource;
import dev.laneway.ops.observe.Source;
import dev.laneway.ops.observe.Watch;
import dev.laneway.ops.scale.GroupShape;
import dev.laneway.ops.scale.ScalingMetrics;
import dev.laneway.ops.scale.ScalingVerdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Measures with what {@code laneway check} watches: brokers for load and members, processes for how busy they are, and
 * the check's verdict on all of it. Rates are those of a window. Used by one thread.
 */
public final class WatchMeter implements GroupMeter {
    /** A check needs to see more than the rates' window. */
    private static final int WINDOWS_KEPT = 2;

    private static final double LEAST_SHARE = 1.0 / 3;
    /** If the machine's clock moves so much against the other one, it was set. */
    private static final long LEAP_MILLIS = 2_000;

    private static final long MILLI = 1_000_000;
    /** The source that tells of the group. */
    private static final String ADMIN = "admin";

    private final Watch watch;
    private final Settings settings;
    private final Supplier<Set<String>> endpoints;
    private final LoopClock clock;
    private final Map<String, List<Source>> followed = new HashMap<>();
    private final ExpectedRebalances expected;

    private @Nullable Long offsetMillis;
    private @Nullable ScalingMetrics latest;
    private long latestNanos;

    /**
     * What does not change. Immutable.
     *
     * @param window of rates
     * @param thresholds of the check
     */
    public record Settings(Duration window, Thresholds thresholds) {}

    /**
     * @param watch of the group and of processes that are always watched; is closed with this
     * @param endpoints asked each time: where members tell their metrics as Prometheus text
     */
    public WatchMeter(Watch watch, Settings settings, Supplier<Set<String>> endpoints, LoopClock clock) {
        this.watch = watch;
        this.endpoints = endpoints;
        this.settings = settings;
        this.clock = clock;
        expected = new ExpectedRebalances(WINDOWS_KEPT * settings.window().toNanos());
    }

    @Override
    public void changed() {
        expected.changed(clock.nanos());
    }

    @Override
    public Reading read(ActorView view) {
        follow(view);
        forget();
        long startNanos = clock.nanos();
        long startMillis = clock.millis();
        watch.round();
        List<String> troubles = new ArrayList<>();
        watch.failures().forEach((source, why) -> troubles.add(why.startsWith(source) ? why : source + ": " + why));
        Observations seen = watch.observations();
        double window = settings.window().toNanos() / 1e9;
        LoadReading load = LoadReading.of(seen, window, window * LEAST_SHARE);
        boolean isNew = !watch.failures().containsKey(ADMIN);
        if (load.problem() != null) {
            troubles.add(load.problem());
        } else if (isNew && (view.members() != null || view.standby() == null)) {
            latest = metrics(seen, load, view, startMillis);
            latestNanos = startNanos;
        }
        return new Reading(latest, clock.nanos() - latestNanos, troubles);
    }

    private ScalingMetrics metrics(Observations seen, LoadReading load, ActorView view, long startMillis) {
        double window = settings.window().toNanos() / 1e9;
        int processes = view.members() == null ? 0 : view.members();
        int members = view.members() == null ? load.members() : view.members();
        MemberReading busy = MemberReading.of(seen, window, processes, load.members(), startMillis);
        boolean isSettled = load.isStable() && load.members() >= processes && view.isSettled();
        return ScalingMetrics.of(startMillis, GroupShape.of(members), load.sources(), busy.busyShare())
                .withMeanBusyShare(busy.meanShare())
                .withRising(load.isRising())
                .withSettled(isSettled, false)
                .withPressure(busy.cpuShare(), null)
                .withVerdict(verdict(seen, isSettled));
    }

    private @Nullable ScalingVerdict verdict(Observations seen, boolean isSettled) {
        ScalingVerdict verdict = ScalingVerdict.of(GroupCheck.judge(seen, settings.thresholds()));
        boolean isExpected = expected.covers(clock.nanos(), isSettled);
        return isExpected && verdict.cause() == Cause.REBALANCE_STORM ? null : verdict;
    }

    /** Looks into processes that have come, and no longer into those that have gone. */
    private void follow(ActorView view) {
        Map<String, Supplier<List<Source>>> there = new HashMap<>();
        for (long pid : view.pids()) {
            there.put("pid " + pid, () -> List.of(JmxSource.ofPid(pid), HostSource.ofPid(pid)));
        }
        for (String url : endpoints.get()) {
            there.put(url, () -> List.of(PrometheusSource.of(url)));
        }
        if (!followed.keySet().containsAll(there.keySet())) {
            expected.started(clock.nanos());
        }
        for (String key : List.copyOf(followed.keySet())) {
            if (!there.containsKey(key)) {
                followed.getOrDefault(key, List.of()).forEach(watch::remove);
                followed.remove(key);
            }
        }
        there.forEach((key, sources) -> followed.computeIfAbsent(key, _ -> {
            List<Source> made = sources.get();
            made.forEach(watch::add);
            return made;
        }));
    }

    private void forget() {
        long now = clock.millis();
        long offset = now - clock.nanos() / MILLI;
        boolean hasLeapt = offsetMillis != null && Math.abs(offset - offsetMillis) > LEAP_MILLIS;
        offsetMillis = offset;
        // Rates across a leap of the clock would be those of no time.
        watch.forgetBefore(
                hasLeapt
                        ? Long.MAX_VALUE
                        : now - WINDOWS_KEPT * settings.window().toMillis());
    }

    @Override
    public void close() {
        watch.close();
    }
}
