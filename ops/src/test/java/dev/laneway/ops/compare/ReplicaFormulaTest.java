package dev.laneway.ops.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The numbers are those of the tests of KEDA and of Kubernetes' replica calculator. */
class ReplicaFormulaTest {
    @ParameterizedTest
    @CsvSource({"10, 1", "20, 2", "40, 4", "50, 5", "99, 10", "100, 10", "101, 20"})
    @DisplayName("B187 an even distribution takes the divisor of the partitions that KEDA's tests name")
    void evenCounts(long lag, long count) {
        assertThat(ReplicaFormula.evenCount(lag, 100, 10)).isEqualTo(count);
    }

    @ParameterizedTest
    @CsvSource({
        "0 0 0, false, false, 0",
        "0 0 0, false, true, 0",
        "0 5 3, false, false, 8",
        "50 50 0, false, true, 20",
        "50 50 0, false, false, 30",
        "25 0 0, false, false, 25"
    })
    @DisplayName("B187 the reported lag ends where each partition, or each that lags, has a replica")
    void reportedLags(String lags, boolean even, boolean laggingOnly, long reported) {
        long[] given =
                Arrays.stream(lags.split(" ", -1)).mapToLong(Long::parseLong).toArray();
        assertThat(ReplicaFormula.reportedLag(given, 10, even, laggingOnly)).isEqualTo(reported);
    }

    @Test
    @DisplayName("B187 63 of 64 replicas stay: the tolerance of 0.1 keeps what KEDA wants from being done")
    void staysBelow() {
        long[] lags = new long[64];
        Arrays.fill(lags, 1_000);
        long reported = ReplicaFormula.reportedLag(lags, 10, false, false);
        assertThat(reported).isEqualTo(640);
        assertThat(ReplicaFormula.byAverageValue(63, (double) reported, 10)).isEqualTo(63);
        assertThat(ReplicaFormula.byAverageValue(58, (double) reported, 10)).isEqualTo(64);
    }

    @ParameterizedTest
    @CsvSource({"3, 8600, 2150, 4", "5, 8600, 2867, 3", "3, 8600, 2900, 3", "3, 20000, 5000, 4", "5, 6000, 2000, 3"})
    @DisplayName("B187 average values make the replicas of Kubernetes' tests")
    void averageValues(int replicas, double value, double target, int wanted) {
        assertThat(ReplicaFormula.byAverageValue(replicas, value, target)).isEqualTo(wanted);
    }

    @ParameterizedTest
    @CsvSource({"3, 0, 50, 30, 5", "3, 0, 102, 100, 3", "5, 0, 28, 50, 3", "2, 1, 60, 30, 4", "1, 2, 40, 30, 3"})
    @DisplayName("B187 processor use makes the replicas of Kubernetes' tests, replicas that are not ready included")
    void uses(int ready, int unready, double use, double target, int wanted) {
        assertThat(ReplicaFormula.byUse(ready, unready, use / 100, target / 100))
                .isEqualTo(wanted);
    }

    @Test
    @DisplayName("B187 up at once, by as many again or by 4; down to the largest wish of five minutes")
    void behaviour() {
        ReplicaBehavior behavior = new ReplicaBehavior(32);
        assertThat(behavior.next(0, 1, 20)).isEqualTo(5);
        assertThat(behavior.next(15, 5, 20)).isEqualTo(10);
        assertThat(behavior.next(30, 10, 20)).isEqualTo(20);
        for (int seconds = 45; seconds <= 330; seconds += 15) {
            assertThat(behavior.next(seconds, 20, 2)).isEqualTo(20);
        }
        assertThat(behavior.next(345, 20, 2)).isEqualTo(2);
        assertThat(behavior.next(360, 2, 400)).isEqualTo(6);
    }
}
