package dev.laneway.ops.control;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ExpectedRebalancesTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long REMEMBERED = 120 * SECOND;

    private final ExpectedRebalances expected = new ExpectedRebalances(REMEMBERED);

    /** Looks each five seconds from one second to another. */
    private boolean covers(int from, int to, boolean isSettled) {
        boolean covers = false;
        for (int second = from; second <= to; second += 5) {
            covers = expected.covers(second * SECOND, isSettled);
        }
        return covers;
    }

    @Test
    @DisplayName("B210 how a group takes in members that were asked for is no storm, until a check has forgotten it")
    void coversOwnChanges() {
        assertThat(expected.covers(0, true)).isFalse();
        expected.changed(0);
        assertThat(covers(0, 5, true)).as("before the new ones have joined").isTrue();
        assertThat(covers(10, 40, false)).isTrue();
        assertThat(covers(45, 160, true)).isTrue();
        assertThat(covers(165, 170, true))
                .as("two minutes after it has settled")
                .isFalse();
        assertThat(covers(175, 180, false)).as("what comes then").isFalse();
    }

    @Test
    @DisplayName("B210 a group that does not settle after a change is a storm in the end")
    void endsWithoutSettling() {
        expected.changed(0);
        assertThat(covers(0, 295, false)).isTrue();
        assertThat(covers(300, 305, false)).isFalse();
    }

    @Test
    @DisplayName("B210 one that dies now and then is taken in like those, but not one after another")
    void coversOneDeath() {
        expected.started(0);
        assertThat(covers(0, 20, false)).isTrue();
        expected.started(25 * SECOND);
        assertThat(covers(25, 150, true)).isFalse();
        expected.started(200 * SECOND);
        assertThat(covers(200, 210, false)).as("soon after the first").isFalse();
        expected.started(900 * SECOND);
        assertThat(covers(900, 910, false)).as("long after the last").isTrue();
        expected.changed(905 * SECOND);
        assertThat(covers(915, 1_030, true)).isTrue();
    }
}
