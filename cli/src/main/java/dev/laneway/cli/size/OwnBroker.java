package dev.laneway.cli.size;

/** A broker that is started for the sizing alone. Used by one thread. */
public interface OwnBroker extends AutoCloseable {
    /** Starts one. */
    interface Starter {
        /**
         * Starts it, and waits until it serves.
         *
         * @throws dev.laneway.cli.program.VerbFailure if it does not serve
         */
        OwnBroker start() throws InterruptedException;
    }

    /** Its addresses. */
    String bootstrap();

    /** Fails if it has ended. */
    void check();

    @Override
    void close();
}
