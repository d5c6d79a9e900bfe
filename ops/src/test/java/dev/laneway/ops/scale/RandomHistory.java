package dev.laneway.ops.scale;

import dev.laneway.ops.check.Cause;
import dev.laneway.ops.check.CheckResult.Outcome;
import dev.laneway.ops.check.Confidence;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A group whose load, members, clock and measurements go as they like: mostly as in production, sometimes as in no
 * production. What is asked for comes sooner or later, or never.
 */
final class RandomHistory {
    private static final List<ScalingPolicy> POLICIES = policies();

    private final SplittableRandom random;
    final ScalingPolicy policy;

    private long at;
    private GroupShape shape;
    private @Nullable GroupShape coming;
    private double append;
    private double perMember;
    private double lag;
    private int partitions;
    private @Nullable RestoreLoad restore;
    private boolean isWild;

    RandomHistory(long seed) {
        random = new SplittableRandom(seed);
        policy = POLICIES.get(random.nextInt(POLICIES.size()));
        at = Given.START + random.nextLong(604_800_000);
        partitions = 1 << random.nextInt(7);
        shape = new GroupShape(
                random.nextInt(1, 24),
                random.nextInt(3) == 0 ? random.nextInt(1, 64) : 0,
                random.nextInt(3) == 0 ? random.nextInt(1, 5) : 0,
                random.nextInt(2) == 0 ? random.nextInt(1, 5) : 0,
                random.nextInt(2) == 0 ? 1_000_000_000L : 0);
        perMember = 10 + random.nextInt(1_000);
        append = shape.members() * perMember * random.nextDouble();
        restore = random.nextInt(3) == 0
                ? new RestoreLoad(
                        random.nextInt(64), random.nextInt(3), random.nextInt(3), random.nextInt(60), random.nextInt(9))
                : null;
        isWild = random.nextInt(4) == 0;
    }

