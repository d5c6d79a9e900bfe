package dev.laneway.orders.status;

import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.Map;

/**
 * An order: the earliest event of each kind. Since that does not depend on the order in which events come, nor on how
 * often, neither does the status: late, repeated and swapped events end in the same one. Immutable.
 */
public record OrderState(Map<OrderStatus, OrderEvent> earliest) {
    /** An order of which nothing is known. */
    public static final OrderState UNKNOWN = new OrderState(Map.of());

    /** Copies the map. */
    public OrderState {
        Map<OrderStatus, OrderEvent> copy = new EnumMap<>(OrderStatus.class);
        copy.putAll(earliest);
        earliest = Collections.unmodifiableMap(copy);
    }

    /** An order of some events, in any order. */
    public static OrderState of(Collection<OrderEvent> events) {
        OrderState state = UNKNOWN;
        for (OrderEvent event : events) {
            state = state.apply(event).state();
        }
        return state;
    }

    /** Takes an event. */
    public Transition apply(OrderEvent event) {
        OrderEvent known = earliest.get(event.status());
        if (known != null && OrderEvent.EARLIEST.compare(known, event) <= 0) {
            return new Transition.Repeated(this);
        }
        Map<OrderStatus, OrderEvent> more = new EnumMap<>(OrderStatus.class);
        more.putAll(earliest);
        more.put(event.status(), event);
        OrderState changed = new OrderState(more);
        return earliest.isEmpty() || !changed.change().equals(change())
                ? new Transition.Advanced(changed)
                : new Transition.Filled(changed);
    }

    /** The farthest that the order got. A parcel that was shipped is on its way, whoever has cancelled the order. */
    public OrderStatus status() {
        OrderStatus farthest = earliest.keySet().stream()
                .filter(status -> status != OrderStatus.CANCELLED)
                .max(Comparator.naturalOrder())
                .orElse(OrderStatus.PLACED);
        boolean isShipped = farthest.compareTo(OrderStatus.SHIPPED) >= 0;
        return earliest.containsKey(OrderStatus.CANCELLED) && !isShipped ? OrderStatus.CANCELLED : farthest;
    }

    /** The status with the time of its event; not of an order of which nothing is known. */
    public StatusChange change() {
        OrderStatus status = status();
        OrderEvent event = earliest.get(status);
        if (event == null) {
            throw new IllegalStateException("an order without events has no status");
        }
        return new StatusChange(status, event.atMillis());
    }

    /** When the last of its events happened, in milliseconds since 1970; 0 without any. */
    public long lastMillis() {
        return earliest.values().stream().mapToLong(OrderEvent::atMillis).max().orElse(0);
    }
}
