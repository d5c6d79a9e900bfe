package dev.laneway.interleave;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One run: which of its threads makes the next step. The static methods are called by scenarios and by rewritten code;
 * on other threads they do nothing. Everything is guarded by the baton: only the thread that has been let go on runs.
 */
public final class Steps {
    private static final int MOST_STEPS = 200_000;
    private static final int TRACED_SWITCHES = 60;
    private static final ThreadLocal<Stepper> ME = new ThreadLocal<>();

    /** Ends a thread of a run that has failed. */
    private static final class Abort extends Error {
        private static final long serialVersionUID = 1;

        Abort() {
            super("the run has failed elsewhere", null, false, false);
        }
    }

    private record Held(Stepper owner, int depth) {}

    private final class Stepper {
        final int number = steppers.size();
        final Thread thread;
        final Semaphore baton = new Semaphore(0);
        long priority = random.nextLong(1L << 32) + (1L << 32);
        boolean ended;
        /** What it waits for; null when it can go on. */
        @Nullable
        BooleanSupplier until;

        Stepper(Runnable body) {
            thread = Thread.ofVirtual().unstarted(() -> {
                ME.set(this);
                baton.acquireUninterruptibly();
                try {
                    body.run();
                } catch (Throwable thrown) {
                    fail(thrown);
                } finally {
                    ended = true;
                    pass(null);
                }
            });
        }

        Steps run() {
            return Steps.this;
        }

        boolean canGoOn() {
            return !ended && (until == null || until.getAsBoolean());
        }
    }

    private final Random random;
    private final List<Stepper> steppers = new ArrayList<>();
    private final IdentityHashMap<Object, Held> monitors = new IdentityHashMap<>();
    private final CompletableFuture<@Nullable Void> over = new CompletableFuture<>();
    private final boolean byPriority;
    /** Whether a switch may come before an access to a plain field too, to find what should have been guarded. */
    private final boolean fine;
    /** One switch in so many steps, when not by priority. */
    private final int rarity;

    private final List<Integer> changes = new ArrayList<>();
    private @Nullable List<String> trace;
    private int taken;
    private long lowest;
    /** Conditions are being looked at, which may call rewritten code. */
    private boolean deciding;

    private @Nullable Throwable failure;
    private volatile boolean aborted;

    Steps(long seed, int length) {
        // Seeds in a row give Random similar first values: multiplied, they do not.
        random = new Random(seed * 0x9E3779B97F4A7C15L);
        fine = seed % 4 == 3;
        byPriority = seed % 2 == 0;
        rarity = seed == 0 ? Integer.MAX_VALUE : 2 << random.nextInt(6);
        for (int i = seed == 0 ? 0 : 1 + random.nextInt(4); i > 0; i--) {
            changes.add(random.nextInt(length + 1));
        }
    }

    Steps traced() {
        trace = new ArrayList<>();
        return this;
    }

    String trace() {
        List<String> all = trace == null ? List.of() : trace;
        return all.stream().skip(Math.max(0, all.size() - TRACED_SWITCHES)).collect(Collectors.joining("\n"));
    }

    int taken() {
        return taken;
    }

    /** Runs to the end; returns the failure, if there was one. */
    @Nullable
    Throwable run(Runnable scenario) {
        add(scenario).baton.release();
        over.join();
        return failure;
    }

    // ---------------------------------------------------------------- for scenarios

    /** Starts a thread of the run. */
    public static Thread spawn(Runnable body) {
        Stepper me = me();
        Stepper other = me.run().add(body);
        point();
        return other.thread;
    }

    /** Waits until the condition holds. A run in which all threads wait has failed. */
    public static void await(BooleanSupplier condition) {
        Stepper me = me();
        me.until = condition;
        me.run().pass(me);
        me.until = null;
    }

    /** Waits until every other thread of the run has ended. */
    public static void awaitOthers() {
        Stepper me = me();
        await(() -> me.run().steppers.stream().allMatch(other -> other == me || other.ended));
    }

    /** Lets others go first. */
    public static void yieldToOthers() {
        Stepper me = me();
        me.priority = --me.run().lowest;
        me.run().step(me, true);
    }

    /** A number from 0 to below the bound, by the seed. */
    public static int choose(int bound) {
        return me().run().random.nextInt(bound);
    }

    private static Stepper me() {
        Stepper me = ME.get();
        if (me == null) {
            throw new IllegalStateException("only for threads of a run");
        }
        return me;
    }

    // ---------------------------------------------------------------- for rewritten code

    /** Before an access to shared memory. */
    public static void point() {
        Stepper me = ME.get();
        if (me != null && !me.run().deciding) {
            me.run().step(me, false);
        }
    }

    /** Before an access to a plain field. */
    public static void plain() {
        Stepper me = ME.get();
        if (me != null && me.run().fine && !me.run().deciding) {
            me.run().step(me, false);
        }
    }

