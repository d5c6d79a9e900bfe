package dev.laneway.orders.status;

/** What an event changed. Immutable. */
public sealed interface Transition {
    /** The order as it is now. */
    OrderState state();

    /** The status, or since when it holds, is another one. */
    record Advanced(OrderState state) implements Transition {}

    /** The event came late: it is remembered, and the status is what it was. */
    record Filled(OrderState state) implements Transition {}

    /** The event was known already, or an earlier one of its kind. */
    record Repeated(OrderState state) implements Transition {}
}
