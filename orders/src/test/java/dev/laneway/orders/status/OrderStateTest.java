package dev.laneway.orders.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.orders.status.OrderEvent.Cancelled;
import dev.laneway.orders.status.OrderEvent.Delivered;
import dev.laneway.orders.status.OrderEvent.OutForDelivery;
import dev.laneway.orders.status.OrderEvent.Paid;
import dev.laneway.orders.status.OrderEvent.Picked;
import dev.laneway.orders.status.OrderEvent.Placed;
import dev.laneway.orders.status.OrderEvent.Shipped;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OrderStateTest {
    @Provide
    Arbitrary<List<OrderEvent>> events() {
        Arbitrary<Long> times = Arbitraries.longs().between(0, 20);
        Arbitrary<String> words = Arbitraries.of("north", "south");
        Arbitrary<OrderEvent> any = Arbitraries.oneOf(
                Combinators.combine(times, words, Arbitraries.longs().between(1, 3))
                        .as((at, word, cents) -> new Placed(at, word, cents, word)),
                times.map(Paid::new),
                times.map(Picked::new),
                Combinators.combine(times, words).as(Shipped::new),
                times.map(OutForDelivery::new),
                times.map(Delivered::new),
                times.map(Cancelled::new));
        return any.list().ofMinSize(1).ofMaxSize(15);
    }

    @Property(tries = 2_000)
    @net.jqwik.api.Label("B180 an order's events end in the same state, in whatever order and however often they come")
    void isTheSame(@ForAll("events") List<OrderEvent> events, @ForAll long seed) {
        Random random = new Random(seed);
        List<OrderEvent> others = new ArrayList<>(events);
        for (OrderEvent event : events) {
            for (int again = random.nextInt(3); again > 0; again--) {
                others.add(event);
            }
        }
        Collections.shuffle(others, random);
        OrderState state = OrderState.of(events);
        OrderState other = OrderState.of(others);
        assertThat(other).isEqualTo(state);
        assertThat(other.change()).isEqualTo(state.change());
        assertThat(OrderJson.state(OrderJson.bytes(state))).isEqualTo(state);
    }

    @Property
    @net.jqwik.api.Label("B180 a status goes back only for a cancelled order that was shipped all the same")
    void goesOn(@ForAll("events") List<OrderEvent> events) {
        OrderState state = OrderState.UNKNOWN;
        for (OrderEvent event : events) {
            OrderStatus before = state.status();
            Transition transition = state.apply(event);
            OrderStatus after = transition.state().status();
            if (before != OrderStatus.CANCELLED) {
                assertThat(after).isGreaterThanOrEqualTo(before);
            }
            boolean isSame = after == before && !state.earliest().isEmpty();
            switch (transition) {
                case Transition.Advanced _ -> assertThat(transition.state()).isNotEqualTo(state);
                case Transition.Filled _ -> {
                    assertThat(isSame).isTrue();
                    assertThat(transition.state()).isNotEqualTo(state);
                }
                case Transition.Repeated _ -> assertThat(transition.state()).isEqualTo(state);
            }
            state = transition.state();
        }
    }

    @Property
    @net.jqwik.api.Label("Every event is read as it was written")
    void isReadAgain(@ForAll("events") List<OrderEvent> events) {
        events.forEach(
                event -> assertThat(OrderJson.event(OrderJson.bytes(event))).isEqualTo(event));
    }

    @Test
    @DisplayName("B180 an order is cancelled unless it is shipped, whichever is told first")
    void cancels() {
        assertThat(OrderState.of(List.of(new Cancelled(5), new Paid(2), new Placed(1, "c", 1, "")))
                        .status())
                .isEqualTo(OrderStatus.CANCELLED);
        assertThat(OrderState.of(List.of(new Cancelled(5), new Shipped(7, "north")))
                        .change())
                .isEqualTo(new StatusChange(OrderStatus.SHIPPED, 7));
        assertThat(OrderState.of(List.of(new Shipped(7, "north"), new Cancelled(5)))
                        .change())
                .isEqualTo(new StatusChange(OrderStatus.SHIPPED, 7));
    }

    @Test
    @DisplayName("B180 a late event fills a gap, a repeated one changes nothing, an earlier one of its kind counts")
    void tells() {
        OrderState state = OrderState.of(List.of(new Placed(1, "c", 1, ""), new Picked(9)));
        assertThat(state.apply(new Paid(4))).isInstanceOf(Transition.Filled.class);
        assertThat(state.apply(new Picked(9))).isInstanceOf(Transition.Repeated.class);
        assertThat(state.apply(new Picked(12))).isInstanceOf(Transition.Repeated.class);
        assertThat(state.apply(new Picked(8))).isInstanceOf(Transition.Advanced.class);
        assertThat(state.lastMillis()).isEqualTo(9);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "no",
                "[]",
                "1",
                "{}",
                "{\"event\":\"LOST\",\"at\":1}",
                "{\"event\":\"PAID\"}",
                "{\"event\":\"PAID\",\"at\":-1}",
                "{\"event\":\"PAID\",\"at\":1.5}",
                "{\"event\":\"SHIPPED\",\"at\":1}",
                "{\"event\":\"PLACED\",\"at\":1,\"customer\":3}"
            })
    @DisplayName("What is no event is refused in one sentence")
    void refuses(String json) {
        assertThatThrownBy(() -> OrderJson.event(json.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageMatching("(?s).{8,80}");
    }
}
