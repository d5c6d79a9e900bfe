package dev.laneway.testkit.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A deterministic executor for blocking code. Each task has its own thread, but only the holder of one token runs. The
 * driver (usually the test's thread) passes the token to a task that the seed chooses, and gets it back when that task
 * sleeps, yields, waits or ends. So the same seed runs the same interleaving.
 *
 * <p>A task must wait by methods of this class ({@link #sleep}, {@link #yieldNow}, {@link #await}). If it blocks on
 * anything else it keeps the token; {@link #step()} then fails after half a minute of real time with the task's stack.
 *
 * <p>Thread contract: {@code execute} and {@link #isWaiting} are for the driver and for tasks, {@link #step},
 * {@link #runUntilIdle} and {@link #close} for the driver, the waiting methods for tasks.
 */
public final class SimScheduler implements Executor, AutoCloseable {
    static final long STUCK_REAL_SECONDS = 30;
    private static final int ABANDON_ROUNDS = 1_000;

    private final SimClock clock;
    private final SimTrace trace;
    private final SplittableRandom random;
    private final Semaphore driver = new Semaphore(0);
    private final List<Task> runnable = new ArrayList<>();
    private final List<Task> waiting = new ArrayList<>();
    private final Map<Thread, Task> byThread = new HashMap<>();
    private long tasks;
    private long resumed;
    private volatile @Nullable Task running;
    private boolean closed;

    SimScheduler(SimClock clock, SimTrace trace, SplittableRandom random) {
        this.clock = clock;
        this.trace = trace;
        this.random = random;
    }

    /**
     * Adds a task. It runs when the driver chooses it, never inside this call. Ignored once the scheduler is closed.
     */
    @Override
    public void execute(Runnable command) {
        if (closed) {
            return;
        }
        Task task = new Task(++tasks, command);
        byThread.put(task.thread, task);
        runnable.add(task);
    }

    /**
     * Makes the calling task sleep for a virtual time.
     *
     * @throws InterruptedException if the task is interrupted before or while it sleeps
     * @throws IllegalStateException if not called from a task
     */
    public void sleep(Duration duration) throws InterruptedException {
        long untilNanos = SimClock.saturatedAdd(clock.nanoTime(), SimTimes.nanos(duration));
        current("sleep").pause(() -> clock.nanoTime() >= untilNanos, untilNanos, true);
    }

    /** Lets other tasks and the driver go on; the calling task stays runnable. */
    public void yieldNow() {
        Task task = current("yieldNow");
        runnable.add(task);
        task.handBack();
    }

    /**
     * Parks the calling task until the condition holds or the limit has passed. The driver evaluates the condition
     * often, so it must be quick and free of side effects.
     *
     * @return whether the condition holds
     * @throws InterruptedException if the task is interrupted before or while it waits
     */
    public boolean await(BooleanSupplier condition, Duration limit) throws InterruptedException {
        long untilNanos = SimClock.saturatedAdd(clock.nanoTime(), SimTimes.nanos(limit));
        Task task = current("await");
        if (!condition.getAsBoolean()) {
            task.pause(() -> condition.getAsBoolean() || clock.nanoTime() >= untilNanos, untilNanos, false);
        }
        return condition.getAsBoolean();
    }

    /** Whether this is the thread of a task that sleeps or waits now. */
    public boolean isWaiting(Thread thread) {
        Task task = byThread.get(thread);
        return task != null && task.ready != null;
    }

    /** Whether the calling thread is a task's. */
    public boolean inTask() {
        return byThread.containsKey(Thread.currentThread());
    }

    /** Whether some task could run now. */
    public boolean hasRunnable() {
        wakeReady();
        return !runnable.isEmpty();
    }

    /** How many tasks were added and have not ended. */
    public int liveTasks() {
        return byThread.size();
    }

    /**
     * Lets one runnable task go on until it sleeps, yields, waits or ends.
     *
     * @return false if none is runnable
     * @throws IllegalStateException if called from a task, if the task died of an exception (the cause), or if it
     *     blocked on something else
     */
    public boolean step() {
        if (inTask()) {
            throw new IllegalStateException("step() is for the driver of the simulation, not for a task");
        }
        wakeReady();
        if (runnable.isEmpty()) {
            return false;
        }
        int chosen = random.nextInt(runnable.size());
        Task task = runnable.get(chosen);
        runnable.set(chosen, runnable.getLast());
        runnable.removeLast();
        trace.event("task", task.id);
        resume(task);
        return true;
    }

    /** Runs tasks until none is runnable; time stands still. */
    public void runUntilIdle() {
        while (step()) {
            // step() does the work
        }
    }

    /**
     * Ends all tasks: those that never started are dropped, those that wait are woken with an error so that their
     * threads end. A task that keeps waiting is abandoned after a bounded number of rounds. Idempotent.
     */
    @Override
    public void close() {
        closed = true;
        for (int round = 0; round < ABANDON_ROUNDS && !byThread.isEmpty(); round++) {
            for (Task task : List.copyOf(byThread.values().stream()
                    .sorted((a, b) -> Long.compare(a.id, b.id))
                    .toList())) {
                task.abandoned = true;
                if (task.started) {
                    resumeQuietly(task);
                } else {
                    byThread.remove(task.thread);
                }
            }
        }
        runnable.clear();
        waiting.clear();
    }

    private void wakeReady() {
        for (int i = 0; i < waiting.size(); i++) {
            Task task = waiting.get(i);
            if (task.isReady()) {
                waiting.remove(i--);
                task.wake();
                runnable.add(task);
            }
        }
    }

    private void resume(Task task) {
        resumeQuietly(task);
        Throwable failure = task.failure;
        if (failure != null) {
            throw new IllegalStateException("task " + task.id + " died of " + failure, failure);
        }
    }

    private void resumeQuietly(Task task) {
        resumed++;
        running = task;
        if (task.started) {
            task.letGo();
        } else {
            task.started = true;
            task.thread.start();
        }
        awaitToken(task);
        running = null;
    }

    private void awaitToken(Task task) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    if (driver.tryAcquire(STUCK_REAL_SECONDS, TimeUnit.SECONDS)) {
                        return;
                    }
                    throw stuck(task);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * For a thread that watches the driver: tasks that loop may take all processors of virtual threads, and then the
     * driver, which is one, cannot tell that its own has not come back.
     *
     * @return changes whenever a task goes on; negative while none runs
     */
    long runs() {
        Task task = running; // Read first: its volatile write comes after the count's.
        return task == null ? -1 : resumed;
    }

    /** What is wrong with the task that runs now and does not hand back. */
    IllegalStateException stuck() {
        Task task = running;
        return task == null ? new IllegalStateException("no task runs") : stuck(task);
    }

    private static IllegalStateException stuck(Task task) {
        IllegalStateException failure =
                new IllegalStateException("task " + task.id + " has kept the token for " + STUCK_REAL_SECONDS
                        + " s of real time: a task may wait only through the simulation (sleep, yieldNow, await)");
        failure.setStackTrace(task.thread.getStackTrace());
        return failure;
    }

    private Task current(String what) {
        Task task = byThread.get(Thread.currentThread());
        if (task == null || task != running) {
            throw new IllegalStateException(
                    what + "() is for tasks of the simulation; the driver uses Simulation.pass or Simulation.await");
        }
        return task;
    }

    /**
     * Thrown into tasks at close. An Error without a stack trace: code under test should let it pass, and it is no sign
     * of a bug.
     */
    private static final class Abandoned extends Error {
        private static final long serialVersionUID = 1;

        Abandoned() {
            super("the simulation is over", null, false, false);
        }
    }

    private final class Task {
        final long id;
        final Thread thread;
        volatile boolean go;
        volatile boolean interruptSeen;
        boolean started;
        boolean abandoned;

        @Nullable
        BooleanSupplier ready;

        @Nullable
        SimTimer alarm;

        @Nullable
        Throwable failure;

        Task(long id, Runnable command) {
            this.id = id;
            this.thread = Thread.ofVirtual().name("sim-task-" + id).unstarted(() -> run(command));
        }

        private void run(Runnable command) {
            try {
                command.run();
            } catch (Abandoned e) {
                // The simulation is over, so the end of this task does not matter.
            } catch (Throwable e) {
                failure = abandoned ? null : e;
            } finally {
                byThread.remove(thread);
                driver.release();
            }
        }

        /** Waits for the condition. An event on the clock limits how far the driver moves time. */
        void pause(BooleanSupplier condition, long untilNanos, boolean sleeping) throws InterruptedException {
            if (Thread.interrupted()) {
                throw new InterruptedException(sleeping ? "sleep interrupted" : "wait interrupted");
            }
            ready = condition;
            if (untilNanos != Long.MAX_VALUE) {
                alarm = clock.schedule(untilNanos - clock.nanoTime(), () -> {});
            }
            waiting.add(this);
            handBack();
            if (Thread.interrupted()) {
                throw new InterruptedException(sleeping ? "sleep interrupted" : "wait interrupted");
            }
        }

        void handBack() {
            if (abandoned) {
                throw new Abandoned();
            }
            driver.release();
            awaitGo();
            if (abandoned) {
                wake();
                throw new Abandoned();
            }
        }

        boolean isReady() {
            BooleanSupplier condition = ready;
            // In this order: the parked thread notes an interrupt before it clears the flag.
            return thread.isInterrupted() || interruptSeen || condition == null || condition.getAsBoolean();
        }

        void letGo() {
            go = true;
            LockSupport.unpark(thread);
        }

        /**
         * Parks even if interrupted, so that the driver sees an interrupt at once and the run does not depend on real
         * timing.
         */
        private void awaitGo() {
            while (!go) {
                LockSupport.park(this);
                if (thread.isInterrupted()) {
                    interruptSeen = true;
                    Thread.interrupted();
                }
            }
            go = false;
            if (interruptSeen) {
                interruptSeen = false;
                thread.interrupt();
            }
        }

        void wake() {
            ready = null;
            SimTimer pending = alarm;
            if (pending != null) {
                pending.cancel();
                alarm = null;
            }
        }
    }
}
