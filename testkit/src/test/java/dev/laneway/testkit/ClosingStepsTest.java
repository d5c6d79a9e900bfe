package dev.laneway.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("ClosingSteps")
class ClosingStepsTest {

    private final List<String> ran = new ArrayList<>();
    private final ClosingSteps steps = new ClosingSteps();

    @Test
    @DisplayName("steps run last first, and once")
    void order() {
        steps.add(() -> ran.add("first"));
        steps.add(() -> ran.add("second"));

        steps.run();
        steps.run();

        assertThat(ran).containsExactly("second", "first");
    }

    @Test
    @DisplayName("a failing step stops no other; the first failure is thrown with the others attached")
    void failures() {
        steps.add(() -> ran.add("first"));
        steps.add(() -> fail("second"));
        steps.add(() -> fail("third"));

        assertThatThrownBy(steps::run)
                .hasMessage("third")
                .satisfies(thrown -> assertThat(thrown.getSuppressed())
                        .singleElement()
                        .satisfies(other -> assertThat(other).hasMessage("second")));
        assertThat(ran).containsExactly("first");
    }

    private static void fail(String message) {
        throw new IllegalStateException(message);
    }
}