    private static List<ScalingPolicy> policies() {
        SplittableRandom random = new SplittableRandom(32);
        List<ScalingPolicy> policies = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            int min = random.nextInt(1, 5);
            int max = min + random.nextInt(20);
            Map<String, String> given = new HashMap<>();
            given.put("replicas.min", "" + min);
            given.put("replicas.max", "" + max);
            given.put("cool.down.seconds", "" + random.nextInt(10, 300));
            given.put("stabilization.seconds", "" + random.nextInt(60));
            given.put("cool.down.restarts", "" + Math.max(0, random.nextInt(6) - 3));
            given.put("down.interval.restarts", "" + Math.max(0, random.nextInt(6) - 3));
            given.put("restart.seconds", "" + random.nextInt(100));
            given.put("down.interval.seconds", "" + random.nextInt(20, 400));
            given.put("stale.seconds", "" + random.nextInt(5, 90));
            given.put("arrival.seconds", "" + random.nextInt(30, 300));
            given.put("catching.up.lag.seconds", "" + random.nextInt(100));
            given.put("step.up", "" + random.nextInt(1, 6));
            given.put("step.down.share", "" + random.nextInt(10) / 10.0);
            given.put("align", "" + random.nextInt(2));
            given.put("catch.up.seconds", "" + random.nextInt(30, 2_000));
            given.put("freeze.seconds", "" + random.nextInt(100, 2_000));
            given.put("effect.steps", "" + random.nextInt(1, 3));
            given.put("concurrency.max", "" + random.nextInt(2) * 40);
            given.put("threads.max", "" + random.nextInt(2) * 4);
            given.put("cores.max", "" + random.nextInt(2) * 4);
            given.put("memory.max.bytes", "" + random.nextInt(2) * 3_000_000_000L);
            given.put("quota.cores", "" + random.nextInt(2) * 30);
            given.put("latency.goal.seconds", "" + (random.nextInt(3) == 0 ? random.nextInt(1, 60) : 0));
            if (random.nextInt(4) == 0) {
                given.put("schedule.a", "*/30 * * * * | 10m | " + min + ".." + (min + (max - min) / 2));
                given.put("schedule.b", "0 */2 * * * | 50m | " + (min + (max - min) / 2) + ".." + max);
            }
            if (random.nextInt(4) == 0) {
                given.put("excluded.x", "7-59/20 * * * * | 5m");
            }
            policies.add(ScalingPolicy.of(given));
        }
        return policies;
    }

    private boolean oneIn(int many) {
        return random.nextInt(many) == 0;
    }

    /** The metrics of the next moment. */
    ScalingMetrics next() {
        long passed = oneIn(40) ? random.nextLong(2_000_000) : oneIn(25) ? 0 : random.nextLong(1_000, 40_000);
        at += oneIn(60) ? -random.nextLong(3_000_000) : passed;
        arrive();
        move(passed / 1_000.0);
        double process = Math.min(shape.members() * perMember, append + lag / 10);
        Double busy = oneIn(20) ? null : share(process / Math.max(1e-9, shape.members() * perMember));
        List<SourceLoad> sources = new ArrayList<>();
        if (oneIn(3)) {
            sources.add(new SourceLoad("a", partitions, lag / 2, append / 2, process / 2, null, Map.of(), null, null));
            sources.add(new SourceLoad(
                    "b", partitions, lag / 2, append / 2, process / 2, null, Map.of("a", 1.0), null, null));
        } else {
            sources.add(SourceLoad.of("a", isWild && oneIn(9) ? 0 : partitions, lag, append, process));
        }
        if (isWild && oneIn(8)) {
            sources.set(0, SourceLoad.of("w", partitions, wild(), wild(), wild()));
        }
        boolean isWaitKnown = !oneIn(4);
        for (int i = 0; i < sources.size() && isWaitKnown; i++) {
            SourceLoad source = sources.get(i).withLongestWait(isWild && oneIn(12) ? wild() : random.nextDouble(60));
            sources.set(i, oneIn(5) ? source.withRisenRate(isWild && oneIn(9) ? wild() : append * 1.5) : source);
        }
        long measured = oneIn(12) ? at - random.nextLong(-200_000, 200_000) : at - random.nextLong(4_000);
        ScalingMetrics metrics = ScalingMetrics.of(at, shape, sources, isWild && oneIn(12) ? (Double) wild() : busy)
                .measuredAt(measured)
                .withMeanBusyShare(busy == null || oneIn(4) ? null : (Double) (busy * random.nextDouble()))
                .withRising(oneIn(20))
                .withSettled(!oneIn(25), oneIn(25))
                .withRestore(restore)
                .withPressure(oneIn(3) ? null : random.nextDouble(), oneIn(3) ? null : 0.5 + random.nextDouble());
        return oneIn(6) ? metrics.withVerdict(verdict()) : metrics;
    }

    private double share(double share) {
        return Math.clamp(share, 0, 1);
    }

    private double wild() {
        double[] values = {0, -1, Double.NaN, Double.POSITIVE_INFINITY, 1e-300, 1e15, 1e300, 1, 0.5, 1e6};
        return values[random.nextInt(values.length)];
    }

    private ScalingVerdict verdict() {
        Cause[] causes = Cause.values();
        Confidence[] confidences = Confidence.values();
        Outcome[] outcomes = {Outcome.LIMITED, Outcome.LIMITED, Outcome.HEALTHY, Outcome.UNKNOWN, Outcome.BROKEN};
        return new ScalingVerdict(
                outcomes[random.nextInt(outcomes.length)],
                oneIn(5) ? null : causes[random.nextInt(causes.length)],
                "Do it.",
                confidences[random.nextInt(confidences.length)]);
    }

    private void arrive() {
        if (coming != null && oneIn(2)) {
            shape = coming;
            coming = null;
        }
        if (oneIn(50)) {
            shape = shape.withMembers(random.nextInt(isWild ? 40 : 20) + (isWild ? 0 : 1));
        }
    }

    private void move(double seconds) {
        if (oneIn(30)) {
            append = random.nextInt(1, 24) * perMember * random.nextDouble();
        }
        if (oneIn(60)) {
            perMember *= 0.3 + random.nextDouble();
        }
        append *= 0.95 + 0.1 * random.nextDouble();
        lag = oneIn(60)
                ? random.nextInt(1_000_000)
                : Math.max(0, lag + (append - shape.members() * perMember) * Math.min(60, seconds));
    }

    /** What was decided comes, or does not. */
    void apply(Decision decision) {
        if (decision.isChange() && !oneIn(10)) {
            coming = decision.to();
        }
    }
}
