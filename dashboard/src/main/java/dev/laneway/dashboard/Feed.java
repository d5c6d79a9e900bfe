package dev.laneway.dashboard;

/** Looks at what the page shows. Used by one thread. */
interface Feed extends AutoCloseable {
    /** Whose figures they are, for people. */
    String name();

    /** Looks once. Waits for brokers at most, and throws nothing: what cannot be seen is in the verdict. */
    Frame look();

    @Override
    void close();
}
