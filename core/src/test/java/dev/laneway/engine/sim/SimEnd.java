package dev.laneway.engine.sim;

/**
 * How a simulated handler ends an attempt. Immutable.
 *
 * @param delayNanos for a retry
 * @param outputs how many records it sends
 */
record SimEnd(Kind kind, long delayNanos, int outputs) {
    enum Kind {
        DONE,
        SKIP,
        RETRY,
        DEAD_LETTER,
        STOP,
        /** It throws what the policy tries again. */
        FAILED,
        /** It throws what the policy skips at once. */
        HOPELESS
    }

    static final SimEnd DONE = of(Kind.DONE);
    static final SimEnd FAILED = of(Kind.FAILED);

    static SimEnd of(Kind kind) {
        return new SimEnd(kind, 0, 0);
    }

    static SimEnd retry(long delayNanos) {
        return new SimEnd(Kind.RETRY, delayNanos, 0);
    }

    static SimEnd emit(int outputs) {
        return new SimEnd(Kind.DONE, 0, outputs);
    }
}
