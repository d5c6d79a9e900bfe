package dev.laneway.ops.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.ops.scale.Decision;
import dev.laneway.ops.simulate.Assignor;
import dev.laneway.ops.simulate.Simulation;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PolicyComparisonTest {
    private static PolicyComparison compared(List<String> loads, List<Boolean> states, long seed) {
        return PolicyComparison.of(ScalingContender.ALL, loads, states, List.of(seed), Assignor.COUNT, (_, _) -> {});
    }

    @Test
    @DisplayName("B190 the same seed gives the same rows, and another seed another load")
    void repeats() {
        List<ComparisonRow> rows = compared(List.of("spikes"), List.of(true), 5).rows();
        assertThat(compared(List.of("spikes"), List.of(true), 5).rows()).isEqualTo(rows);
        assertThat(compared(List.of("spikes"), List.of(true), 6).rows()).isNotEqualTo(rows);
    }

    @Test
    @DisplayName("B190 under a ramp the policy has the fewest minutes over the goal, and no other has that for less")
    void isFirst() {
        List<ComparisonRow> rows = PolicyComparison.of(
                        ScalingContender.ALL,
                        List.of("ramp"),
                        List.of(false),
                        List.of(11L, 12L),
                        Assignor.COUNT,
                        (_, _) -> {})
                .rows();
        assertThat(rows.stream().filter(ComparisonRow::isFirst))
                .extracting(ComparisonRow::policy)
                .contains("laneway");
        assertThat(rows).extracting(ComparisonRow::policy).hasSameSizeAs(ScalingContender.ALL);
    }

    @Test
    @DisplayName("B190 what is told the policy is what the simulator did, and its decisions are the decider's own")
    void asksTheDecider() {
        LoadCase load = LoadCases.of("step", false, 5);
        LanewayMembers ours = new LanewayMembers(LanewayMembers.USUAL, load);
        List<Integer> requested = new ArrayList<>();
        Simulation.run(load.scenario(), (tick, detail) -> {
            requested.add(tick.requestedMembers());
            return ours.decide(tick, detail);
        });
        List<Decision> decisions = ours.decisions();
        assertThat(decisions).extracting(Decision::action).contains(Decision.Action.UP, Decision.Action.DOWN);
        assertThat(requested).contains(decisions.getFirst().to().members());
        assertThat(decisions).allMatch(decision -> decision.sentence().startsWith(decision.action() + " from "));
    }

    @Test
    @DisplayName("B190 rows are on the front, and first, by their figures alone")
    void ranks() {
        ComparisonRow cheap = of("a", 10, 50);
        ComparisonRow good = of("b", 0, 80);
        ComparisonRow worse = of("c", 10, 60);
        ComparisonRow most = of("static", 0, 200);
        List<ComparisonRow> all = List.of(cheap, good, worse, most);
        assertThat(all.stream().map(row -> row.ranked(all)).filter(ComparisonRow::isOnFront))
                .extracting(ComparisonRow::policy)
                .containsExactly("a", "b");
        assertThat(all.stream().map(row -> row.ranked(all)).filter(ComparisonRow::isFirst))
                .extracting(ComparisonRow::policy)
                .containsExactly("b");
    }

    private static ComparisonRow of(String policy, double minutes, double hours) {
        return new ComparisonRow("x", false, policy, minutes, 0, 0, hours, 0, 0, false, false);
    }
}
