package dev.laneway.ops.size;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RateSearchTest {
    private static final double FIRST = 200;
    private static final double MOST = 1e7;

    private static SearchStep.Found found(SimulatedGroup group) {
        return (SearchStep.Found) group.search(RateSearch.from(FIRST, MOST));
    }

    @Property(tries = 60, seed = "1")
    @Label("B183 what a group sustains is found within 8 %, from below, whatever it is and however it jitters")
    void within(@ForAll @DoubleRange(min = 1, max = 200_000) double capacity, @ForAll long seed) {
        SimulatedGroup group = new SimulatedGroup(seed, 0.3, 1e9, (now, waits) -> capacity);
        SearchStep.Found found = found(group);
        assertThat(found.rate()).as(() -> "of " + capacity).isBetween(0.92 * capacity, 1.02 * capacity);
        assertThat(found.end()).isEqualTo(SearchStep.End.NEAR_ENOUGH);
        assertThat(group.trials).isLessThanOrEqualTo(28);
    }

    @ParameterizedTest
    @ValueSource(doubles = {100, 900, 3_200, 40_000})
    @DisplayName("B183 it takes some minutes, not an hour")
    void minutes(double capacity) {
        SimulatedGroup group = new SimulatedGroup(7, 0.1, 1e9, (now, waits) -> capacity);
        found(group);
        assertThat(group.seconds()).isLessThan(300);
    }

    @Test
    @DisplayName("B183 a group that is slow in its first seconds is not taken for a slow group")
    void warmUp() {
        SimulatedGroup group = new SimulatedGroup(1, 0.1, 1e9, (now, waits) -> now < 15 ? 150 + 50 * now : 3_000);
        SearchStep.Found found = found(group);
        assertThat(found.rate()).isBetween(2_760.0, 3_060.0);
        assertThat(found.hasFallen()).isFalse();
    }

    @Test
    @DisplayName("B183 what falls behind at the first look is looked at again, since it has just started")
    void looksAgain() {
        RateSearch again = RateSearch.from(FIRST, MOST).after(trial(FIRST, 150));
        assertThat(again.next()).isEqualTo(new SearchStep.Look(FIRST));
        assertThat(again.after(trial(FIRST, 20)).next()).isEqualTo(new SearchStep.Measure(0.98 * 180));
        assertThat(again.after(trial(FIRST, 0)).next()).isEqualTo(new SearchStep.Look(2.5 * FIRST));
    }

    @Test
    @DisplayName("B183 where a group that falls behind does a third of what it could, the higher rate is found")
    void cliff() {
        SimulatedGroup group = new SimulatedGroup(1, 0.1, 1e9, (now, waits) -> waits > 2_000 ? 1_000 : 3_000);
        assertThat(found(group).rate()).isBetween(2_700.0, 3_060.0);
    }

    @Test
    @DisplayName("B183 of a group that gets slower with time the last rate counts")
    void decay() {
        SimulatedGroup group = new SimulatedGroup(1, 0.05, 1e9, (now, waits) -> Math.max(1_000, 4_000 - 25 * now));
        SearchStep.Found found = found(group);
        assertThat(found.rate()).isLessThan(1.03 * Math.max(1_000, 4_000 - 25 * (group.seconds() - 25)));
    }

    private static Trial trial(double rate, double slope) {
        return new Trial(1, rate, new LagWindow(10, rate, slope, 0, 10, 10), slope <= 0, 0.1);
    }

    @Test
    @DisplayName("B183 a rate that was sustained and twice no longer is has fallen; once may be chance")
    void fallen() {
        RateSearch sustained = RateSearch.near(1_000, MOST)
                .after(trial(1_000, 0))
                .after(trial(1_050, 50))
                .after(trial(1_050, 50));
        assertThat(sustained.next()).isEqualTo(new SearchStep.Confirm(1_000));
        RateSearch unsure = sustained.after(trial(1_000, 100));
        assertThat(unsure.after(trial(1_000, 0)).next())
                .isEqualTo(new SearchStep.Found(1_000, 1_050, SearchStep.End.NEAR_ENOUGH, false));
        RateSearch below = unsure.after(trial(1_000, 100));
        assertThat(below.next()).isEqualTo(new SearchStep.Measure(0.98 * 900));
        assertThat(below.after(trial(882, 0)).next()).isEqualTo(new SearchStep.Measure(1_000 / 1.05));
    }

    @Test
    @DisplayName("B183 if the load cannot be raised, the group sustains at least what came")
    void noMoreLoad() {
        SimulatedGroup group = new SimulatedGroup(1, 0.1, 5_000, (now, waits) -> 50_000);
        SearchStep.Found found = found(group);
        assertThat(found.end()).isEqualTo(SearchStep.End.NO_MORE_LOAD);
        assertThat(found.rate()).isBetween(4_900.0, 5_000.1);
        assertThat(found.tooMuch()).isInfinite();
    }

    @Test
    @DisplayName("B183 a group that does nothing sustains nothing, and the search ends")
    void nothing() {
        SimulatedGroup group = new SimulatedGroup(1, 0, 1e9, (now, waits) -> 0);
        assertThat(group.search(RateSearch.from(FIRST, MOST))).isEqualTo(new SearchStep.Nothing());
        assertThat(group.search(RateSearch.near(FIRST, MOST))).isEqualTo(new SearchStep.Nothing());
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.3, 0.8, 0.97, 1.0, 1.04, 1.3, 5})
    @DisplayName("B183 from an estimate it comes there too, if that is wrong")
    void near(double wrong) {
        SimulatedGroup group = new SimulatedGroup(3, 0.1, 1e9, (now, waits) -> 6_000);
        SearchStep step = group.search(RateSearch.near(wrong * 6_000, MOST));
        assertThat(((SearchStep.Found) step).rate()).isBetween(0.92 * 6_000, 1.02 * 6_000);
    }

    @Test
    @DisplayName("B183 a rate must be more than 0, and a search that has ended takes no more trials")
    void refused() {
        assertThatThrownBy(() -> RateSearch.from(0, 1)).hasMessageContaining("more than 0");
        RateSearch search = RateSearch.near(100, 100);
        Trial fine = new Trial(1, 100, new LagWindow(10, 100, 0, 0, 10, 10), true, 0);
        RateSearch ended = search.after(fine).after(fine);
        assertThat(ended.next()).isInstanceOf(SearchStep.Found.class);
        assertThatThrownBy(() -> ended.after(fine)).hasMessageContaining("has ended");
    }
}
