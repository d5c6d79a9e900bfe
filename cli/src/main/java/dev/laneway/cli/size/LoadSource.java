package dev.laneway.cli.size;

/** What makes the load. Used by one thread. */
sealed interface LoadSource extends AutoCloseable permits OwnLoad, CommandLoad {
    /** Changes the rate, records a second; 0 pauses. */
    void changeRate(double perSecond);

    /** Fails if it makes no load any more. */
    void check();

    @Override
    void close();
}
