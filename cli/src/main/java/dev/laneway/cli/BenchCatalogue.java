package dev.laneway.cli;

import dev.laneway.Ordering;
import dev.laneway.cli.BenchFigure.Kind;
import dev.laneway.cli.BenchFigure.Target;
import dev.laneway.cli.BenchFigure.Unit;
import java.util.ArrayList;
import java.util.List;

/** What is measured, how often, and what is to be reached. docs/benchmarks.md says why. Immutable. */
final class BenchCatalogue {
    private static final double JOIN_SECONDS = 0.5;

    private final BenchPlan plan;

    BenchCatalogue(BenchPlan plan) {
        this.plan = plan;
    }

    /** Those that run on a cluster. */
    List<BenchSeries> on(BenchBed bed) {
        List<BenchSeries> all = new ArrayList<>();
        if (plan.has(BenchPart.P1)) {
            all.add(againstTheLoop(bed, BenchTopic.T512, 6));
            all.add(againstTheLoop(bed, BenchTopic.T100, 3));
        }
        if (plan.has(BenchPart.P2)) {
            all.add(hotKey(bed));
        }
        if (plan.has(BenchPart.P3)) {
            all.add(share(bed, BenchTopic.K100, 100));
            all.add(share(bed, BenchTopic.T1K, 1_000));
        }
        if (plan.has(BenchPart.P4)) {
            all.add(manyWaiting(bed));
        }
        return all;
    }

    private BenchSeries againstTheLoop(BenchBed bed, BenchTopic topic, int warmUp) {
        String id = "p1-" + topic.label() + "-";
        String what = "no-op, " + topic.label() + ": ";
        double slowest = topic.records(plan.scale()) / 600_000.0;
        return new BenchSeries(
                "p1 " + topic.label(),
                plan.warmUp(warmUp),
                plan.measured(7),
                4 * (slowest + JOIN_SECONDS),
                List.of(
                        new Kind(id + "bare", "bare", what + "bare poll loop", Unit.RATE, null),
                        new Kind(id + "key", "key", what + "KEY / bare", Unit.RATIO, new Target(0.75, 0.95)),
                        new Kind(
                                id + "unordered",
                                "unordered",
                                what + "UNORDERED / bare",
                                Unit.RATIO,
                                new Target(0.8, 0.95)),
                        new Kind(
                                id + "partition",
                                "partition",
                                what + "PARTITION / bare",
                                Unit.RATIO,
                                new Target(0.9, 0.95))),
                () -> {
                    double bare = bed.loop(topic).rate();
                    return new double[] {
                        bare,
                        bed.noop(topic, Ordering.KEY).rate() / bare,
                        bed.noop(topic, Ordering.UNORDERED).rate() / bare,
                        bed.noop(topic, Ordering.PARTITION).rate() / bare
                    };
                });
    }

    private BenchSeries hotKey(BenchBed bed) {
        return new BenchSeries(
                "p2 hot key",
                plan.warmUp(2),
                plan.measured(5),
                BenchTopic.HOT.records(plan.scale()) / 500_000.0 + JOIN_SECONDS,
                List.of(new Kind(
                        "p2-hot-key", "key", "no-op, one hot key: KEY", Unit.RATE, new Target(200_000, 1_000_000))),
                () -> new double[] {bed.noop(BenchTopic.HOT, Ordering.KEY).rate()});
    }

    private BenchSeries share(BenchBed bed, BenchTopic topic, int concurrency) {
        double little = Math.min(concurrency, topic.keys()) / (BenchPlan.WORK.toNanos() / 1e9);
        return new BenchSeries(
                "p3 concurrency " + concurrency,
                plan.warmUp(1),
                plan.measured(3),
                topic.records(plan.scale()) / little + JOIN_SECONDS,
                List.of(new Kind(
                        "p3-" + concurrency,
                        "share",
                        "10 ms, " + Text.count(topic.keys()) + " keys x " + Text.count(concurrency)
                                + ": share of Little's law",
                        Unit.RATIO,
                        new Target(0.95, 0.99))),
                () -> new double[] {
                    bed.waiting(topic, concurrency, BenchPlan.WORK).workedRate() / little
                });
    }

    private BenchSeries manyWaiting(BenchBed bed) {
        int concurrency = 10_000;
        return new BenchSeries(
                "p4 concurrency " + concurrency,
                plan.warmUp(1),
                plan.measured(5),
                BenchTopic.T10K.records(plan.scale()) / 500_000.0 + JOIN_SECONDS,
                List.of(new Kind(
                        "p4-" + concurrency,
                        "key",
                        "10 ms, 100,000 keys x 10,000: KEY",
                        Unit.RATE,
                        new Target(500_000, 900_000))),
                () -> new double[] {
                    bed.waiting(BenchTopic.T10K, concurrency, BenchPlan.WORK).rate()
                });
    }

    /** The one that needs no cluster. */
    BenchSeries cost(BenchRun run) {
        BenchCost cost = new BenchCost(run, plan.replayed());
        return new BenchSeries(
                "p6 engine's own cost",
                plan.warmUp(3),
                plan.measured(7),
                plan.replayed() / 500_000.0,
                List.of(
                        new Kind("p6-cpu", "CPU", "own CPU a record, byte[]", Unit.NANOS, new Target(1_000, 300)),
                        new Kind("p6-bytes", "allocated", "own allocation, byte[]", Unit.BYTES, new Target(300, 100)),
                        new Kind("p6-cpu-string", "String: CPU", "own CPU a record, String", Unit.NANOS, null),
                        new Kind("p6-bytes-string", "String: allocated", "own allocation, String", Unit.BYTES, null)),
                cost::round);
    }
}
