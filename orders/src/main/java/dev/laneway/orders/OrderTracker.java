package dev.laneway.orders;

import dev.laneway.orders.status.OrderEvent;
import dev.laneway.orders.status.OrderState;
import dev.laneway.orders.status.StatusChange;
import dev.laneway.orders.status.Transition;
import java.time.Duration;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.jspecify.annotations.Nullable;

/**
 * Aggregates the events of a task's orders to their states, and tells each change of a status. Used by the task's
 * thread.
 *
 * <p><b>Forgetting.</b> An order that has ended is removed some time after its last event. An event of an order that
 * may be removed must not make a new order of it, so events older than that are left out. Both times are the task's
 * stream time: the latest event that it has seen, which a standby and a restarted task know too. So whether an order
 * was removed already makes no difference: what could have changed it is left out in both cases.
 */
final class OrderTracker implements Processor<String, OrderEvent, String, StatusChange> {
    private static final Duration SWEEP_INTERVAL = Duration.ofSeconds(1);

    /** So few that a sweep does not hold up records; it goes on from there at the next one. */
    private static final int ORDERS_A_SWEEP = 200;

    private final Duration forgetAfter;
    private final ExternalCall call;
    private final TrackerCounts counts;
    private @Nullable ProcessorContext<String, StatusChange> context;
    private @Nullable KeyValueStore<String, OrderState> orders;
    /** The first order of the next sweep; null for the first of all. */
    private @Nullable String sweepFrom;

    OrderTracker(Duration forgetAfter, ExternalCall call, TrackerCounts counts) {
        this.forgetAfter = forgetAfter;
        this.call = call;
        this.counts = counts;
    }

    @Override
    public void init(ProcessorContext<String, StatusChange> opened) {
        context = opened;
        KeyValueStore<String, OrderState> store = opened.getStateStore(OrderTopology.STORE);
        orders = store;
        opened.schedule(SWEEP_INTERVAL, PunctuationType.WALL_CLOCK_TIME, _ -> sweep(opened, store));
    }

    @Override
    public void process(Record<String, OrderEvent> record) {
        ProcessorContext<String, StatusChange> to = context;
        KeyValueStore<String, OrderState> store = orders;
        if (to == null || store == null) {
            throw new IllegalStateException("a record before init");
        }
        OrderEvent event = record.value();
        if (record.key() == null || event == null) {
            counts.malformed.increment();
            return;
        }
        if (event.atMillis() < forgetBefore(to)) {
            counts.tooLate.increment();
            return;
        }
        call.await();
        OrderState known = store.get(record.key());
        switch ((known == null ? OrderState.UNKNOWN : known).apply(event)) {
            case Transition.Advanced(OrderState state) -> {
                store.put(record.key(), state);
                to.forward(record.withValue(state.change()));
                counts.advanced.increment();
            }
            case Transition.Filled(OrderState state) -> {
                store.put(record.key(), state);
                counts.late.increment();
            }
            case Transition.Repeated(OrderState state) -> {
                // The state may have outlived a crash that its status did not: then the event is processed again.
                to.forward(record.withValue(state.change()));
                counts.repeated.increment();
            }
        }
    }

    private long forgetBefore(ProcessorContext<String, StatusChange> of) {
        return of.currentStreamTimeMs() - forgetAfter.toMillis();
    }

    private void sweep(ProcessorContext<String, StatusChange> of, KeyValueStore<String, OrderState> store) {
        long before = forgetBefore(of);
        int seen = 0;
        String next = null;
        try (var all = store.range(sweepFrom, null)) {
            while (all.hasNext()) {
                KeyValue<String, OrderState> each = all.next();
                if (seen++ == ORDERS_A_SWEEP) {
                    next = each.key;
                    break;
                }
                if (each.value.status().isFinal() && each.value.lastMillis() < before) {
                    store.delete(each.key);
                    counts.forgotten.increment();
                }
            }
        }
        sweepFrom = next;
    }
}
