package dev.laneway.testkit.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What goes wrong in a simulation, and when: scripted ("the third commit fails"), seeded ("one fetch in a hundred is
 * lost") or at a time ("the broker is away from second 5 to second 7").
 *
 * <pre>{@code
 * sim.faults().on(SimOp.COMMIT, 3, Action.fail(CoordinatorLoadInProgressException::new));
 * sim.faults().on(SimOp.COMMIT, 4, Action.delay(Duration.ofSeconds(2)));
 * sim.faults().randomly(SimOp.PRODUCE, 0.01, Action.loseResponse());
 * sim.faults().outage(Duration.ofSeconds(5), Duration.ofSeconds(2));
 * }</pre>
 *
 * <p>{@link #heal()} ends all faults, so that a test can then check that everything completes. Thread contract: the
 * simulation's.
 */
public final class Faults {
    private final SimClock clock;
    private final SimTrace trace;
    private final SplittableRandom random;
    private final Map<SimOp, Long> counts = new EnumMap<>(SimOp.class);
    private final List<Scripted> scripted = new ArrayList<>();
    private final List<Seeded> seeded = new ArrayList<>();
    private final List<SimTimer> timed = new ArrayList<>();
    private long minLatencyNanos;
    private long maxLatencyNanos;
    private @Nullable SimBroker broker;

    private record Scripted(SimOp op, long call, Action action) {}

    private record Seeded(SimOp op, double probability, Action action) {}

    Faults(SimClock clock, SimTrace trace, SplittableRandom random) {
        this.clock = clock;
        this.trace = trace;
        this.random = random;
    }

    void attach(SimBroker cluster) {
        this.broker = cluster;
    }

    /** What happens to one call. Immutable. */
    public sealed interface Action {
        /** The broker answers with this error and does nothing else. */
        static Action fail(Supplier<? extends RuntimeException> error) {
            return new Fail(error, false);
        }

        /** The broker does what it was asked, but the caller gets this error. */
        static Action failAfterwards(Supplier<? extends RuntimeException> error) {
            return new Fail(error, true);
        }

        /** The request, and later ones of the same connection, reach the broker later, in order. */
        static Action delay(Duration by) {
            return new Delay(SimTimes.nanos(by));
        }

        /** The request never reaches the broker. The client gives up after its {@code request.timeout.ms}. */
        static Action loseRequest() {
            return new Lose(false, false);
        }

        /**
         * The broker does what it was asked, but its answer is lost. The client gives up after its
         * {@code request.timeout.ms}.
         */
        static Action loseResponse() {
            return new Lose(true, false);
        }

        /** Nothing happens, and the caller gets no answer, not even a timeout; no real client behaves so. */
        static Action swallow() {
            return new Lose(false, true);
        }

        /** As {@link #swallow()}, but the broker does what it was asked. */
        static Action swallowResponse() {
            return new Lose(true, true);
        }
    }

    record Fail(Supplier<? extends RuntimeException> error, boolean applied) implements Action {}

    record Delay(long nanos) implements Action {}

    record Lose(boolean applied, boolean forEver) implements Action {}

    /**
     * Does this to one call of this kind, by number: from 1 on, over all clients of the cluster since the start of the
     * simulation.
     *
     * @throws IllegalArgumentException if {@code call} is less than 1
     */
    public Faults on(SimOp op, long call, Action action) {
        if (call < 1) {
            throw new IllegalArgumentException("call is " + call + ", but calls are counted from 1");
        }
        scripted.add(new Scripted(op, call, Objects.requireNonNull(action)));
        return this;
    }

    /** Does this to the next call of its kind. */
    public Faults next(SimOp op, Action action) {
        return on(op, calls(op) + 1, action);
    }

    /**
     * Does this to each call of its kind with the given probability.
     *
     * @throws IllegalArgumentException if the probability is not between 0 and 1
     */
    public Faults randomly(SimOp op, double probability, Action action) {
        if (!(probability >= 0 && probability <= 1)) {
            throw new IllegalArgumentException("probability is " + probability + ", but it must be between 0 and 1");
        }
        seeded.add(new Seeded(op, probability, Objects.requireNonNull(action)));
        return this;
    }

    /** How often this has been called so far. */
    public long calls(SimOp op) {
        return counts.getOrDefault(op, 0L);
    }

    /**
     * The time that each request and each answer takes, drawn evenly between the two limits. Zero by default.
     *
     * @throws IllegalArgumentException if the limits are negative or in the wrong order
     */
    public Faults latency(Duration min, Duration max) {
        if (min.isNegative() || max.compareTo(min) < 0) {
            throw new IllegalArgumentException("latency is " + min + " to " + max + ", but it must be 0 <= min <= max");
        }
        minLatencyNanos = SimTimes.nanos(min);
        maxLatencyNanos = SimTimes.nanos(max);
        return this;
    }

    /** Runs something once, after the given time, unless {@link #heal()} comes first. */
    public Faults after(Duration delay, Runnable action) {
        timed.add(clock.schedule(delay, action));
        return this;
    }

    /**
     * Runs something repeatedly, at random intervals with the given mean, until {@link #heal()}.
     *
     * @throws IllegalArgumentException if the mean is not positive
     */
    public Faults repeatedly(Duration mean, Runnable action) {
        long meanNanos = SimTimes.nanos(mean);
        if (meanNanos <= 0) {
            throw new IllegalArgumentException("mean is " + mean + ", but it must be positive");
        }
        // An even distribution over (0, 2 mean]: it has this mean and an upper bound.
        long delay = 1 + random.nextLong(2 * meanNanos);
        timed.removeIf(timer -> !timer.isPending());
        timed.add(clock.schedule(delay, () -> {
            action.run();
            repeatedly(mean, action);
        }));
        return this;
    }

    /** The cluster does not answer for a while. */
    public Faults outage(Duration start, Duration length) {
        return after(start, () -> away(length));
    }

    /** Outages at random times. */
    public Faults randomOutages(Duration mean, Duration length) {
        return repeatedly(mean, () -> away(length));
    }

    /** Makes a group rebalance at random times, as if a member had joined or changed its subscription. */
    public Faults randomRebalances(String group, Duration mean) {
        return repeatedly(mean, () -> cluster().rebalance(group));
    }

    /** Throws a random member out of its group at random times, as if its session had timed out. */
    public Faults randomEvictions(String group, Duration mean) {
        return repeatedly(mean, () -> {
            List<String> members = cluster().members(group);
            if (!members.isEmpty()) {
                cluster().evict(group, members.get(random.nextInt(members.size())));
            }
        });
    }

    /** The wall clock jumps at random times by up to the given amount, forward or back. */
    public Faults randomClockJumps(Duration mean, Duration most) {
        long millis = most.toMillis();
        return repeatedly(mean, () -> clock.jumpWallClock(Duration.ofMillis(random.nextLong(2 * millis + 1) - millis)));
    }

    /** Ends all faults: scripts, probabilities, latency and scheduled ones. A cluster that is down comes back. */
    public void heal() {
        scripted.clear();
        seeded.clear();
        timed.forEach(SimTimer::cancel);
        timed.clear();
        minLatencyNanos = 0;
        maxLatencyNanos = 0;
        cluster().up();
        trace.event("heal");
    }

    private void away(Duration length) {
        cluster().down();
        // Not through after(): heal() brings the cluster back by itself.
        clock.schedule(length, cluster()::up);
    }

    private SimBroker cluster() {
        return Objects.requireNonNull(broker, "faults are attached to a cluster by Simulation");
    }

    long latencyNanos() {
        return maxLatencyNanos == minLatencyNanos
                ? minLatencyNanos
                : minLatencyNanos + random.nextLong(maxLatencyNanos - minLatencyNanos + 1);
    }

    /** Counts a call and decides what happens to it; null for nothing. Scripts precede probabilities. */
    @Nullable
    Action decide(SimOp op) {
        long call = calls(op) + 1;
        counts.put(op, call);
        Action chosen = null;
        for (int i = 0; i < scripted.size(); i++) {
            Scripted script = scripted.get(i);
            if (script.op == op && script.call == call) {
                scripted.remove(i);
                chosen = script.action;
                break;
            }
        }
        for (int i = 0; chosen == null && i < seeded.size(); i++) {
            Seeded chance = seeded.get(i);
            if (chance.op == op && random.nextDouble() < chance.probability) {
                chosen = chance.action;
            }
        }
        if (chosen != null) {
            trace.event("fault", op, call, chosen.getClass().getSimpleName());
        }
        return chosen;
    }
}
