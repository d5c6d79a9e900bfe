package dev.laneway.orders.status;

/**
 * What the topic of statuses tells of an order. Immutable.
 *
 * @param sinceMillis when the event happened, in milliseconds since 1970
 */
public record StatusChange(OrderStatus status, long sinceMillis) {}
