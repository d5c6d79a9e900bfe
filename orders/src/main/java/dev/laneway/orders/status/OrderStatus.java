package dev.laneway.orders.status;

/** Where an order is, in the order in which it gets there. */
public enum OrderStatus {
    PLACED,
    PAID,
    PICKED,
    SHIPPED,
    OUT_FOR_DELIVERY,
    DELIVERED,

    /** Ends an order that has not been shipped; of one that has, it is ignored. */
    CANCELLED;

    /** Whether nothing is expected after it. */
    public boolean isFinal() {
        return switch (this) {
            case DELIVERED, CANCELLED -> true;
            case PLACED, PAID, PICKED, SHIPPED, OUT_FOR_DELIVERY -> false;
        };
    }
}
