package dev.laneway.ops.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.laneway.ops.plan.Mode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DetailedControllerTest {
    private static final int PARTITIONS = 8;

    private static Scenario scenario() {
        return Scenario.of(
                new Group(Mode.PLAIN, PARTITIONS, 2, 1, 50, false),
                Traffic.constant(10),
                Keys.alike(PARTITIONS),
                new ServiceTime.Fixed(0.1),
                Span.of(600, 3));
    }

    @Test
    @DisplayName("B188 what is seen of single members and partitions adds up to what is seen of all")
    void addsUp() {
        double[] busy = new double[1];
        SimulationResult result = Simulation.run(scenario(), (tick, detail) -> {
            long appended = IntStream.range(0, detail.partitions())
                    .mapToLong(detail::appended)
                    .sum();
            long done = IntStream.range(0, detail.partitions())
                    .mapToLong(detail::done)
                    .sum();
            assertThat(appended - done).isEqualTo(tick.lag());
            busy[0] = detail.busySeconds(0) + detail.busySeconds(1);
            assertThat(detail.busySeconds(7)).isZero();
            return new Controller.Decision(2, 1);
        });
        assertThat(busy[0]).isCloseTo(result.busyShare() * 2 * 600, within(0.5));
    }

    @Test
    @DisplayName("B188 a controller says who gets which partition, also while the members stay")
    void assigns() {
        int[] wanted = {0, 0, 0, 0, 0, 0, 0, 1};
        List<int[]> seen = new ArrayList<>();
        SimulationResult result = Simulation.run(scenario(), new DetailedController() {
            private boolean isReassigning;

            @Override
            public Controller.Decision decide(Tick tick, GroupDetail detail) {
                seen.add(IntStream.range(0, detail.partitions())
                        .map(detail::owner)
                        .toArray());
                isReassigning = tick.seconds() == 100;
                return new Controller.Decision(2, 1);
            }

            @Override
            public int[] owners(int members) {
                return wanted;
            }

            @Override
            public boolean isReassigning() {
                return isReassigning;
            }
        });
        assertThat(Arrays.stream(seen.getFirst()).filter(owner -> owner == 0).count())
                .isEqualTo(4);
        assertThat(seen.getLast()).isEqualTo(wanted);
        assertThat(result.rescales()).isEqualTo(1);
    }
}
