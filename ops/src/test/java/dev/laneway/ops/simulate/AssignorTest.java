package dev.laneway.ops.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.ops.plan.Mode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A group whose partitions have unlike loads: the first has a third of all, and all could be done in time. */
class AssignorTest {
    private static final int PARTITIONS = 12;
    private static final double SERVICE = 0.1;

    private static Scenario scenario(int members, double rate, Keys keys) {
        return Scenario.of(
                new Group(Mode.PLAIN, PARTITIONS, members, 1, 50, false),
                Traffic.constant(rate),
                keys,
                new ServiceTime.Exponential(SERVICE),
                Span.of(1_800, 3));
    }

    private static Scenario by(Assignor assignor, Scenario scenario) {
        return scenario.withGroup(scenario.group().withAssignor(assignor));
    }

    /** Runs a scenario, with another number of members from a time on; who has which partition at each tick. */
    private static List<int[]> owners(Scenario scenario, double from, int members) {
        List<int[]> seen = new ArrayList<>();
        Simulation.run(scenario, (tick, detail) -> {
            seen.add(IntStream.range(0, PARTITIONS).map(detail::owner).toArray());
            return new Controller.Decision(tick.seconds() < from ? tick.requestedMembers() : members, 1);
        });
        return seen;
    }

    private static double fullest(int[] owners, double[] loads, int members) {
        double[] sums = new double[members];
        for (int partition = 0; partition < owners.length; partition++) {
            sums[owners[partition]] += loads[partition];
        }
        return Arrays.stream(sums).max().orElseThrow()
                * members
                / Arrays.stream(loads).sum();
    }

    private static double[] shares(Keys keys, int turn) {
        KeyTable table = new KeyTable(keys, PARTITIONS, turn);
        return IntStream.range(0, PARTITIONS).mapToDouble(table::share).toArray();
    }

    @Test
    @DisplayName("B209 with the same members a group by load keeps up with a skewed topic that one by count does not")
    void keepsUp() {
        Keys keys = new Keys(1_200, 0, 0.25, Double.POSITIVE_INFINITY);
        Scenario scenario = scenario(4, 28, keys);
        SimulationResult byCount = Simulation.run(by(Assignor.COUNT, scenario));
        SimulationResult byLoad = Simulation.run(by(Assignor.LOAD, scenario));
        assertThat(byCount.lag()).isGreaterThan(1_000);
        assertThat(byLoad.lag()).isLessThan(200);
        assertThat(byLoad.p99Seconds()).isLessThan(byCount.p99Seconds() / 10);
    }

    @Test
    @DisplayName("B209 as the assignor it plans at a rebalance alone, by what has come and what is left by then")
    void plansAtRebalances() {
        Keys keys = new Keys(PARTITIONS * 20, 1, 0, 600);
        Scenario scenario = by(Assignor.LOAD, scenario(4, 20, keys));
        double[] before = shares(keys, 0);
        double[] after = shares(keys, keys.turn(PARTITIONS));
        List<int[]> seen = owners(scenario, 1_500, 5);
        int[] first = seen.getFirst();
        int[] last = seen.getLast();
        int[] unmoved = seen.get((int) (seen.size() * 1_490L / 1_800));
        assertThat(fullest(first, before, 4)).isLessThan(1.35);
        assertThat(unmoved).as("nothing moves between rebalances").containsExactly(first);
        assertThat(Arrays.stream(last).distinct().count()).isEqualTo(5);
        assertThat(fullest(last, after, 5)).isLessThan(fullest(first, after, 4));
    }

    @Test
    @DisplayName("B209 where partitions are alike each member has as many, and members that leave leave nothing behind")
    void isEven() {
        Scenario scenario = by(Assignor.LOAD, scenario(4, 20, Keys.alike(PARTITIONS)));
        List<int[]> seen = owners(scenario, 600, 3);
        assertThat(counts(seen.getFirst(), 4)).containsOnly(3);
        assertThat(counts(seen.getLast(), 3)).containsOnly(4);
        int[] first = seen.getFirst();
        int[] last = seen.getLast();
        assertThat(IntStream.range(0, PARTITIONS).filter(partition -> first[partition] < 3))
                .as("who stays keeps what it has")
                .allMatch(partition -> last[partition] == first[partition]);
    }

    private static int[] counts(int[] owners, int members) {
        int[] counts = new int[members];
        Arrays.stream(owners).forEach(owner -> counts[owner]++);
        return counts;
    }

    @Test
    @DisplayName("B209 a controller that gives partitions itself has the last word")
    void yields() {
        Scenario scenario = by(Assignor.LOAD, scenario(4, 20, Keys.alike(PARTITIONS)));
        int[][] last = new int[1][];
        Simulation.run(scenario, new DetailedController() {
            @Override
            public Controller.Decision decide(Tick tick, GroupDetail detail) {
                last[0] = IntStream.range(0, PARTITIONS).map(detail::owner).toArray();
                return new Controller.Decision(tick.seconds() < 600 ? 4 : 5, 1);
            }

            @Override
            public int[] owners(int members) {
                return new int[PARTITIONS];
            }
        });
        assertThat(last[0]).containsOnly(0);
    }

    @Test
    @DisplayName("B209 rates are those of five minutes, and old lag counts as if it were read in ten")
    void measures() {
        long[] appended = new long[2];
        PartitionLoads loads = new PartitionLoads(2, partition -> appended[partition], _ -> 0);
        for (int second = 5; second <= 3_600; second += 5) {
            appended[0] += second <= 3_000 ? 50 : 0;
            appended[1] += second > 3_000 ? 50 : 0;
            loads.note(second * 1_000_000_000L);
        }
        // In the last five minutes 3,000 came into the second alone; of the first 30,000 are left, of the second 6,000.
        assertThat(loads.loads()[0]).isEqualTo(50);
        assertThat(loads.loads()[1]).isBetween(20.0, 20.4);
    }
}
