package dev.laneway.testkit.sim;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.errors.InterruptException;

/**
 * A simulation in which a test repeats exactly: virtual time, tasks that take turns, a simulated Kafka cluster and
 * faults, all driven by one seed.
 *
 * <pre>{@code
 * Simulation.run(seed, sim -> {
 *     sim.broker().createTopic("orders", 3);
 *     var consumer = sim.broker().consumer(Map.of("group.id", "shop"));
 *     consumer.subscribe(List.of("orders"));
 *     consumer.onIdlePoll(sim::pass);                  // time passes while poll waits
 *     ...
 * });
 * }</pre>
 *
 * <p>The <em>driver</em> is the thread that created the simulation. It alone moves time and chooses the next task. Code
 * under test gets {@link #scheduler()} as its executor and {@code clock()::nanoTime} as its time, and waits by
 * {@link #await}.
 *
 * <p>Thread contract: the driver and the tasks of {@link #scheduler()}; never two at a time.
 */
public final class Simulation implements AutoCloseable {
    /** More steps than this without any virtual time passing is a loop, not progress. */
    private static final long MAX_STEPS_PER_INSTANT = 10_000_000;

    private static final int KEPT_LINES = 200;

    private final long seed;
    private final SplittableRandom random;
    private final SimClock clock = new SimClock();
    private final SimTrace trace = new SimTrace(clock, KEPT_LINES);
    private final SimScheduler scheduler;
    private final Faults faults;
    private final SimBroker broker;

    /** What a test does inside a simulation. */
    @FunctionalInterface
    public interface Body {
        /** Runs the test on the driver's thread. */
        void run(Simulation sim) throws Exception;
    }

    private Simulation(long seed) {
        this.seed = seed;
        // Each part has its own random numbers, so that a change in one does not change the decisions of the others.
        this.random = new SplittableRandom(seed);
        this.scheduler = new SimScheduler(clock, trace, random.split());
        this.faults = new Faults(clock, trace, random.split());
        this.broker = new SimBroker(clock, trace, faults, this::await, random.split());
        faults.attach(broker);
    }

    /** A new simulation, driven by the calling thread. */
    public static Simulation seeded(long seed) {
        return new Simulation(seed);
    }

    /**
     * Runs a test in a simulation and closes it. The driver is a virtual thread, which makes switching between driver
     * and tasks several times cheaper. A failure is reported with the seed and the latest events.
     *
     * @return the hash of the trace, for tests that compare runs
     * @throws AssertionError if the body fails, or a task neither ends nor waits; the cause is what went wrong
     */
    public static long run(long seed, Body body) {
        return run(seed, Duration.ofSeconds(2 * SimScheduler.STUCK_REAL_SECONDS), body);
    }

    /** @param patience how long, at most twice, a task may run on where it leaves the driver no processor */
    static long run(long seed, Duration patience, Body body) {
        Simulation simulation = new Simulation(seed);
        Callable<Long> job = () -> {
            try (Simulation sim = simulation) {
                try {
                    body.run(sim);
                } catch (Throwable e) {
                    throw new AssertionError(sim.describe(e), e);
                }
                return sim.trace.hash();
            }
        };
        FutureTask<Long> result = new FutureTask<>(job);
        Thread.ofVirtual().name("sim-driver").start(result);
        try {
            return simulation.await(result, patience);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof AssertionError failure ? failure : new AssertionError(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while simulation " + seed + " ran", e);
        }
    }

    private long await(FutureTask<Long> result, Duration patience) throws ExecutionException, InterruptedException {
        long before = -1;
        while (true) {
            try {
                return result.get(patience.toNanos(), TimeUnit.NANOSECONDS);
            } catch (TimeoutException late) {
                long now = scheduler.runs();
                if (now >= 0 && now == before) {
                    IllegalStateException stuck = scheduler.stuck();
                    throw new AssertionError("simulation failed with seed " + seed + ": " + stuck.getMessage(), stuck);
                }
                before = now;
            }
        }
    }

    private String describe(Throwable e) {
        return "simulation failed with seed " + seed + " (replay it with Simulation.run(" + seed + "L, ...)): " + e
                + System.lineSeparator() + "latest events:" + System.lineSeparator()
                + String.join(System.lineSeparator(), trace.lines());
    }

    /** The seed that decides everything here. */
    public long seed() {
        return seed;
    }

    /** Random numbers for the test itself, from the seed. */
    public SplittableRandom random() {
        return random;
    }

    /** Virtual time. */
    public SimClock clock() {
        return clock;
    }

    /** The executor for code under test. */
    public SimScheduler scheduler() {
        return scheduler;
    }

    /** The faults. */
    public Faults faults() {
        return faults;
    }

    /** The simulated cluster. */
    public SimBroker broker() {
        return broker;
    }

    /** What has happened so far. */
    public SimTrace trace() {
        return trace;
    }

    /**
     * Sleeps for a virtual time. In a task this parks the task; on the driver it is {@link #pass}.
     *
     * @throws InterruptedException if the task is interrupted
     */
    public void sleep(Duration duration) throws InterruptedException {
        if (scheduler.inTask()) {
            scheduler.sleep(duration);
        } else {
            pass(duration);
        }
    }

    /** Lets another task go on: in a task the driver chooses the next one, on the driver one task takes a step. */
    public void yieldNow() {
        if (scheduler.inTask()) {
            scheduler.yieldNow();
        } else {
            scheduler.step();
        }
    }

    /**
     * Lets virtual time pass: tasks run, and scheduled actions become due. In a task it sleeps.
     *
     * @throws InterruptException if called in a task that is interrupted
     */
    public void pass(Duration duration) {
        await(() -> false, duration);
    }

    /**
     * Lets the simulation go on until the condition holds, for at most the given virtual time. Tasks run first; time
     * moves to the next event only when none is runnable.
     *
     * @return whether the condition holds
     * @throws InterruptException if called in a task that is interrupted
     */
    public boolean await(BooleanSupplier condition, Duration limit) {
        if (scheduler.inTask()) {
            try {
                return scheduler.await(condition, limit);
            } catch (InterruptedException e) {
                throw new InterruptException(e);
            }
        }
        long deadlineNanos = SimClock.saturatedAdd(clock.nanoTime(), SimTimes.nanos(limit));
        long steps = 0;
        while (!condition.getAsBoolean()) {
            if (scheduler.step()) {
                if (++steps > MAX_STEPS_PER_INSTANT) {
                    throw new IllegalStateException(
                            "no progress: " + steps + " steps of tasks at " + clock.nanoTime() + " ns");
                }
            } else if (clock.runNext(deadlineNanos)) {
                steps = 0;
            } else {
                return finish(condition, deadlineNanos);
            }
        }
        return true;
    }

    private boolean finish(BooleanSupplier condition, long deadlineNanos) {
        if (deadlineNanos != Long.MAX_VALUE) {
            clock.advanceTo(deadlineNanos);
        }
        return condition.getAsBoolean();
    }

    /** Ends all tasks, whatever they wait for. Idempotent. */
    @Override
    public void close() {
        scheduler.close();
    }
}
