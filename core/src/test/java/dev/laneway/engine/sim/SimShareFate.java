package dev.laneway.engine.sim;

import dev.laneway.testkit.sim.Faults.Action;
import dev.laneway.testkit.sim.SimOp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.kafka.common.errors.NotEnoughReplicasException;

/** What happens to a share group and its members, by the seed, until it is calm. */
final class SimShareFate {
    private static final int HOW_OFTEN = 4;

    private final SimShareWorld world;
    private final SplittableRandom random;
    private SimShareLink.Faults faults;
    private double pollFailures;
    private boolean away;

    SimShareFate(SimShareWorld world) {
        this.world = world;
        this.random = world.random.split();
        List<SimShareLink.Fault> kinds = new ArrayList<>();
        for (SimShareLink.Fault kind : SimShareLink.Fault.values()) {
            if (kind != SimShareLink.Fault.NONE && random.nextBoolean()) {
                kinds.add(kind);
            }
        }
        double rate = random.nextInt(3) == 0 ? 0 : random.nextDouble(0.3);
        this.faults = new SimShareLink.Faults(
                rate,
                kinds,
                world.plan.latencyNanos,
                Duration.ofMillis(random.nextInt(100, 4_000)).toNanos());
        this.pollFailures = random.nextInt(4) == 0 ? random.nextDouble(0.05) : 0;
    }

    void begin() {
        every(400, this::replace);
        perhaps(() -> every(1_000, this::comeAndGo));
        perhaps(() -> every(1_500, this::kill));
        perhaps(() -> every(1_500, this::evict));
        perhaps(() -> every(2_500, this::restart));
        perhaps(() -> every(300, this::control));
        perhaps(() -> every(3_000, this::goAway));
        if (random.nextInt(3) == 0) {
            double rate = random.nextDouble(0.3);
            world.sim
                    .faults()
                    .randomly(SimOp.PRODUCE, rate, Action.fail(() -> new NotEnoughReplicasException("simulated")));
        }
    }

    void end() {
        faults = SimShareLink.Faults.NONE;
        pollFailures = 0;
        away = false;
    }

    SimShareLink.Faults linkFaults() {
        return faults;
    }

    boolean isAway() {
        return away;
    }

    boolean pollFails() {
        return pollFailures > 0 && random.nextDouble() < pollFailures;
    }

    private void every(int leastMillis, Runnable action) {
        world.sim.faults().repeatedly(Duration.ofMillis(random.nextInt(leastMillis, HOW_OFTEN * leastMillis)), action);
    }

    private void perhaps(Runnable fault) {
        if (random.nextInt(3) == 0) {
            fault.run();
        }
    }

    // ---------------------------------------------------------------- members

    private void replace() {
        if (world.living().size() < world.plan.members) {
            world.start();
        }
    }

    private void comeAndGo() {
        List<SimShareProcess> living = world.living();
        if (living.size() > 1 && random.nextBoolean()) {
            one(living).close(Duration.ofMillis(random.nextInt(5_000)));
        } else if (living.size() < SimTheme.SHARE.members) {
            world.start();
        }
    }

    private void kill() {
        if (!world.living().isEmpty()) {
            one(world.living()).kill();
        }
    }

    /** The broker ends a member's session, and nobody tells the member. */
    private void evict() {
        if (!world.living().isEmpty()) {
            SimShareProcess process = one(world.living());
            world.sim.trace().event("evict", process);
            process.link.trouble();
            world.group.end(process.name);
        }
    }

    /** All members end in peace, and others follow. */
    private void restart() {
        world.living().forEach(process -> process.close(Duration.ofSeconds(5)));
    }

    private void control() {
        List<SimShareProcess> living = world.living();
        if (living.isEmpty()) {
            return;
        }
        SimShareProcess process = one(living);
        switch (random.nextInt(16)) {
            case 0, 1, 2, 3 -> process.pause();
            case 4, 5, 6, 7, 8, 9 -> process.resume();
            case 10 -> process.drain(Duration.ofMillis(random.nextInt(10_000)));
            case 11 -> process.close(Duration.ofMillis(random.nextInt(3_000)));
            default -> process.tell();
        }
    }

    private void goAway() {
        world.sim.trace().event("away");
        away = true;
        world.sim.clock().schedule(Duration.ofMillis(random.nextInt(50, 4_000)), () -> away = false);
    }

    private SimShareProcess one(List<SimShareProcess> some) {
        return some.get(random.nextInt(some.size()));
    }

    @Override
    public String toString() {
        return faults + " poll failures " + pollFailures;
    }
}
