package dev.laneway.orders.status;

import java.util.Comparator;

/** What has happened to an order; the record's key says to which. Immutable. */
public sealed interface OrderEvent {
    /** Which of two is the earlier one, the same on every machine: by time, then by content. */
    Comparator<OrderEvent> EARLIEST = Comparator.comparingLong(OrderEvent::atMillis)
            .thenComparing(event -> event.getClass().getSimpleName())
            .thenComparing(OrderEvent::toString);

    /** When it happened, in milliseconds since 1970; not when it was told. */
    long atMillis();

    /** The status that it reports. */
    default OrderStatus status() {
        return switch (this) {
            case Placed _ -> OrderStatus.PLACED;
            case Paid _ -> OrderStatus.PAID;
            case Picked _ -> OrderStatus.PICKED;
            case Shipped _ -> OrderStatus.SHIPPED;
            case OutForDelivery _ -> OrderStatus.OUT_FOR_DELIVERY;
            case Delivered _ -> OrderStatus.DELIVERED;
            case Cancelled _ -> OrderStatus.CANCELLED;
        };
    }

    /**
     * A customer placed it.
     *
     * @param cents what it costs
     * @param items what was ordered, in words
     */
    record Placed(long atMillis, String customer, long cents, String items) implements OrderEvent {}

    /** It is paid. */
    record Paid(long atMillis) implements OrderEvent {}

    /** Its items lie in a parcel. */
    record Picked(long atMillis) implements OrderEvent {}

    /** A carrier has the parcel. */
    record Shipped(long atMillis, String carrier) implements OrderEvent {}

    /** The parcel is on its last way. */
    record OutForDelivery(long atMillis) implements OrderEvent {}

    /** The customer has it. */
    record Delivered(long atMillis) implements OrderEvent {}

    /** Somebody cancelled it. */
    record Cancelled(long atMillis) implements OrderEvent {}
}
