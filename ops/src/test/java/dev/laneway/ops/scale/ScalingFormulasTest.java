package dev.laneway.ops.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The formulas by the numbers of those who wrote them down first. */
class ScalingFormulasTest {
    @ParameterizedTest
    @CsvSource({
        // busy share, restart s, catch-up s, append, lag; and the capacity by Flink's own test of its thresholds.
        "0.9, 0, 2, 700, 0, 778",
        "0.9, 0, 2, 700, 700, 1128",
        "0.7, 1, 2, 700, 700, 1700",
        "0.7, 1, 2, 700, 0, 1350",
        "0.7, 300, 60, 700, 21000, 4850",
        "0.7, 300, 60, 700, 0, 4500",
        "1, 0, 2, 700, 700, 1050"
    })
    @DisplayName("B161 the need is lag/catchUp + append*restart/catchUp + append/utilization, as Flink has it")
    void needAsFlink(double busy, double restart, double catchUp, double append, double lag, double capacity) {
        assertThat(CapacityNeed.of(append, lag, busy, restart, catchUp)).isCloseTo(capacity, within(0.5));
    }

    @Test
    @DisplayName("B161 a latency goal asks for append + max(0, lag - append*goal)/recover")
    void needForLatency() {
        assertThat(CapacityNeed.forLatency(100, 3_000, 30, 300)).isEqualTo(100); // A2: 100/s and 30 s are 3,000.
        assertThat(CapacityNeed.forLatency(100, 6_000, 30, 300)).isEqualTo(110);
    }

    @Test
    @DisplayName("B161 of 32 partitions 1, 2, 3, 4, 5, 6, 7, 8, 11, 16 and 32 members are useful")
    void usefulCounts() {
        UsefulCounts counts = new UsefulCounts(32, 1);
        assertThat(counts.all()).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 32);
        for (int members = 1; members <= 40; members++) {
            int least = members;
            int expected = counts.all().stream()
                    .filter(each -> each >= least)
                    .findFirst()
                    .orElse(32);
            assertThat(counts.atLeast(members)).as("at least %s", members).isEqualTo(expected);
            assertThat(counts.atMost(members))
                    .as("at most %s", members)
                    .isEqualTo(counts.all().stream()
                            .filter(each -> each <= least)
                            .reduce((_, last) -> last)
                            .orElseThrow());
        }
    }

    @Test
    @DisplayName("B161 with two threads each, half as many members are useful, and none is lost between")
    void usefulCountsOfThreads() {
        assertThat(new UsefulCounts(32, 2).all()).containsExactly(1, 2, 3, 4, 6, 8, 16);
        assertThat(new UsefulCounts(0, 1).atLeast(9)).isEqualTo(9);
    }

    @Test
    @DisplayName("B161 the guide's change from 2 to 3 nodes, of 64 tasks by two warm-ups each 10 min, takes 110 min")
    void costOfWarmups() {
        ChangeCost cost = ChangeCost.of(2, 3, new RestoreLoad(64, 1, 2, 600, 300), 10);
        assertThat(cost.etaSeconds()).isEqualTo(110 * 60);
        assertThat(cost.pauseSeconds()).isEqualTo(10);
    }

    @Test
    @DisplayName("B161 a standby takes over at once; without one, what moves waits until it is restored")
    void costOfLeaving() {
        assertThat(ChangeCost.of(3, 2, new RestoreLoad(64, 1, 2, 600, 300), 10).pauseSeconds())
                .isEqualTo(10);
        assertThat(ChangeCost.of(4, 3, new RestoreLoad(32, 0, 2, 600, 30), 10).pauseSeconds())
                .isEqualTo(10 + 3 * 30); // 8 tasks move to 3 members.
        assertThat(ChangeCost.of(3, 4, new RestoreLoad(32, 0, 0, 0, 30), 10).etaSeconds())
                .isEqualTo(10 + 8 * 30);
    }

    @Test
    @DisplayName("B164 the scaling coefficient is that of least squares through the origin, within 0.5 and 1")
    void scalability() {
        List<ScalingState.Capacity> linear = List.of(seen(1, 100), seen(2, 200), seen(4, 400));
        assertThat(ScalingState.scalability(linear)).isEqualTo(1);
        List<ScalingState.Capacity> less = List.of(seen(1, 100), seen(2, 180), seen(4, 300));
        assertThat(ScalingState.scalability(less)).isCloseTo((100 + 360 + 1_200) / (100.0 * 21), within(1e-9));
        assertThat(ScalingState.scalability(List.of(seen(1, 100), seen(2, 100), seen(4, 100))))
                .isEqualTo(0.5);
        assertThat(ScalingState.scalability(linear.subList(0, 2))).isEqualTo(1);
    }

    private static ScalingState.Capacity seen(int members, double rate) {
        return new ScalingState.Capacity(members, rate);
    }

    @Test
    @DisplayName("B161 the true rate is records by busy time; what was seen counts where members are behind and idle")
    void trueRates() {
        LoadDemand demand = LoadDemand.of(Given.load(2, 0, 100, 100, 0.5), ScalingPolicy.USUAL);
        assertThat(demand.capacity()).isEqualTo(200);
        assertThat(demand.work()).isEqualTo(1);
        LoadDemand behind = LoadDemand.of(Given.load(2, 10_000, 150, 100, 0.5), ScalingPolicy.USUAL);
        assertThat(behind.isObserved()).isTrue();
        assertThat(behind.capacity()).isEqualTo(100);
        assertThat(behind.work()).isEqualTo(3);
        assertThat(LoadDemand.of(Given.load(2, 10_000, 150, 100, 0.9), ScalingPolicy.USUAL)
                        .isObserved())
                .as("an excess of 11 % is believed")
                .isFalse();
    }

    @Test
    @DisplayName("B161 a sub-topology that catches up floods the one behind it, which is reckoned with")
    void propagation() {
        SourceLoad first = SourceLoad.of("0", 8, 36_000, 100, 100);
        SourceLoad second = new SourceLoad("1", 8, 0, 200, 200, null, Map.of("0", 2.0), null, null);
        LoadDemand demand =
                LoadDemand.of(Given.source(Given.load(3, 0, 0, 0, 0.6), first, second), ScalingPolicy.USUAL);
        assertThat(demand.parts().get(1).append()).isEqualTo(2 * (100 + 36_000 / 1_800.0));
    }

    @Test
    @DisplayName("B161 sub-topologies that feed each other in a circle are reckoned, once around")
    void circle() {
        SourceLoad first = new SourceLoad("0", 8, 0, 100, 100, null, Map.of("1", 0.5), null, null);
        SourceLoad second = new SourceLoad("1", 8, 0, 100, 100, null, Map.of("0", 1.0), null, null);
        LoadDemand demand =
                LoadDemand.of(Given.source(Given.load(3, 0, 0, 0, 0.6), first, second), ScalingPolicy.USUAL);
        assertThat(demand.work()).isFinite().isPositive();
    }
}
