package dev.laneway.engine.runtime;

/**
 * The thread that takes the turns of a member. A platform thread: where handlers compute on every carrier, a virtual
 * one would wait behind them and the member could lose its place in the group.
 */
public final class OwnerThread {
    private final OwnerLoop turns;
    private final Thread thread;

    public OwnerThread(OwnerLoop turns, String name) {
        this.turns = turns;
        this.thread = Thread.ofPlatform().name(name + "-owner").unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    /** Whether the caller is the owner itself, in a rebalance listener. */
    public boolean isCurrent() {
        return thread.equals(Thread.currentThread());
    }

    private void run() {
        Throwable crash = null;
        try {
            turns.start();
            boolean more = true;
            while (more) {
                Thread.interrupted(); // The owner runs code of the user's, and is never interrupted on purpose.
                more = turns.step();
            }
        } catch (Throwable failure) {
            crash = failure;
        }
        turns.end(crash);
    }
}
