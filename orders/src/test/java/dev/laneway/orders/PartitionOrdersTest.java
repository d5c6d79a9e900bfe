package dev.laneway.orders;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.orders.status.OrderEvent.Cancelled;
import dev.laneway.orders.status.OrderEvent.Delivered;
import dev.laneway.orders.status.OrderEvent.Paid;
import dev.laneway.orders.status.OrderEvent.Picked;
import dev.laneway.orders.status.OrderEvent.Placed;
import dev.laneway.orders.status.OrderState;
import dev.laneway.orders.status.Transition;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PartitionOrdersTest {
    private static final Duration FORGET_AFTER = Duration.ofMinutes(10);
    private static final long NOW = 1_769_860_800_000L;
    private static final long LATER = NOW + FORGET_AFTER.toMillis() + 6;

    private final ConcurrentHashMap<String, OrderState> kept = new ConcurrentHashMap<>();

    private PartitionOrders orders() {
        return new PartitionOrders(kept, FORGET_AFTER, LATER);
    }

    @Test
    @DisplayName("B201 an order that has ended may be forgotten in time, one that is open never")
    void forgets() {
        PartitionOrders orders = orders();
        orders.apply("a", new Placed(NOW, "c", 1, ""));
        orders.apply("a", new Delivered(NOW + 5));
        orders.apply("open", new Placed(NOW, "c", 1, ""));
        assertThat(orders.isTooLate(new Paid(NOW + 5), LATER)).isFalse();
        assertThat(orders.takeForgettable(10)).isEmpty();
        assertThat(orders.forget("a")).isFalse();

        assertThat(orders.isTooLate(new Paid(LATER), LATER)).isFalse();
        assertThat(orders.takeForgettable(10)).containsExactly("a");
        assertThat(orders.forget("open")).isFalse();
        assertThat(orders.forget("a")).isTrue();
        assertThat(orders.size()).isEqualTo(1);
        assertThat(orders.isTooLate(new Paid(NOW + 3), LATER)).isTrue();
    }

    @Test
    @DisplayName("B201 an order is kept that had an event after it was asked to be forgotten")
    void isKept() {
        PartitionOrders orders = orders();
        orders.apply("a", new Cancelled(NOW));
        assertThat(orders.isTooLate(new Paid(LATER), LATER)).isFalse();
        assertThat(orders.takeForgettable(10)).containsExactly("a");
        assertThat(orders.apply("a", new Paid(LATER))).isInstanceOf(Transition.Filled.class);
        assertThat(orders.forget("a")).isFalse();
        assertThat(orders.takeForgettable(10)).isEmpty();
        assertThat(orders.size()).isEqualTo(1);
    }

    @Test
    @DisplayName("B201 orders that had ended before this process took over are forgotten too, the oldest first")
    void takesOver() {
        kept.put("second", OrderState.of(List.of(new Delivered(NOW + 2))));
        kept.put("first", OrderState.of(List.of(new Delivered(NOW + 1))));
        kept.put("open", OrderState.of(List.of(new Picked(LATER + 5))));
        PartitionOrders orders = orders();
        assertThat(orders.takeForgettable(1)).containsExactly("first");
        assertThat(orders.takeForgettable(10)).containsExactly("second");
        assertThat(orders.isTooLate(new Paid(NOW + 3), LATER)).isTrue();
        assertThat(orders.isTooLate(new Paid(NOW + 6), LATER))
                .as("as old as an event may be, though one that was kept is ahead of the clock")
                .isFalse();
    }

    @Test
    @DisplayName("B201 a clock that goes a year ahead makes nobody else's events too late")
    void clockAhead() {
        PartitionOrders orders = orders();
        assertThat(orders.isTooLate(new Paid(LATER + Duration.ofDays(365).toMillis()), LATER))
                .isFalse();
        assertThat(orders.isTooLate(new Paid(LATER), LATER)).isFalse();
    }
}
