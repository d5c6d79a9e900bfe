package dev.laneway.ops.control;

/** A clock that a test moves. Used by one thread. */
final class SetClock implements LoopClock {
    private long millis;
    private long nanos;

    SetClock(long millis) {
        this.millis = millis;
    }

    void pass(long more) {
        millis += more;
        nanos += more * 1_000_000;
    }

    /** Somebody sets the machine's clock. */
    void leap(long more) {
        millis += more;
    }

    @Override
    public long millis() {
        return millis;
    }

    @Override
    public long nanos() {
        return nanos;
    }
}
