package dev.laneway.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.laneway.orders.OrderPopulation.Mix;
import dev.laneway.orders.OrderPopulation.Told;
import dev.laneway.orders.status.OrderEvent;
import dev.laneway.orders.status.OrderEvent.Cancelled;
import dev.laneway.orders.status.OrderEvent.Picked;
import dev.laneway.orders.status.OrderEvent.Placed;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class OrderPopulationTest {
    private static List<Told> told(Mix mix, int count) {
        OrderPopulation orders = new OrderPopulation(mix, "run", 1);
        List<Told> told = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            told.add(orders.next(i));
        }
        return told;
    }

    @Test
    @DisplayName("B182 the first records place an order each, and then as many stay in flight")
    void inFlight() {
        OrderPopulation orders = new OrderPopulation(new Mix(1_000, 0, 0, 0.03, 20), "run", 1);
        for (int i = 0; i < 1_000; i++) {
            assertThat(orders.next(i).event()).isInstanceOf(Placed.class);
        }
        for (int i = 0; i < 100_000; i++) {
            orders.next(i);
        }
        assertThat(orders.placed() - orders.ended()).isBetween(999L, 1_000L);
        assertThat(orders.ended()).isGreaterThan(10_000);
    }

    @Test
    @DisplayName("B182 as many events come late and twice as was asked for, and none without an order")
    void mix() {
        int count = 200_000;
        List<Told> told = told(new Mix(100, 0.1, 0.05, 0.03, 20), count);
        Set<Told> once = new HashSet<>(told);
        assertThat((count - once.size()) / (double) count).isCloseTo(0.05, within(0.01));
        long late = 0;
        long newest = 0;
        for (Told each : told) {
            late += each.event().atMillis() < newest ? 1 : 0;
            newest = Math.max(newest, each.event().atMillis());
        }
        assertThat(late / (double) count).isCloseTo(0.14, within(0.03));
    }

    @Test
    @DisplayName("B182 events are of orders drawn by lot, of which as many are cancelled as was asked for")
    void orders() {
        List<Told> told = told(new Mix(500, 0, 0, 0.2, 20), 100_000);
        List<Told> last = told.subList(99_000, 100_000);
        assertThat(last.stream().map(Told::order).distinct().count())
                .as("events that follow one another are seldom of one order")
                .isGreaterThan(350);
        double cancelled = count(told, Cancelled.class);
        assertThat(cancelled / (cancelled + count(told, Picked.class))).isCloseTo(0.2, within(0.02));
        assertThat(told)
                .filteredOn(each -> each.event() instanceof Placed)
                .allSatisfy(each -> assertThat(((Placed) each.event()).items()).hasSize(20));
    }

    private static double count(List<Told> told, Class<? extends OrderEvent> kind) {
        return told.stream().filter(each -> kind.isInstance(each.event())).count();
    }

    @Test
    @DisplayName("B182 the same seed makes the same happen")
    void isTheSame() {
        Mix mix = new Mix(50, 0.2, 0.2, 0.2, 5);
        assertThat(told(mix, 5_000)).isEqualTo(told(mix, 5_000));
    }
}
