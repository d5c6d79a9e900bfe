package dev.laneway.dashboard;

/** Looks at what the page shows. Used by one thread. */
interface Feed extends AutoCloseable {
    long PERIOD_NANOS = 1_000_000_000;

    /** Whose figures they are, for people. */
    String name();

    /** Looks once. Waits for brokers at most, and throws nothing: what cannot be seen is in the verdict. */
    Frame look();

    /** Nanoseconds from one look to the next: a second, or less where a limit is about to be passed. */
    default long pauseNanos() {
        return PERIOD_NANOS;
    }

    @Override
    void close();
}
