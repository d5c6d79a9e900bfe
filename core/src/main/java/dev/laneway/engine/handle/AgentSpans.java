package dev.laneway.engine.handle;

import dev.laneway.LanewayObserver;
import dev.laneway.engine.runtime.TracedRecords;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Lets an agent that traces Kafka's clients trace each handler, where no observer of the user's does. Records of
 * batches are traced where the handler iterates over them. Thread-safe.
 */
public final class AgentSpans implements LanewayObserver {
    @Override
    public Attempt attemptStarted(ConsumerRecord<byte[], byte[]> record, int attempt, boolean follows) {
        return new Attempt() {
            @Override
            public void around(Runnable handler) {
                TracedRecords.handle(record, handler);
            }

            @Override
            public void ended(@Nullable Throwable failure) {
                // The agent has ended the span when the handler returned, as in a loop.
            }
        };
    }
}
