package dev.laneway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class StateTest {
    @Test
    @DisplayName("B57 the table of legal moves")
    void moves() {
        assertThat(Stream.of(State.values()).collect(Collectors.toMap(Function.identity(), State::next)))
                .isEqualTo(Map.of(
                        State.STARTING, Set.of(State.RUNNING, State.DRAINING, State.CLOSING, State.FAILED),
                        State.RUNNING, Set.of(State.DRAINING, State.CLOSING, State.FAILED),
                        State.DRAINING, Set.of(State.CLOSING, State.FAILED),
                        State.CLOSING, Set.of(State.CLOSED, State.FAILED),
                        State.CLOSED, Set.of(),
                        State.FAILED, Set.of()));
    }

    @Test
    @DisplayName("B57 a state is terminal when nothing follows it, and a member always gets to one")
    void terminal() {
        for (State state : State.values()) {
            assertThat(state.isTerminal())
                    .as("%s", state)
                    .isEqualTo(state.next().isEmpty());
            assertThat(state.isTerminal() || state.next().contains(State.FAILED))
                    .as("%s may fail", state)
                    .isTrue();
        }
    }

    @Test
    @DisplayName("B57 the declared order is the order of life, so the least of several members is the least far")
    void orderOfLife() {
        for (State state : State.values()) {
            assertThat(state.next()).allSatisfy(next -> assertThat(next).isGreaterThan(state));
        }
    }
}
