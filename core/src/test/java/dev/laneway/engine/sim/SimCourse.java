package dev.laneway.engine.sim;

import dev.laneway.testkit.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The course of a simulated run: first all that the seed has in store, then calm, in which all must get done. */
public final class SimCourse {
    private static final Duration REST = Duration.ofSeconds(30);

    private final Simulation sim;
    private final SimVerdict verdict;
    private final Duration patience;
    private final Supplier<String> left;
    private final List<Runnable> atCalm = new ArrayList<>();
    private boolean calm;

    /**
     * @param patience how long each step of the end may take, in virtual time
     * @param left what is left to do, for a run that gets to no end; each line begins with a line break
     */
    public SimCourse(Simulation sim, SimVerdict verdict, Duration patience, Supplier<String> left) {
        this.sim = sim;
        this.verdict = verdict;
        this.patience = patience;
        this.left = left;
    }

    /** Lets that much time pass. */
    public void pass(Duration duration) {
        sim.await(verdict::isBroken, duration);
        verdict.throwIfBroken();
    }

    /** Lets time pass until the condition holds; it is a breach if it never does. */
    public void await(String what, BooleanSupplier condition) {
        boolean met = sim.await(() -> verdict.isBroken() || condition.getAsBoolean(), patience);
        verdict.throwIfBroken();
        if (!met) {
            throw new AssertionError("no end: not in " + patience + " of calm: " + what + left.get());
        }
    }

    /**
     * Nothing is left to do: turns must be far apart.
     *
     * @param turns how many have been taken so far
     */
    void rest(LongSupplier turns, long mostTurnsPerSecond) {
        long before = turns.getAsLong();
        pass(REST);
        long taken = turns.getAsLong() - before;
        if (taken > mostTurnsPerSecond * REST.toSeconds()) {
            verdict.breach("B30 " + taken + " turns in " + REST + " with nothing to do");
        }
        verdict.throwIfBroken();
    }

    /** The end phase begins. */
    public void calmDown() {
        sim.trace().event("calm");
        calm = true;
        sim.faults().heal();
        atCalm.forEach(Runnable::run);
        atCalm.clear();
    }

    /** Whether faults are over and handlers are quick. */
    public boolean isCalm() {
        return calm;
    }

    /** To be run when the end phase begins. */
    public void atCalm(Runnable action) {
        if (calm) {
            action.run();
        } else {
            atCalm.add(action);
        }
    }
}
