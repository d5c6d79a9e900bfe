package dev.laneway.orders;

import dev.laneway.orders.status.OrderEvent;
import dev.laneway.orders.status.OrderJson;
import dev.laneway.orders.status.OrderState;
import dev.laneway.orders.status.StatusChange;
import java.util.function.Function;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.Serializer;

/** How Kafka Streams writes and reads what {@link OrderJson} writes. Stateless. */
final class OrderSerdes {
    private OrderSerdes() {}

    static Serde<OrderEvent> event() {
        return Serdes.serdeFrom(writing(OrderJson::bytes), reading(OrderJson::event));
    }

    static Serde<OrderState> state() {
        return Serdes.serdeFrom(writing(OrderJson::bytes), reading(OrderJson::state));
    }

    static Serde<StatusChange> change() {
        return Serdes.serdeFrom(writing(OrderJson::bytes), reading(OrderJson::change));
    }

    @SuppressWarnings("NullAway") // Null is a tombstone, which Kafka's interface does not say.
    private static <T> Serializer<T> writing(Function<T, byte[]> write) {
        return (topic, value) -> value == null ? null : write.apply(value);
    }

    @SuppressWarnings("NullAway") // As above.
    private static <T> Deserializer<T> reading(Function<byte[], T> read) {
        return (topic, bytes) -> {
            try {
                return bytes == null ? null : read.apply(bytes);
            } catch (IllegalArgumentException malformed) {
                throw new SerializationException("a record of " + topic + ": " + malformed.getMessage(), malformed);
            }
        };
    }
}
