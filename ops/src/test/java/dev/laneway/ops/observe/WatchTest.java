package dev.laneway.ops.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WatchTest {
    private static final Metric COUNT = Metric.of(Groups.LANEWAY, "processed-total");
    private static final Metric LAG = Metric.of(Groups.LANEWAY_PARTITION, "lag");
    private static final Metric STATE = Metric.of(Groups.LANEWAY, "state");

    /** Counts its rounds, one a second. */
    private static final class Counting implements Source {
        private int rounds;

        @Override
        public String name() {
            return "counting";
        }

        @Override
        public Sample read(Duration limit) {
            double count = ++rounds;
            return new Sample("counting", 1_000L * rounds, Map.of(COUNT, count, LAG, count), Map.of(STATE, "RUNNING"));
        }

        @Override
        public void close() {}
    }

    @Test
    @DisplayName(
            "B169 A watch that goes on for ever remembers of each group of metrics what it is told to, and no more")
    void remembers() {
        try (Watch watch = new Watch(List.of(new Counting()), Duration.ofSeconds(1), _ -> {})) {
            for (int second = 1; second <= 1_000; second++) {
                watch.round();
                long now = 1_000L * second;
                watch.forgetBefore(group -> now - (group.equals(Groups.LANEWAY_PARTITION) ? 30_000 : 600_000));
                watch.thinBefore(Groups.LANEWAY, now - 90_000, 15_000);
            }
            Observations seen = watch.observations();
            assertThat(seen.one("counting", LAG).orElseThrow().points()).hasSize(31);
            Series count = seen.one("counting", COUNT).orElseThrow();
            assertThat(count.points()).hasSizeBetween(91 + 33, 91 + 35);
            assertThat(count.seconds()).isBetween(585.0, 600.0);
            assertThat(count.growth()).isEqualTo(count.last() - count.first());
            assertThat(seen.text(STATE)).contains("RUNNING");
            assertThat(seen.seconds()).isEqualTo(600);
        }
    }

    @Test
    @DisplayName("B169 What is forgotten whole is as if it had never been told")
    void forgets() {
        try (Watch watch = new Watch(List.of(new Counting()), Duration.ofSeconds(1), _ -> {})) {
            watch.round();
            Observations before = watch.observations();
            watch.forgetBefore(2_000);
            assertThat(watch.observations().has(Groups.LANEWAY)).isFalse();
            assertThat(watch.observations().sources(_ -> true)).isEmpty();
            assertThat(before.has(Groups.LANEWAY)).as("what was observed stays").isTrue();
        }
    }

    @Test
    @DisplayName("B167 The latest seconds of a series are those before its last point, and at least so many points")
    void latest() {
        Series series = new Series(
                "s",
                COUNT,
                List.of(
                        new Series.Point(0, 0),
                        new Series.Point(5_000, 50),
                        new Series.Point(10_000, 60),
                        new Series.Point(15_000, 61)));
        assertThat(series.latest(10, 2).first()).isEqualTo(50);
        assertThat(series.latest(10, 2).growth()).isEqualTo(11);
        assertThat(series.latest(1, 3).first()).isEqualTo(50);
        assertThat(series.latest(1, 1).points()).hasSize(1);
        assertThat(series.latest(100, 1)).isSameAs(series);
    }
}