    /** Instead of taking a monitor. */
    public static void enter(Object monitor) {
        Stepper me = ME.get();
        if (me == null || me.run().deciding) {
            return;
        }
        Steps steps = me.run();
        steps.step(me, false);
        if (steps.isHeldByOther(monitor, me)) {
            await(() -> !steps.isHeldByOther(monitor, me));
        }
        steps.hold(monitor, me);
    }

    /** Instead of taking a monitor if nobody else has it. */
    public static boolean tryEnter(Object monitor) {
        Stepper me = ME.get();
        if (me == null || me.run().deciding) {
            return true;
        }
        Steps steps = me.run();
        steps.step(me, false);
        if (steps.isHeldByOther(monitor, me)) {
            return false;
        }
        steps.hold(monitor, me);
        return true;
    }

    private void hold(Object monitor, Stepper me) {
        Held held = monitors.get(monitor);
        monitors.put(monitor, new Held(me, held == null ? 1 : held.depth() + 1));
    }

    /** Instead of giving a monitor back. */
    public static void exit(Object monitor) {
        Stepper me = ME.get();
        if (me == null || me.run().deciding || me.run().aborted) {
            return;
        }
        Held held = me.run().monitors.remove(monitor);
        if (held == null || held.owner() != me) {
            throw new IllegalMonitorStateException("not the owner of " + monitor);
        }
        if (held.depth() > 1) {
            me.run().monitors.put(monitor, new Held(me, held.depth() - 1));
        }
    }

    private boolean isHeldByOther(Object monitor, Stepper me) {
        Held held = monitors.get(monitor);
        return held != null && held.owner() != me;
    }

    // ---------------------------------------------------------------- the baton

    private Stepper add(Runnable body) {
        if (aborted) {
            throw new Abort();
        }
        Stepper stepper = new Stepper(body);
        steppers.add(stepper);
        stepper.thread.start();
        return stepper;
    }

    private void step(Stepper me, boolean yields) {
        if (aborted) {
            throw new Abort();
        }
        if (++taken > MOST_STEPS) {
            fail(new AssertionError("no end after " + MOST_STEPS + " steps: some thread spins"));
            throw new Abort();
        }
        if (changes.contains(taken)) {
            me.priority = random.nextInt(1 << 16);
        }
        if (yields || byPriority || random.nextInt(rarity) == 0) {
            pass(me);
        }
    }

    /** Lets a thread go on, perhaps the same; the others wait for their turn. */
    private void pass(@Nullable Stepper me) {
        if (aborted) {
            if (me != null) {
                throw new Abort();
            }
            endIfAllEnded();
            return;
        }
        Stepper next = next();
        if (next == null) {
            if (steppers.stream().allMatch(stepper -> stepper.ended)) {
                over.complete(null);
                return;
            }
            fail(new AssertionError("deadlock: " + describe()));
            if (me != null) {
                throw new Abort();
            }
            return;
        }
        if (next != me) {
            note(me, next);
            next.baton.release();
            if (me != null) {
                me.baton.acquireUninterruptibly();
                if (aborted) {
                    throw new Abort();
                }
            }
        }
    }

    private @Nullable Stepper next() {
        deciding = true;
        List<Stepper> able = steppers.stream().filter(Stepper::canGoOn).toList();
        deciding = false;
        if (able.isEmpty()) {
            return null;
        }
        if (!byPriority) {
            return able.get(random.nextInt(able.size()));
        }
        return able.stream().max((a, b) -> Long.compare(a.priority, b.priority)).orElseThrow();
    }

    private synchronized void fail(Throwable thrown) {
        if (failure == null && !(thrown instanceof Abort)) {
            failure = thrown;
        }
        if (!aborted) {
            aborted = true;
            steppers.forEach(stepper -> stepper.baton.release());
        }
    }

    private synchronized void endIfAllEnded() {
        if (steppers.stream().allMatch(stepper -> stepper.ended)) {
            over.complete(null);
        }
    }

    private void note(@Nullable Stepper me, Stepper next) {
        if (trace != null) {
            trace.add("  step " + taken + ": " + (me == null ? "one ends" : place(me)) + " -> thread " + next.number);
        }
    }

    private String describe() {
        return steppers.stream()
                .filter(stepper -> !stepper.ended)
                .map(Steps::place)
                .collect(Collectors.joining("; "));
    }

    private static String place(Stepper stepper) {
        return "thread " + stepper.number + " at "
                + java.util.Arrays.stream(stepper.thread.getStackTrace())
                        .filter(frame -> frame.getClassName().startsWith("dev.laneway."))
                        .filter(frame -> !frame.getClassName().startsWith(Steps.class.getName()))
                        .limit(2)
                        .map(frame -> frame.getFileName() + ":" + frame.getLineNumber() + " " + frame.getMethodName())
                        .collect(Collectors.joining(" < "));
    }
}
