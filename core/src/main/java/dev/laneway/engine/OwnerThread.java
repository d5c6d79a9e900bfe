package dev.laneway.engine;

/**
 * The thread that takes an engine's turns. A platform thread: where handlers compute on every carrier, a virtual one
 * would wait behind them and the member could lose its place in the group.
 */
final class OwnerThread {
    private final Engine engine;
    private final Thread thread;

    OwnerThread(Engine engine, String name) {
        this.engine = engine;
        this.thread = Thread.ofPlatform().name(name + "-owner").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** Whether the caller is the owner itself, in a rebalance listener. */
    boolean isCurrent() {
        return thread.equals(Thread.currentThread());
    }

    private void run() {
        Throwable crash = null;
        try {
            engine.start();
            boolean more = true;
            while (more) {
                more = engine.step();
            }
        } catch (Throwable failure) {
            crash = failure;
        }
        engine.end(crash);
    }
}
