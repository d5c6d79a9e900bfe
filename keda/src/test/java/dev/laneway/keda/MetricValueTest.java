package dev.laneway.keda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.ops.compare.ReplicaFormula;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class MetricValueTest {
    private static final int MOST = 300;

    /** What a HorizontalPodAutoscaler arrives at, which asks again while it scales. */
    private static int arrives(int replicas, int wanted) {
        int now = replicas;
        for (int i = 0; i < 5; i++) {
            // KEDA gives it thousandths.
            double value = (long) (MetricValue.of(wanted, now) * 1_000) / 1_000.0;
            now = ReplicaFormula.byAverageValue(now, value, MetricValue.TARGET);
        }
        return now;
    }

    @Test
    @DisplayName("B205 a HorizontalPodAutoscaler arrives at exactly what is wanted, or stays where it is known to")
    void exact() {
        int tolerated = 0;
        for (int replicas = 1; replicas <= MOST; replicas++) {
            for (int wanted = 1; wanted <= MOST; wanted++) {
                boolean isTolerated = MetricValue.isTolerated(wanted, replicas);
                tolerated += isTolerated ? 1 : 0;
                assertThat(arrives(replicas, wanted))
                        .as("from %d to %d", replicas, wanted)
                        .isEqualTo(isTolerated ? replicas : wanted);
            }
        }
        assertThat(tolerated).isBetween(1, MOST * MOST / 5);
    }

    @Test
    @DisplayName("B205 steps by one arrive up to 11 replicas and down from 19; with a tolerance of 0 each step arrives")
    void byOne() {
        for (int replicas = 1; replicas <= 10; replicas++) {
            assertThat(arrives(replicas, replicas + 1)).isEqualTo(replicas + 1);
        }
        assertThat(arrives(11, 12)).isEqualTo(11);
        for (int replicas = 2; replicas <= 19; replicas++) {
            assertThat(arrives(replicas, replicas - 1)).isEqualTo(replicas - 1);
        }
        assertThat(arrives(20, 19)).isEqualTo(20);
        for (int replicas = 0; replicas <= MOST; replicas++) {
            for (int wanted = 1; wanted <= MOST; wanted++) {
                assertThat((int) Math.ceil(MetricValue.of(wanted, replicas) / MetricValue.TARGET))
                        .isEqualTo(wanted);
            }
        }
    }
}
