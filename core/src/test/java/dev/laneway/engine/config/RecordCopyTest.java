package dev.laneway.engine.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RecordCopyTest {
    private static final Pair<List<String>> PAIR = new Pair<>(1, List.of("a"));

    record Pair<T>(int first, @Nullable T second) {}

    record Throwing(@Nullable Throwable thrown) {
        Throwing {
            if (thrown instanceof RuntimeException refusal) {
                throw refusal;
            }
            if (thrown instanceof Error error) {
                throw error;
            }
        }
    }

    @Test
    @DisplayName("one component is changed, also to null, and the original is left alone")
    void changesOne() {
        assertThat(RecordCopy.with(PAIR, "first", 2)).isEqualTo(new Pair<>(2, List.of("a")));
        assertThat(RecordCopy.with(PAIR, "second", null)).isEqualTo(new Pair<List<String>>(1, null));
        assertThat(PAIR).isEqualTo(new Pair<>(1, List.of("a")));
    }

    @Test
    @DisplayName("what the constructor throws comes out unchanged")
    void refusalsComeOut() {
        Throwing quiet = new Throwing(null);
        for (Throwable thrown : List.of(new IllegalStateException("no"), new AssertionError("broken"))) {
            assertThatThrownBy(() -> RecordCopy.with(quiet, "thrown", thrown)).isSameAs(thrown);
        }
    }

    @Test
    @DisplayName("a component that the record does not have is refused")
    void noSuchComponent() {
        assertThatThrownBy(() -> RecordCopy.with(PAIR, "third", 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has no component third");
    }
}
