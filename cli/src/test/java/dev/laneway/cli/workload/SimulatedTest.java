package dev.laneway.cli.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SimulatedTest {
    private static final int OFFSETS = 100_000;

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.001, 0.1, 0.5, 1})
    @DisplayName("The asked share of attempts fails, whatever partition and attempt")
    void failsTheAskedShare(double rate) {
        for (int partition = 0; partition < 3; partition++) {
            for (int attempt = 1; attempt <= 3; attempt++) {
                double share = (double) failures(rate, partition, attempt) / OFFSETS;
                assertThat(share).isCloseTo(rate, within(5 * Math.sqrt(rate * (1 - rate) / OFFSETS)));
            }
        }
    }

    @Test
    @DisplayName("Attempts of a record fail independently: half of those that failed once fail again")
    void attemptsAreIndependent() {
        int both = 0;
        for (int offset = 0; offset < OFFSETS; offset++) {
            both += Simulated.fails(0.5, 0, offset, 1) && Simulated.fails(0.5, 0, offset, 2) ? 1 : 0;
        }
        assertThat((double) both / OFFSETS).isCloseTo(0.25, within(0.01));
    }

    @Test
    @DisplayName("The failures stay the same between releases: a run can be told by its figures")
    void isPinned() {
        assertThat(failures(0.01, 0, 1)).isEqualTo(1_004);
    }

    private static int failures(double rate, int partition, int attempt) {
        int failures = 0;
        for (int offset = 0; offset < OFFSETS; offset++) {
            failures += Simulated.fails(rate, partition, offset, attempt) ? 1 : 0;
        }
        return failures;
    }
}
