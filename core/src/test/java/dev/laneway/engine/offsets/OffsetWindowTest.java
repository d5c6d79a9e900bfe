package dev.laneway.engine.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class OffsetWindowTest {

    private final OffsetWindow window = new OffsetWindow();

    @Test
    @DisplayName("B1 an empty window commits the cursor, any other its lowest undone offset")
    void committable() {
        assertThat(window.committable(42)).isEqualTo(42);

        add(10, 11, 12, 20);
        assertThat(window.committable(21)).isEqualTo(10);

        assertThat(window.remove(11)).isTrue();
        assertThat(window.committable(21)).isEqualTo(10);

        assertThat(window.remove(10)).isTrue();
        assertThat(window.committable(21)).isEqualTo(12);

        window.remove(20);
        window.remove(12);
        assertThat(window.isEmpty()).isTrue();
        assertThat(window.committable(21)).isEqualTo(21);
    }

    @Test
    @DisplayName("B1 a cursor that has not passed every undone offset is refused")
    void cursorBehind() {
        add(5, 6);
        assertThatIllegalStateException()
                .isThrownBy(() -> window.committable(6))
                .withMessageContaining("6");
        assertThat(window.committable(7)).isEqualTo(5);
    }

    @Test
    void secondCompletionIsReported() {
        add(1, 2, 3, 4);
        assertThat(window.remove(2)).isTrue();
        assertThat(window.remove(2)).isFalse();
        assertThat(window.remove(1)).isTrue();
        assertThat(window.remove(1)).isFalse();
        assertThat(window.remove(99)).isFalse();
        assertThat(window.remove(-1)).isFalse();
        assertThat(window.remove(~4L)).isFalse();
        assertThat(window.toArray()).containsExactly(3, 4);
    }

    @Test
    void offsetsMustAscendEvenAfterTheWindowWasEmpty() {
        add(7);
        assertThatIllegalStateException().isThrownBy(() -> window.add(7)).withMessageContaining("7");
        assertThatIllegalStateException().isThrownBy(() -> window.add(6));
        window.remove(7);
        assertThatIllegalStateException().isThrownBy(() -> window.add(7));
        assertThatIllegalStateException().isThrownBy(() -> new OffsetWindow().add(-1));
        window.add(8);
        assertThat(window.first()).isEqualTo(8);
    }

    @Test
    void anEmptyWindowHasNoFirst() {
        assertThatIllegalStateException().isThrownBy(window::first);
    }

    @Test
    void visitsTheUndoneInOrder() {
        add(3, 5, 8, 9, 13);
        window.remove(8);
        List<Long> seen = new ArrayList<>();
        window.forEach(seen::add);
        assertThat(seen).containsExactly(3L, 5L, 9L, 13L);
        assertThat(window.contains(9)).isTrue();
        assertThat(window.contains(8)).isFalse();
        assertThat(window.contains(10)).isFalse();
        assertThat(window).hasToString("OffsetWindow[4 undone from 3]");
    }

    @Test
    @DisplayName("B9 offsets that the log lost are done at once")
    void removesRange() {
        add(1, 2, 3, 10, 11, 12);
        window.remove(3);
        assertThat(window.removeRange(2, 11)).isEqualTo(2);
        assertThat(window.toArray()).containsExactly(1, 11, 12);
        assertThat(window.removeRange(4, 11)).isZero();
        assertThat(window.removeRange(0, Long.MAX_VALUE)).isEqualTo(3);
        assertThat(window.isEmpty()).isTrue();
    }

    @Test
    void edgesAreWhereRunsMeet() {
        assertThat(window.edges(9)).containsExactly(9);
        add(9, 10, 11, 12, 20, 30, 31);
        assertThat(window.edges(32)).containsExactly(9, 13, 20, 21, 30);
        assertThat(window.edges(33)).containsExactly(9, 13, 20, 21, 30, 32, 33);
        window.remove(11);
        assertThat(window.edges(32)).containsExactly(9, 11, 12, 13, 20, 21, 30);
        window.removeRange(11, 32);
        assertThat(window.edges(32)).containsExactly(9, 11, 32);
        window.remove(9);
        window.remove(10);
        assertThat(window.edges(32)).containsExactly(32);
    }

    @Test
    @DisplayName("B16 memory follows what is undone, not the span")
    void stuckRecordKeepsTheWindowSmall() {
        window.add(0);
        int inFlight = 100;
        for (long offset = 1; offset <= 1_000_000; offset++) {
            window.add(offset);
            if (offset > inFlight) {
                assertThat(window.remove(offset - inFlight)).isTrue();
            }
        }
        assertThat(window.size()).isEqualTo(1 + inFlight);
        assertThat(window.slots()).isLessThanOrEqualTo(4 * window.size());
        assertThat(window.capacity()).isLessThanOrEqualTo(512);
    }

    @Test
    void shrinksWhenItEmpties() {
        for (long offset = 0; offset < 100_000; offset++) {
            window.add(offset);
        }
        assertThat(window.capacity()).isGreaterThanOrEqualTo(100_000);
        for (long offset = 99_999; offset >= 0; offset--) {
            window.remove(offset);
        }
        assertThat(window.capacity()).isEqualTo(OffsetWindow.MIN_CAPACITY);
        assertThat(window.slots()).isZero();
    }

    @Test
    void shrinksWhileAStuckRecordIsLeft() {
        for (long offset = 0; offset < 100_000; offset++) {
            window.add(offset);
        }
        for (long offset = 1; offset < 99_999; offset++) {
            window.remove(offset);
        }
        assertThat(window.toArray()).containsExactly(0, 99_999);
        assertThat(window.capacity()).isLessThanOrEqualTo(64);
    }

    @Test
    @DisplayName("B1 offset 0 is an offset like others")
    void offsetZero() {
        add(0, 1, 2);
        List<Long> seen = new ArrayList<>();
        window.forEach(seen::add);
        assertThat(seen).containsExactly(0L, 1L, 2L);
        assertThat(window.toArray()).containsExactly(0, 1, 2);
        assertThat(window.edges(4)).containsExactly(0, 3, 4);
        window.remove(2);
        window.remove(1);
        assertThat(window.contains(0)).isTrue();
        assertThat(window.edges(4)).containsExactly(0, 1, 4);
        assertThat(window.removeRange(0, 1)).isEqualTo(1);
        assertThat(window.isEmpty()).isTrue();
    }

    @Test
    @DisplayName("B16 a window is rebuilt only when more of it is dead than live")
    void rebuiltLate() {
        addAll(36);
        removeAll(1, 18);
        assertThat(window.slots()).isEqualTo(36);
        window.remove(35); // The last slot is given up; of the 35 that are left 17 are dead.
        assertThat(window.slots()).isEqualTo(35);
        window.remove(34);
        assertThat(window.slots()).isEqualTo(34);
        window.remove(33);
        assertThat(window.size()).isEqualTo(16);
        assertThat(window.slots()).isEqualTo(16);
    }

    @Test
    @DisplayName("B16 a rebuilt window is at most half full")
    void halfFull() {
        addAll(16);
        assertThat(window.capacity()).isEqualTo(16);
        window.add(16);
        assertThat(window.capacity()).isEqualTo(32);
        for (long offset = 17; offset < 33; offset++) {
            window.add(offset);
        }
        assertThat(window.capacity()).isEqualTo(64);
    }

    @Test
    @DisplayName("B16 a window shrinks when a quarter of its memory is enough, not when half is")
    void shrinksLate() {
        addAll(33);
        removeAll(1, 18);
        assertThat(window.size()).isEqualTo(16);
        assertThat(window.slots()).isEqualTo(16);
        assertThat(window.capacity()).isEqualTo(64);

        for (long offset = 33; offset < 42; offset++) {
            window.add(offset);
        }
        removeAll(18, 35);
        assertThat(window.toArray()).containsExactly(0, 35, 36, 37, 38, 39, 40, 41);
        assertThat(window.slots()).isEqualTo(8);
        assertThat(window.capacity()).isEqualTo(16);
    }

    @Test
    @DisplayName("B16 an empty window keeps memory for 1,024 offsets, and no more")
    void idleMemory() {
        addAll(OffsetWindow.MAX_IDLE_CAPACITY);
        assertThat(window.removeRange(0, Long.MAX_VALUE)).isEqualTo(OffsetWindow.MAX_IDLE_CAPACITY);
        assertThat(window.capacity()).isEqualTo(OffsetWindow.MAX_IDLE_CAPACITY);
        for (long offset = 2_000; offset < 2_001 + OffsetWindow.MAX_IDLE_CAPACITY; offset++) {
            window.add(offset);
        }
        assertThat(window.removeRange(0, Long.MAX_VALUE)).isEqualTo(1 + OffsetWindow.MAX_IDLE_CAPACITY);
        assertThat(window.capacity()).isEqualTo(OffsetWindow.MIN_CAPACITY);
    }

    private void addAll(int count) {
        for (long offset = 0; offset < count; offset++) {
            window.add(offset);
        }
    }

    private void removeAll(long from, long to) {
        for (long offset = from; offset < to; offset++) {
            assertThat(window.remove(offset)).isTrue();
        }
    }

    private void add(long... offsets) {
        for (long offset : offsets) {
            window.add(offset);
        }
    }
}
