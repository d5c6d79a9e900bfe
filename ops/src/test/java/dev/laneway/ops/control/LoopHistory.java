package dev.laneway.ops.control;

import dev.laneway.ops.scale.GroupShape;
import dev.laneway.ops.scale.LogEntry;
import dev.laneway.ops.scale.ScalingMetrics;
import dev.laneway.ops.scale.ScalingPolicy;
import dev.laneway.ops.scale.SourceLoad;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * An autoscaler's life at random: loads that come and go, members that do not, clocks that are set, measurements that
 * stop, logs that are full, actors that refuse, switches, and autoscalers that are killed and start again. Keeps what
 * was done that must not be. Used for one history.
 */
final class LoopHistory implements GroupMeter, ScalingActor {
    private static final long START = 1_790_000_000_000L;
    private static final List<ScalingMode> MODES =
            List.of(ScalingMode.ACT, ScalingMode.ACT, ScalingMode.ACT, ScalingMode.OBSERVE, ScalingMode.RECOMMEND);

    final List<String> broken = new ArrayList<>();
    int changes;

    private final SplittableRandom random;
    private final SetClock clock = new SetClock(START);
    private final int least;
    private final int most;
    private final long coolDown;
    private final long stale;
    private final ScalingPolicy policy;

    private ScalingMode mode = ScalingMode.ACT;
    private @Nullable LogEntry written;
    private boolean isFull;
    private boolean isStopped;
    private boolean isStandby;
    private int members;
    private double load;
    private double lag;
    private @Nullable ScalingMetrics measured;
    private long measuredNanos;
    private @Nullable Long changedNanos;

    LoopHistory(long seed) {
        random = new SplittableRandom(seed);
        least = random.nextInt(1, 4);
        most = least + random.nextInt(12);
        coolDown = random.nextLong(20, 200);
        stale = random.nextLong(5, 60);
        policy = ScalingPolicy.of(Map.of(
                "replicas.min", "" + least,
                "replicas.max", "" + most,
                "cool.down.seconds", "" + coolDown,
                "stale.seconds", "" + stale,
                "stabilization.seconds", "" + random.nextInt(20),
                "down.interval.seconds", "" + random.nextInt(20, 120),
                "arrival.seconds", "" + random.nextInt(20, 120),
                "step.down.share", "1",
                "cool.down.restarts", "0",
                "down.interval.restarts", "" + random.nextInt(2)));
        members = random.nextInt(1, 16);
        load = random.nextInt(1, 1_600);
    }

    private boolean oneIn(int many) {
        return random.nextInt(many) == 0;
    }

    void live(int turns) {
        ScalingLoop loop = begin();
        for (int i = 0; i < turns; i++) {
            clock.pass(oneIn(12) ? random.nextLong(400_000) : random.nextLong(1_000, 20_000));
            if (oneIn(15)) {
                clock.leap(random.nextLong(-4_000_000, 4_000_000));
            }
            if (oneIn(20)) {
                load = random.nextInt(1, 1_600);
            }
            if (oneIn(25)) {
                members = random.nextInt(0, 20);
            }
            isFull = oneIn(10);
            isStopped = oneIn(10);
            isStandby = oneIn(10);
            if (oneIn(20)) {
                mode = MODES.get(random.nextInt(MODES.size()));
                loop = begin();
            }
            loop.turn();
        }
    }

    private ScalingLoop begin() {
        return new ScalingLoop(
                new ScalingLoop.Settings("shop", mode, policy, () -> isStopped ? "it is stopped" : null),
                this,
                this,
                this::write,
                clock,
                LoopStart.of(written, mode, clock.millis()));
    }

    private boolean write(LogEntry entry) {
        if (!isFull) {
            written = entry;
        }
        return !isFull;
    }

    @Override
    public Reading read(ActorView view) {
        double done = Math.min(members * 100.0, load + lag / 10);
        lag = Math.max(0, lag + (load - members * 100.0) * 10);
        if (!oneIn(6)) {
            Double busy = oneIn(9) || members == 0 ? null : (Double) Math.min(1, done / (members * 100.0));
            measured = ScalingMetrics.of(
                            clock.millis(),
                            GroupShape.of(members),
                            List.of(SourceLoad.of("orders", 32, lag, load, done)),
                            busy)
                    .withSettled(!oneIn(20), false);
            measuredNanos = clock.nanos();
        }
        if (oneIn(8)) {
            clock.pass(random.nextLong(70_000)); // Brokers that answer late.
        }
        return new Reading(measured, clock.nanos() - measuredNanos, List.of());
    }

    @Override
    public ActorView look(boolean mayAct) {
        check(!mayAct || (mode == ScalingMode.ACT && !isStopped), "acts though it is stopped");
        return new ActorView(oneIn(12) ? null : members, isStandby ? "it stands by" : null, true, Set.of(), List.of());
    }

    @Override
    public ActorAnswer change(int from, int to, String sentence) {
        check(mode == ScalingMode.ACT && !isStopped && !isStandby, "acts though it may not");
        check(to >= 1, "to zero");
        check(to == from || (to > from ? to <= most : to >= least), "beyond bounds");
        Long last = changedNanos;
        check(last == null || clock.nanos() - last >= coolDown * 1_000_000_000, "within a cool-down");
        check(clock.nanos() - measuredNanos <= stale * 1_000_000_000, "on stale data");
        LogEntry entry = written;
        check(entry != null && !isFull && entry.decision().sentence().equals(sentence), "what is not in the log");
        int kind = random.nextInt(10);
        if (kind == 0) {
            return new ActorAnswer.Refused("somebody was faster");
        }
        changes++;
        changedNanos = clock.nanos();
        if (kind != 1) {
            members = to;
        }
        return kind <= 2 ? new ActorAnswer.Unsure("nobody answered") : new ActorAnswer.Done("done");
    }

    private void check(boolean holds, String rule) {
        if (!holds) {
            broken.add(rule);
        }
    }

    @Override
    public void close() {}
}
