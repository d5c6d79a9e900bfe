package dev.laneway.orders;

import dev.laneway.TransformHandler;
import dev.laneway.orders.status.OrderEvent;
import dev.laneway.orders.status.OrderJson;
import dev.laneway.orders.status.OrderState;
import dev.laneway.orders.status.Transition;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What Laneway does with each record, in transactions. Thread-safe.
 *
 * <pre>
 * orders ----+
 *            +-- events -- track -- order-status
 * progress --+    | ^        |
 *                 | +--------+ forget
 *                 +-- state (compacted)
 * </pre>
 *
 * <h2>Why there is a topic of events</h2>
 *
 * Records of one key overlap where they are of different partitions, and an order has events in two topics. Were they
 * tracked where they come from, two changes of one order could be written in either order, and the older one could
 * stay. So events first go to one topic, where an order is one key of one partition: what is written of it is in order.
 *
 * <h2>Why each event writes its state</h2>
 *
 * A handler whose partition was revoked may end late, change the state in memory, and what it returns is dropped. Its
 * event comes again. So what an event returns does not depend on whether the state had it already.
 *
 * <h2>Forgetting</h2>
 *
 * What is written of an order must come from its own lane. So whoever sees that an order may go sends a record without
 * a value to the topic of events, which is handled like an event of that order.
 */
final class OrderTransform implements TransformHandler<byte[], byte[], byte[], byte[]> {
    private static final Logger LOG = LoggerFactory.getLogger(OrderTransform.class);

    /** More than one for each event, so that a backlog of them gets less. */
    private static final int FORGOTTEN_AN_EVENT = 2;

    private final OwnTopics own;
    private final AssignedOrders assigned;
    private final ExternalCall call;
    private final TrackerCounts counts;
    private final LongSupplier nowMillis;

    OrderTransform(
            OwnTopics own, AssignedOrders assigned, ExternalCall call, TrackerCounts counts, LongSupplier nowMillis) {
        this.own = own;
        this.assigned = assigned;
        this.call = call;
        this.counts = counts;
        this.nowMillis = nowMillis;
    }

    @Override
    public Iterable<ProducerRecord<byte[], byte[]>> handle(ConsumerRecord<byte[], byte[]> record)
            throws InterruptedException, ExecutionException {
        if (record.key() == null) {
            return leftOut(record, "it has no key");
        }
        if (!record.topic().equals(own.events())) {
            return record.value() == null
                    ? leftOut(record, "it has no value")
                    : List.of(new ProducerRecord<>(own.events(), record.key(), record.value()));
        }
        PartitionOrders orders = assigned.await(record.partition());
        String order = new String(record.key(), StandardCharsets.UTF_8);
        if (record.value() == null) {
            return forget(orders, order, record);
        }
        try {
            return track(orders, order, OrderJson.event(record.value()), record);
        } catch (IllegalArgumentException malformed) {
            return leftOut(record, malformed.getMessage());
        }
    }

    private List<ProducerRecord<byte[], byte[]>> track(
            PartitionOrders orders, String order, OrderEvent event, ConsumerRecord<byte[], byte[]> record) {
        long now = nowMillis.getAsLong();
        if (orders.isTooLate(event, now)) {
            counts.tooLate.increment();
            return List.of();
        }
        call.await();
        Transition transition = orders.apply(order, event);
        OrderState state = transition.state();
        List<ProducerRecord<byte[], byte[]>> written = new ArrayList<>(3);
        written.add(new ProducerRecord<>(own.state(), record.partition(), record.key(), OrderJson.bytes(state)));
        if (!(transition instanceof Transition.Filled)) {
            written.add(new ProducerRecord<>(
                    OrderTopology.STATUS,
                    null,
                    Math.min(event.atMillis(), now),
                    record.key(),
                    OrderJson.bytes(state.change())));
        }
        for (String over : orders.takeForgettable(FORGOTTEN_AN_EVENT)) {
            written.add(new ProducerRecord<>(
                    own.events(), record.partition(), over.getBytes(StandardCharsets.UTF_8), null));
        }
        switch (transition) {
            case Transition.Advanced _ -> counts.advanced.increment();
            case Transition.Filled _ -> counts.late.increment();
            case Transition.Repeated _ -> counts.repeated.increment();
        }
        return written;
    }

    private List<ProducerRecord<byte[], byte[]>> forget(
            PartitionOrders orders, String order, ConsumerRecord<byte[], byte[]> record) {
        if (!orders.forget(order)) {
            return List.of();
        }
        counts.forgotten.increment();
        return List.of(new ProducerRecord<>(own.state(), record.partition(), record.key(), null));
    }

    private List<ProducerRecord<byte[], byte[]>> leftOut(
            ConsumerRecord<byte[], byte[]> record, @Nullable String reason) {
        counts.leaveOut(LOG, record.topic(), record.partition(), record.offset(), reason);
        return List.of();
    }
}
