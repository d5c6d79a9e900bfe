package dev.laneway.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.nio.channels.SocketChannel;
import java.util.Queue;
import kafka.network.Acceptor;
import kafka.network.Processor;
import kafka.network.SocketServer;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Closes the connections that a broker accepted while it was ending.
 *
 * <p>Kafka ends accepting and serving threads at the same time. A connection that is accepted at that moment is queued
 * for a thread that has already closed its connections. When a process ends, the system closes it; here it would stay
 * open, and the client would wait for its request timeout.
 */
final class LateConnections {

    private LateConnections() {}

    /** For a server whose threads have ended. */
    static void close(SocketServer ended) {
        for (Acceptor acceptor : ended.dataPlaneAcceptors().values()) {
            CollectionConverters.asJava(acceptor.processors()).forEach(LateConnections::closeQueued);
        }
    }

    private static void closeQueued(Processor processor) {
        try {
            Field field = Processor.class.getDeclaredField("newConnections");
            field.setAccessible(true);
            Queue<?> queued = (Queue<?>) field.get(processor);
            for (Object next = queued.poll(); next != null; next = queued.poll()) {
                ((SocketChannel) next).close();
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this Kafka release keeps its new connections elsewhere", e);
        } catch (IOException e) {
            throw new UncheckedIOException("a connection of an ended broker could not be closed", e);
        }
    }
}
