package dev.laneway.ops.compare;

import dev.laneway.ops.simulate.Controller;
import dev.laneway.ops.simulate.DetailedController;
import dev.laneway.ops.simulate.GroupDetail;
import dev.laneway.ops.simulate.Tick;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The autoscaler of Flink's Kubernetes operator, for one source: true processing rate by busy time as DS2 has it, terms
 * for catching up and for the restart, limits of utilization, and the largest recommendation of an interval before
 * there are fewer. Used by one thread.
 */
final class FlinkParallelism implements DetailedController {
    /** Its defaults. */
    static final Settings USUAL = new Settings(900, 300, 0.7, 0.3, 300, 1_800, 3_600);
    /** The example of its documents; the interval for fewer is the default. */
    static final Settings EXAMPLE = new Settings(300, 60, 0.6, 0.2, 120, 300, 3_600);

    private static final double LOOK_SECONDS = 30;
    private static final double DOWN_FACTOR = 0.6;
    /** Lag in seconds above which none is removed. */
    private static final double BACKLOG_SECONDS = 300;
    /** Lag in seconds above which the rate that is seen may count, and by how much the other one must be larger. */
    private static final double OBSERVED_SECONDS = 30;

    private static final double OBSERVED_EXCESS = 0.15;

    private final Settings settings;
    private final Readings readings;
    private final Deque<Wish> wishes = new ArrayDeque<>();
    private double settledAt = Double.NaN;
    private int settledMembers;
    private double lowSince = Double.NaN;

    /** Times in seconds, shares from 0 to 1. */
    record Settings(
            double window,
            double stabilization,
            double target,
            double boundary,
            double restart,
            double catchUp,
            double downInterval) {}

    private record Wish(double seconds, int members) {}

    FlinkParallelism(Settings settings) {
        this.settings = settings;
        readings = new Readings(settings.window);
    }

    @Override
    public Controller.Decision decide(Tick tick, GroupDetail detail) {
        readings.add(tick, detail);
        int members = tick.requestedMembers();
        if (tick.isMoving() || tick.members() != members || members != settledMembers) {
            settledMembers = tick.members();
            settledAt = tick.seconds();
            readings.restart(); // Metrics of another parallelism are dropped.
        }
        boolean isStable = tick.seconds() - settledAt >= settings.stabilization + settings.window;
        if (!Clock.strikes(tick, LOOK_SECONDS) || !isStable) {
            return new Controller.Decision(members, tick.concurrency());
        }
        int wished = wished(members, readings.over(settings.window));
        return new Controller.Decision(patient(tick.seconds(), members, wished), tick.concurrency());
    }

    /** What the load needs; as many as there are while utilization is within its limits. */
    private int wished(int members, Readings.Rates rates) {
        double append = Math.max(0, rates.process() + rates.allGrown() / Math.max(1, rates.seconds()));
        double lag = rates.allLag();
        if (rates.process() <= 0) {
            return members;
        }
        double busy = Math.clamp(rates.busiest(), 0.01, 1);
        double rate = rates.process() / busy;
        double lagSeconds = lag / rates.process();
        if (lagSeconds > OBSERVED_SECONDS
                && append > rates.process()
                && rate > rates.process() * (1 + OBSERVED_EXCESS)) {
            rate = rates.process();
        }
        boolean isBehind = lagSeconds > BACKLOG_SECONDS;
        double most = isBehind ? 1 : Math.min(1, settings.target + settings.boundary);
        double least = isBehind ? 0 : settings.target - settings.boundary;
        double upper = least <= 0 ? Double.POSITIVE_INFINITY : capacity(append, lag, least, settings.restart);
        if (rate >= capacity(append, lag, most, 0) && rate <= upper) {
            return members;
        }
        double need = capacity(append, lag, settings.target, settings.restart);
        int exact = (int) Math.ceil(members * Math.max(need / rate, 1 - DOWN_FACTOR) - 1e-9);
        return aligned(Math.clamp(exact, 1, LoadCases.MOST_MEMBERS));
    }

    private double capacity(double append, double lag, double busy, double restart) {
        return lag / settings.catchUp + append * restart / settings.catchUp + append / busy;
    }

    /** The first number from here on with which the fullest member has fewer partitions. */
    private static int aligned(int members) {
        int load = Math.ceilDiv(LoadCases.PARTITIONS, members);
        int least = Math.ceilDiv(LoadCases.PARTITIONS, load);
        return least >= members || load == 1 ? least : Math.ceilDiv(LoadCases.PARTITIONS, load - 1);
    }

    private int patient(double seconds, int members, int wished) {
        if (wished >= members) {
            wishes.clear();
            lowSince = Double.NaN;
            return wished;
        }
        wishes.addLast(new Wish(seconds, wished));
        if (Double.isNaN(lowSince)) {
            lowSince = seconds;
        }
        if (seconds - lowSince < settings.downInterval) {
            return members;
        }
        int largest = wishes.stream().mapToInt(Wish::members).max().orElse(members);
        wishes.clear();
        lowSince = Double.NaN;
        return largest;
    }
}
