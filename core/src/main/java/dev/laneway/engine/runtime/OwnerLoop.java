package dev.laneway.engine.runtime;

import org.jspecify.annotations.Nullable;

/** What an owner does for a member, turn by turn, whatever kind of group that is in. The owner only. */
public interface OwnerLoop {
    /** The first thing: subscribe. */
    void start();

    /** One turn. False when it was the last one; then {@link #end} is due. */
    boolean step();

    /** The last thing, after the last turn or a failure of one: leave, and close everything. */
    void end(@Nullable Throwable crash);
}
