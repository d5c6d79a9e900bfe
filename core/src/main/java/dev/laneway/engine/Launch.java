package dev.laneway.engine;

import dev.laneway.Laneway;
import dev.laneway.Options;
import dev.laneway.RebalanceListener;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.jspecify.annotations.Nullable;

/** Everything that a consumer is started with. Immutable. */
public record Launch(
        Map<String, Object> kafkaConfig,
        Map<String, Object> producerConfig,
        Options options,
        Subscription subscription,
        @Nullable Supplier<? extends Consumer<byte[], byte[]>> clients,
        @Nullable Supplier<? extends Producer<byte[], byte[]>> producers,
        RebalanceListener listener,
        Handling handling) {

    /** Checks what only the whole can tell, makes the clients and starts the members. */
    public Laneway start() {
        throw new UnsupportedOperationException("the engine lands with the next commits");
    }
}
