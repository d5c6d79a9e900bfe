package dev.laneway.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("SimClock")
class SimClockTest {
    private final SimClock clock = new SimClock();
    private final List<String> log = new ArrayList<>();

    @Test
    @DisplayName("what is due runs in order of time, then of scheduling, each at its own time")
    void order() {
        clock.schedule(Duration.ofMillis(2), () -> log.add("b" + clock.nanoTime()));
        clock.schedule(Duration.ofMillis(1), () -> {
            log.add("a" + clock.nanoTime());
            clock.schedule(Duration.ofMillis(1), () -> log.add("d" + clock.nanoTime()));
        });
        clock.schedule(Duration.ofMillis(2), () -> log.add("c" + clock.nanoTime()));
        clock.advance(Duration.ofMillis(3));
        assertThat(log).containsExactly("a1000000", "b2000000", "c2000000", "d2000000");
        assertThat(clock.nanoTime()).isEqualTo(3_000_000);
        assertThat(clock.nextEventNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    @DisplayName("a cancelled action does not run")
    void cancel() {
        SimTimer timer = clock.schedule(Duration.ofMillis(1), () -> log.add("never"));
        timer.cancel();
        clock.advance(Duration.ofSeconds(1));
        assertThat(log).isEmpty();
        assertThat(timer.isPending()).isFalse();
    }

    @Test
    @DisplayName("the wall clock jumps, the other one does not")
    void jumps() {
        assertThat(clock.wallClock().instant()).isEqualTo(Instant.parse("2024-01-01T00:00:00Z"));
        clock.advance(Duration.ofSeconds(1));
        clock.jumpWallClock(Duration.ofHours(-2));
        assertThat(clock.wallClock().instant()).isEqualTo(Instant.parse("2023-12-31T22:00:01Z"));
        assertThat(clock.nanos().getAsLong()).isEqualTo(1_000_000_000L);
    }

    @Test
    @DisplayName("an action cannot move the clock, and nobody can move it back")
    void misuse() {
        clock.schedule(Duration.ZERO, () -> clock.advance(Duration.ofSeconds(1)));
        assertThatThrownBy(() -> clock.advance(Duration.ZERO)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> clock.advance(Duration.ofSeconds(-1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> clock.schedule(Duration.ofSeconds(-1), () -> {}))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
