package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.cli.BenchFigure.Kind;
import dev.laneway.cli.BenchFigure.Met;
import dev.laneway.cli.BenchFigure.Target;
import dev.laneway.cli.BenchFigure.Unit;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BenchFigureTest {
    private static final Kind MORE_IS_BETTER = new Kind("a", "a", "what", Unit.RATIO, new Target(0.75, 0.95));

    @Test
    @DisplayName("The median is the middle round, or between the two; least and most are those of the rounds")
    void summarises() {
        BenchFigure odd = new BenchFigure(MORE_IS_BETTER, List.of(9.0, 1.0, 3.0));
        assertThat(odd.median()).isEqualTo(3);
        assertThat(odd.min()).isEqualTo(1);
        assertThat(odd.max()).isEqualTo(9);
        assertThat(new BenchFigure(MORE_IS_BETTER, List.of(9.0, 1.0, 3.0, 4.0)).median())
                .isEqualTo(3.5);
        assertThatThrownBy(() -> new BenchFigure(MORE_IS_BETTER, List.of())).hasMessage("a has no rounds");
    }

    @ParameterizedTest
    @CsvSource({
        "0.75, 0.95, 0.95, GOAL",
        "0.75, 0.95, 0.94, MUST",
        "0.75, 0.95, 0.75, MUST",
        "0.75, 0.95, 0.74, NO",
        "300, 100, 100, GOAL",
        "300, 100, 101, MUST",
        "300, 100, 300, MUST",
        "300, 100, 301, NO"
    })
    @DisplayName("A target is met from its value on, upwards or downwards")
    void meets(double must, double goal, double value, Met met) {
        assertThat(new Target(must, goal).met(value)).isEqualTo(met);
    }

    @Test
    @DisplayName("Warm-up rounds are not in the figures, and each column is its kind's")
    void leavesWarmUpOut() {
        Kind second = new Kind("b", "b", "what", Unit.BYTES, null);
        BenchSeries series = new BenchSeries("p1", 1, 2, 1, List.of(MORE_IS_BETTER, second), () -> new double[0]);
        List<BenchFigure> figures =
                series.figures(List.of(new double[] {7, 70}, new double[] {1, 10}, new double[] {2, 20}));
        assertThat(figures.get(0).rounds()).containsExactly(1.0, 2.0);
        assertThat(figures.get(1).rounds()).containsExactly(10.0, 20.0);
        assertThat(figures.get(1).met()).isNull();
        assertThat(series.title(0)).isEqualTo("p1, round 1 of 3 (warm-up)");
        assertThat(series.title(1)).isEqualTo("p1, round 2 of 3");
        assertThat(series.line(new double[] {0.5, 1_234})).isEqualTo("a 0.50, b 1,234 B");
    }

    @Test
    @DisplayName("The table has a row for each figure, and ends with machine and command")
    void prints() {
        BenchFigure figure = new BenchFigure(MORE_IS_BETTER, List.of(0.8, 0.9, 1.0));
        BenchPlan plan = new BenchPlan(Set.of(BenchPart.P1), 1, null, false);
        BenchMachine machine = new BenchMachine(2, 1_000_000, 500_000, 0.5, "os", "jdk", "4.3.1");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new BenchReport("./laneway bench", machine, plan, List.of(figure)).print(Cli.stream(bytes));
        assertThat(bytes.toString(StandardCharsets.UTF_8).lines().toList())
                .containsExactly(
                        "",
                        "id  what  must  goal  measured             met",
                        "a   what  0.75  0.95  0.90 (0.80 to 1.00)  must",
                        "",
                        machine.text(),
                        "./laneway bench");
        assertThat(machine.isQuiet()).isTrue();
    }

    @Test
    @DisplayName("A quick plan has a tenth of the records and few rounds; --rounds wins")
    void plans() {
        BenchPlan usual = new BenchPlan(Set.of(), 1, null, false);
        assertThat(usual.parts()).containsExactly(BenchPart.values());
        assertThat(usual.warmUp(6)).isEqualTo(6);
        assertThat(usual.measured(7)).isEqualTo(7);
        BenchPlan quick = new BenchPlan(Set.of(BenchPart.P1), 1, null, true);
        assertThat(quick.warmUp(6)).isEqualTo(1);
        assertThat(quick.measured(7)).isEqualTo(2);
        assertThat(BenchTopic.T512.records(quick.scale())).isEqualTo(100_000);
        assertThat(new BenchPlan(Set.of(), 1, 4, true).measured(7)).isEqualTo(4);
    }
}
