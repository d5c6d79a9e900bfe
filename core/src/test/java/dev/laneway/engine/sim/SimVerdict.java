package dev.laneway.engine.sim;

import dev.laneway.testkit.sim.Simulation;
import org.jspecify.annotations.Nullable;

/** Whether a simulated run has kept all promises; only the first breach counts, since others may follow from it. */
public abstract class SimVerdict {
    protected final Simulation sim;
    private @Nullable AssertionError breach;

    protected SimVerdict(Simulation sim) {
        this.sim = sim;
    }

    /** Notes a breach. */
    public final void breach(String what) {
        breach(new AssertionError(what));
    }

    /** The same, with its cause. */
    public final void breach(AssertionError what) {
        if (breach == null) {
            breach = what;
            sim.trace().event("BREACH", what.getMessage());
        }
    }

    /** Notes a breach if there is an explanation of one. */
    public final void breach(@Nullable String explanation, Object context) {
        if (explanation != null) {
            breach(explanation + ": " + context);
        }
    }

    /** Whether a promise was broken. */
    public final boolean isBroken() {
        return breach != null;
    }

    /** Ends the run if a promise was broken. */
    public final void throwIfBroken() {
        if (breach != null) {
            throw breach;
        }
    }

    protected final long now() {
        return sim.clock().nanoTime();
    }
}
