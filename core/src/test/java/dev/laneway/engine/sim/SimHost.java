package dev.laneway.engine.sim;

import dev.laneway.engine.runtime.Host;
import dev.laneway.testkit.sim.Simulation;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.apache.kafka.common.errors.InterruptException;

/**
 * A simulated machine: virtual time, chance from the seed, threads that are tasks of the simulation. Its looks at
 * threads are sometimes wrong and its parks end early, as {@link Host} allows.
 */
final class SimHost implements Host {
    private static final int SELDOM = 50;
    private static final int MOST_RELAX_NANOS = 5_000;

    private final Simulation sim;
    private final SplittableRandom random;
    private final Runnable strayInterrupt;
    /** What the clock of this machine is ahead of the simulation's: some machines' clocks overflow while they run. */
    private final long shiftNanos;

    private final Set<Thread> computing = new HashSet<>();
    private boolean unparked;
    private boolean dead;

    /** @param strayInterrupt called when a worker that runs no handler is interrupted */
    SimHost(Simulation sim, SplittableRandom random, Runnable strayInterrupt) {
        this.sim = sim;
        this.random = random;
        this.strayInterrupt = strayInterrupt;
        this.shiftNanos = random.nextInt(3) == 0 ? Long.MAX_VALUE - random.nextLong(30_000_000_000L) : 0;
    }

    @Override
    public long nanoTime() {
        return sim.clock().nanoTime() + shiftNanos;
    }

    @Override
    public long epochMillis() {
        return sim.clock().millis();
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    @Override
    public void execute(Runnable worker) {
        if (!dead) {
            sim.scheduler().execute(worker);
        }
    }

    @Override
    public void background(Runnable task) {
        execute(() -> {
            try {
                task.run();
            } catch (IllegalStateException end) {
                if (!dead) {
                    throw end;
                }
            }
        });
    }

    @Override
    public void sleep(long nanos) {
        if (dead) {
            throw new IllegalStateException("the machine is gone");
        }
        try {
            sim.sleep(Duration.ofNanos(nanos));
        } catch (InterruptedException stray) {
            strayInterrupt.run();
        }
    }

    @Override
    public boolean isWaiting(Thread thread) {
        boolean waits = sim.scheduler().isWaiting(thread) && !computing.contains(thread);
        return waits != (random.nextInt(SELDOM) == 0);
    }

    @Override
    public void relax() {
        try {
            if (random.nextBoolean()) {
                sim.yieldNow();
            } else {
                sim.sleep(Duration.ofNanos(1 + random.nextInt(MOST_RELAX_NANOS)));
            }
        } catch (InterruptedException stray) {
            strayInterrupt.run();
        }
    }

    @Override
    public void park(long nanos) {
        if (dead) {
            throw new IllegalStateException("the machine is gone");
        }
        long most = random.nextInt(SELDOM) == 0 ? random.nextLong(nanos + 1) : nanos;
        try {
            sim.await(() -> unparked || dead, Duration.ofNanos(most));
        } catch (InterruptException stray) {
            strayInterrupt.run();
        }
        unparked = false;
    }

    @Override
    public void unpark(Thread owner) {
        unparked = true;
    }

    @Override
    public void close() {}

    /** Time passes for a handler that computes: it does not look as if it waited. */
    void compute(Duration duration) throws InterruptedException {
        Thread current = Thread.currentThread();
        computing.add(current);
        try {
            sim.sleep(duration);
        } finally {
            computing.remove(current);
        }
    }

    /** The machine is gone: it starts nothing and keeps nobody waiting. */
    void die() {
        dead = true;
    }

    boolean isDead() {
        return dead;
    }
}
