package dev.laneway.orders;

import dev.laneway.orders.status.OrderEvent;
import dev.laneway.orders.status.OrderState;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/**
 * The topology of the tracker. The keys of both topics are the orders, so that nothing is repartitioned:
 *
 * <pre>
 * orders ----+
 *            +-- merge -- track orders -- order-status
 * progress --+               |
 *                    order-state (RocksDB)
 * </pre>
 */
final class OrderTopology {
    /** Orders that are placed; the key is the order. */
    static final String ORDERS = "orders";

    /** What becomes of them; the key is the order. */
    static final String PROGRESS = "progress";

    /** Changes of statuses; the key is the order. */
    static final String STATUS = "order-status";

    /** The store's name; its changelog is named after it. */
    static final String STORE = "order-state";

    private OrderTopology() {}

    /**
     * Makes it.
     *
     * @param forgetAfter how long after its last event an order that has ended is kept
     */
    static Topology make(Duration forgetAfter, ExternalCall call, TrackerCounts counts) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.addStateStore(store());
        Consumed<String, OrderEvent> consumed = Consumed.with(Serdes.String(), OrderSerdes.event())
                .withTimestampExtractor(new EventTime(System::currentTimeMillis));
        builder.stream(ORDERS, consumed)
                .merge(builder.stream(PROGRESS, consumed))
                .process(() -> new OrderTracker(forgetAfter, call, counts), STORE)
                .to(STATUS, Produced.with(Serdes.String(), OrderSerdes.change()));
        return builder.build();
    }

    private static StoreBuilder<KeyValueStore<String, OrderState>> store() {
        return Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore(STORE), Serdes.String(), OrderSerdes.state())
                .withCachingEnabled()
                .withLoggingEnabled(Map.of());
    }
}
