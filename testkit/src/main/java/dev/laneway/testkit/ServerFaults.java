package dev.laneway.testkit;

import java.util.concurrent.atomic.AtomicReference;
import kafka.server.FaultHandlerFactory;
import org.apache.kafka.server.fault.FaultHandler;
import org.apache.kafka.server.fault.FaultHandlerException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles the faults of the embedded servers. A stand-alone broker ends its process at a fatal fault; an embedded one
 * shares the process with the tests, so {@link EmbeddedKafka#awaitReady} throws the first fatal fault instead.
 *
 * <p>Thread-safe.
 */
final class ServerFaults implements FaultHandlerFactory {

    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedKafka.class);

    private final AtomicReference<@Nullable RuntimeException> first = new AtomicReference<>();

    @Override
    public FaultHandler build(String name, boolean fatal, Runnable action) {
        return (message, cause) -> {
            LOG.error("Fault in the {} of an embedded broker: {}", name, message, cause);
            action.run();
            RuntimeException fault = new FaultHandlerException(name + ": " + message, cause);
            if (fatal) {
                first.compareAndSet(null, fault);
            }
            return fault;
        };
    }

    /** Throws when a fatal fault has happened. */
    void check() {
        RuntimeException fault = first.get();
        if (fault != null) {
            throw new IllegalStateException("an embedded broker has failed; its log has the details", fault);
        }
    }
}
