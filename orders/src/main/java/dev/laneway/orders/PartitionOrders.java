package dev.laneway.orders;

import dev.laneway.orders.status.OrderEvent;
import dev.laneway.orders.status.OrderState;
import dev.laneway.orders.status.Transition;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The orders of one partition, in memory, for as long as this process has the partition. Thread-safe for events of
 * different orders; those of one order must come one after the other.
 *
 * <p>Forgetting is that of {@link OrderTracker}: an order that has ended goes some time after its last event, by the
 * latest event of the partition, and events older than that are left out.
 */
final class PartitionOrders {
    private final long forgetAfterMillis;
    private final Map<String, OrderState> states;
    /** In about the order of their last events; guarded by itself. */
    private final Queue<Ended> ended = new ArrayDeque<>();

    private final AtomicLong latestMillis;

    private record Ended(String order, long lastMillis) {}

    /**
     * Takes over what was kept.
     *
     * @param kept used from now on by this alone
     */
    PartitionOrders(ConcurrentHashMap<String, OrderState> kept, Duration forgetAfter, long nowMillis) {
        states = kept;
        forgetAfterMillis = forgetAfter.toMillis();
        long latest =
                kept.values().stream().mapToLong(OrderState::lastMillis).max().orElse(0);
        latestMillis = new AtomicLong(Math.min(latest, nowMillis));
        kept.entrySet().stream()
                .filter(each -> each.getValue().status().isFinal())
                .map(each -> new Ended(each.getKey(), each.getValue().lastMillis()))
                .sorted(Comparator.comparingLong(Ended::lastMillis))
                .forEach(ended::add);
    }

    int size() {
        return states.size();
    }

    /** Whether the order of this event may be forgotten already. No event counts as later than now. */
    boolean isTooLate(OrderEvent event, long nowMillis) {
        long latest = latestMillis.accumulateAndGet(Math.min(event.atMillis(), nowMillis), Math::max);
        return event.atMillis() < latest - forgetAfterMillis;
    }

    Transition apply(String order, OrderEvent event) {
        Transition transition = states.getOrDefault(order, OrderState.UNKNOWN).apply(event);
        OrderState state = transition.state();
        if (!(transition instanceof Transition.Repeated)) {
            states.put(order, state);
            if (state.status().isFinal()) {
                synchronized (ended) {
                    ended.add(new Ended(order, state.lastMillis()));
                }
            }
        }
        return transition;
    }

    /** Takes some orders out of the queue of those that have ended so long ago that they may be forgotten. */
    List<String> takeForgettable(int most) {
        List<String> orders = new ArrayList<>(0);
        synchronized (ended) {
            Ended oldest = ended.peek();
            while (oldest != null && oldest.lastMillis() < forgetBefore() && orders.size() < most) {
                orders.add(ended.remove().order());
                oldest = ended.peek();
            }
        }
        return orders;
    }

    /** Removes an order if it may be forgotten; returns whether it is not kept now. */
    boolean forget(String order) {
        OrderState state = states.get(order);
        if (state == null) {
            return true;
        }
        boolean isOver = state.status().isFinal() && state.lastMillis() < forgetBefore();
        return isOver && states.remove(order, state);
    }

    private long forgetBefore() {
        return latestMillis.get() - forgetAfterMillis;
    }
}
