package dev.laneway.ops.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Health;
import java.util.Arrays;
import java.util.EnumSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CauseTest {
    @ParameterizedTest
    @EnumSource
    @DisplayName("B144 what health tells, check names by the same words")
    void words(Health.Cause told) {
        assertThat(Cause.valueOf(told.name()).words()).isEqualTo(told.words());
        assertThat(new Health(Health.Status.DOWN, java.util.List.of(told.reason("details"))).causes())
                .containsExactly(told);
    }

    @Test
    @DisplayName("B144 no two causes begin alike, so that a reason names one")
    void distinct() {
        for (Cause one : Cause.values()) {
            assertThat(Arrays.stream(Cause.values())
                            .filter(other -> other != one)
                            .map(Cause::words))
                    .noneMatch(words -> words.startsWith(one.words()));
        }
    }

    @Test
    @DisplayName("B144 what health tells while all records flow breaks no group")
    void remarks() {
        for (Health.Cause told :
                EnumSet.of(Health.Cause.RESTART_AT_RISK, Health.Cause.REREADING, Health.Cause.UNSAFE_TRANSACTIONS)) {
            assertThat(Cause.valueOf(told.name()).kind()).isEqualTo(Cause.Kind.RISKS);
        }
    }
}
