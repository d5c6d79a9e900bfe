package dev.laneway.ops.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.laneway.ops.plan.Capacity;
import dev.laneway.ops.plan.Goals;
import dev.laneway.ops.plan.Instance;
import dev.laneway.ops.plan.KafkaSettings;
import dev.laneway.ops.plan.Load;
import dev.laneway.ops.plan.LocalState;
import dev.laneway.ops.plan.MeasuredInstance;
import dev.laneway.ops.plan.Mode;
import dev.laneway.ops.plan.PlanRequest;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SimulationTest {
    private static final Percentage FIVE = Percentage.withPercentage(5);
    private static final long ENDLESS = 1_000_000_000_000L;
    private static final double SERVICE = 0.01;
    private static final ServiceTime EXPONENTIAL = new ServiceTime.Exponential(SERVICE);

    private static Span span(double seconds) {
        return new Span(seconds, seconds / 5, 1, 1, 1);
    }

    /** More records wait than can be done. */
    private static SimulationResult saturated(Group group, Keys keys, ServiceTime service) {
        return Simulation.run(
                Scenario.of(group, Traffic.constant(0), keys, service, span(60)).withBacklog(ENDLESS));
    }

    @ParameterizedTest(name = "{0}: {1} partitions, {2} members of {3} workers, {4} held, {5} keys")
    @DisplayName("B84 B147 the simulated rate is within 5 % of the planner's")
    @CsvSource({
        "KEY, 1, 1, 100, 100, 100",
        "KEY, 1, 1, 100, 500, 100",
        "KEY, 1, 1, 100, 5000, 100",
        "KEY, 8, 4, 100, 500, 400",
        "KEY, 8, 2, 50, 20000, 5000",
        "PARTITION, 32, 2, 64, 1000, 1000",
        "PARTITION, 64, 4, 8, 2000, 1000",
        "UNORDERED, 16, 4, 20, 500, 1000",
        "UNORDERED, 5, 2, 20, 500, 1000",
        "PLAIN, 12, 4, 1, 500, 1000",
        "PLAIN, 12, 5, 1, 500, 1000"
    })
    void asPlanned(Mode mode, int partitions, int members, int workers, int reserve, int keys) {
        Load load = Load.of(1e6, SERVICE, keys);
        Capacity planned = Capacity.of(
                new PlanRequest(
                        mode,
                        load,
                        Instance.USUAL.with(workers, reserve),
                        new Goals(1, 1, 0, 0, 1, 1e9, 0, 0),
                        KafkaSettings.USUAL,
                        LocalState.NONE,
                        MeasuredInstance.NONE),
                partitions,
                members);
        Group group = new Group(mode, partitions, members, workers, reserve, false);
        double fullest = Math.ceilDiv(partitions, members) * (double) members / partitions;
        SimulationResult result = saturated(group, Keys.alike(keys), EXPONENTIAL);
        // The planner wants all partitions to keep up; with endless backlog, members that have fewer still go on.
        assertThat(result.rate()).isCloseTo(planned.rate() * fullest, FIVE);
    }

    @ParameterizedTest(name = "{0} keys by Zipf {1}, {2} records held")
    @DisplayName("B147 the simulated rate is within 5 % of an exact mean value analysis")
    @CsvSource({"50, 0, 50", "50, 0.5, 100", "100, 1, 300", "20, 1.5, 40", "200, 0.8, 1000"})
    void asAnalysed(int count, double zipf, int reserve) {
        Keys keys = new Keys(count, zipf, 0, Double.POSITIVE_INFINITY);
        Group group = new Group(Mode.KEY, 1, 1, reserve, reserve, false);
        assertThat(saturated(group, keys, EXPONENTIAL).rate()).isCloseTo(exact(keys, reserve), FIVE);
    }

    /** Reiser and Lavenberg: a closed network of one queue for each key, with so many records in it. */
    private static double exact(Keys keys, int records) {
        double[] demand = new double[keys.count()];
        Arrays.setAll(demand, keys::weight);
        double all = Arrays.stream(demand).sum();
        double[] queue = new double[demand.length];
        double rate = 0;
        for (int n = 1; n <= records; n++) {
            double time = 0;
            for (int key = 0; key < demand.length; key++) {
                time += demand[key] / all * SERVICE * (1 + queue[key]);
            }
            rate = n / time;
            for (int key = 0; key < demand.length; key++) {
                queue[key] = rate * demand[key] / all * SERVICE * (1 + queue[key]);
            }
        }
        return rate;
    }

    @Test
    @DisplayName("B147 times that are always the same do better than the planner says, as it was measured")
    void fixedTimes() {
        Group group = new Group(Mode.KEY, 1, 1, 100, 100, false);
        assertThat(saturated(group, Keys.alike(100), new ServiceTime.Fixed(SERVICE))
                        .rate())
                .isCloseTo(5_875, FIVE);
    }

    @Test
    @DisplayName("B147 an open queue with one worker has the latency of theory: 1 / (service rate - load)")
    void latencyOfTheory() {
        Group group = new Group(Mode.PLAIN, 1, 1, 1, 100_000, false);
        SimulationResult result = Simulation.run(Scenario.of(
                group, Traffic.constant(70), Keys.alike(100), EXPONENTIAL, new Span(20_000, 100, 10, 30, 7)));
        double mean = 1 / (1 / SERVICE - 70);
        assertThat(result.rate()).isCloseTo(70, Percentage.withPercentage(2));
        assertThat(result.busyShare()).isCloseTo(0.7, within(0.02));
        assertThat(result.p50Seconds()).isCloseTo(mean * Math.log(2), FIVE);
        assertThat(result.p99Seconds()).isCloseTo(mean * Math.log(100), Percentage.withPercentage(8));
    }

    @Test
    @DisplayName("B148 the same seed gives the same result, another one another")
    void seeds() {
        Scenario scenario = disturbed(5);
        SimulationResult first = Simulation.run(scenario, growing());
        assertThat(Simulation.run(scenario, growing())).isEqualTo(first);
        assertThat(Simulation.run(disturbed(6), growing())).isNotEqualTo(first);
    }

    private static Scenario disturbed(long seed) {
        return Scenario.of(
                        new Group(Mode.KEY, 12, 2, 20, 2_000, true),
                        Traffic.daily(500, 3_000, 3),
                        new Keys(5_000, 1, 0, 300),
                        ServiceTime.LogNormal.of(SERVICE, 0.06),
                        new Span(600, 10, 10, 5, seed))
                .withDisturbances(List.of(new Disturbance.Slowdown(100, 50, 4), new Disturbance.StuckKey(200, 100)))
                .withRescaling(new Rescaling(20, 5, true, 1e9, 100e6));
    }

    private static Controller growing() {
        return tick -> new Controller.Decision(
                tick.lag() > 500 ? Math.min(6, tick.members() + 1) : tick.requestedMembers(), tick.concurrency());
    }

    @Test
    @DisplayName("B148 nothing is lost or done twice, whatever is changed while it runs")
    void conserved() {
        Controller restless = tick ->
                new Controller.Decision(1 + (int) (tick.seconds() / 20) % 7, 5 + (int) (tick.seconds() / 10) % 30);
        for (boolean stopsAll : new boolean[] {true, false}) {
            for (Mode mode : Mode.values()) {
                // Traffic that ends, so that all can be done.
                Scenario scenario = Scenario.of(
                                new Group(mode, 13, 3, 20, 300, true),
                                Traffic.step(mode == Mode.PLAIN ? 60 : 700, 0, 400),
                                new Keys(500, 0.6, 0, 200),
                                EXPONENTIAL,
                                new Span(1_500, 0, 10, 5, 11))
                        .withRescaling(new Rescaling(15, 4, stopsAll, 1e9, 200e6));
                SimulationResult result = Simulation.run(scenario, restless);
                assertThat(result.lag()).as(mode + " " + stopsAll).isZero();
                assertThat(result.done()).isEqualTo(result.appended()).isPositive();
                assertThat(result.rescales()).isGreaterThan(50);
            }
        }
    }

    @Test
    @DisplayName("B149 a key that is stuck holds up the others where their records fill the reserve, not if it spills")
    void stuckKey() {
        Disturbance stuck = new Disturbance.StuckKey(60, 120);
        Keys keys = new Keys(1_000, 0, 0.05, Double.POSITIVE_INFINITY);
        SimulationResult[] results = new SimulationResult[2];
        for (int spills = 0; spills < 2; spills++) {
            Group group = new Group(Mode.KEY, 4, 1, 50, 1_000, spills == 1);
            results[spills] = Simulation.run(Scenario.of(group, Traffic.constant(1_000), keys, EXPONENTIAL, span(180))
                    .withDisturbances(List.of(stuck)));
        }
        double held = results[0].ticks().get(170).processRate();
        double spilled = results[1].ticks().get(170).processRate();
        assertThat(held).isLessThan(50);
        assertThat(spilled).isCloseTo(950, Percentage.withPercentage(15));
    }

    @Test
    @DisplayName("B149 a hot key limits the rate to what one worker does of it, and others go on")
    void hotKey() {
        Group group = new Group(Mode.KEY, 4, 1, 50, 10_000, true);
        Keys keys = new Keys(1_000, 0, 0.3, Double.POSITIVE_INFINITY);
        SimulationResult result =
                Simulation.run(Scenario.of(group, Traffic.constant(1_000), keys, EXPONENTIAL, span(100)));
        // 700/s of the others, and 100/s of the 300/s of the hot one.
        assertThat(result.rate()).isCloseTo(800, FIVE);
    }

    @Test
    @DisplayName("B149 when other keys become the frequent ones, another partition gets the load")
    void skewShift() {
        // One of two partitions has nine tenths, 135/s, of which its member does 100/s; then it is the other one.
        Group group = new Group(Mode.PLAIN, 2, 2, 1, 100, false);
        Keys keys = new Keys(2, 0, 0.9, 100);
        SimulationResult result = Simulation.run(Scenario.of(
                group, Traffic.constant(150), keys, new ServiceTime.Fixed(0.01), new Span(200, 0, 10, 30, 1)));
        assertThat(at(result, 90).processRate()).isCloseTo(115, FIVE);
        assertThat(at(result, 120).processRate()).isCloseTo(200, FIVE);
        assertThat(at(result, 200).processRate()).isCloseTo(115, FIVE);
    }

    @Test
    @DisplayName("B149 what handlers call answers at once only so much: more workers then change nothing")
    void downstream() {
        Keys keys = Keys.alike(10_000);
        for (int workers : new int[] {40, 200}) {
            Group group = new Group(Mode.UNORDERED, 4, 2, workers, 2_000, false);
            SimulationResult result = Simulation.run(
                    Scenario.of(group, Traffic.constant(0), keys, new ServiceTime.Fixed(SERVICE), span(30))
                            .withBacklog(ENDLESS)
                            .withDownstream(50));
            assertThat(result.rate()).isCloseTo(5_000, FIVE);
        }
    }

    @Test
    @DisplayName("B150 a controller sees each tick and changes the group; start, pause, restore and hours are counted")
    void controller() {
        Scenario scenario = Scenario.of(
                        new Group(Mode.UNORDERED, 8, 1, 10, 1_000, false),
                        Traffic.step(500, 1_500, 100),
                        Keys.alike(1_000),
                        new ServiceTime.Fixed(SERVICE),
                        new Span(600, 0, 10, 5, 3))
                .withRescaling(new Rescaling(30, 5, false, 8e9, 100e6));
        SimulationResult still = Simulation.run(scenario);
        assertThat(still.lag()).isCloseTo(250_000, FIVE);
        assertThat(still.instanceHours()).isCloseTo(1.0 / 6, within(1e-6));
        SimulationResult result = Simulation.run(
                scenario, tick -> new Controller.Decision(tick.seconds() >= 150 ? 2 : 1, tick.concurrency()));
        assertThat(result.rescales()).isEqualTo(1);
        assertThat(result.instanceHours()).isCloseTo((150 + 2 * 450) / 3_600.0, within(1e-6));
        assertThat(at(result, 180).members()).isEqualTo(1);
        assertThat(at(result, 180).requestedMembers()).isEqualTo(2);
        assertThat(at(result, 190).members()).isEqualTo(2);
        // Four of eight partitions move: after 5 s each takes 10 s to be read again.
        assertThat(at(result, 220).isMoving()).isTrue();
        assertThat(at(result, 230).isMoving()).isFalse();
        assertThat(at(result, 190).processRate()).as("none of them is open").isBetween(900.0, 1_100.0);
        assertThat(at(result, 250).processRate()).isCloseTo(2_000, FIVE);
        assertThat(result.breachMinutes()).isBetween(2.0, still.breachMinutes());
        SimulationResult wider =
                Simulation.run(scenario, tick -> new Controller.Decision(1, tick.seconds() >= 150 ? 20 : 10));
        assertThat(at(wider, 180).processRate()).isCloseTo(2_000, FIVE);
        assertThat(wider.rescales()).isZero();
    }

    private static Tick at(SimulationResult result, double seconds) {
        return result.ticks().stream()
                .filter(tick -> Math.abs(tick.seconds() - seconds) < 1e-6)
                .findFirst()
                .orElseThrow();
    }

    @Test
    @DisplayName("B150 members that are asked for one after the other join one after the other")
    void joining() {
        Scenario scenario = Scenario.of(
                new Group(Mode.KEY, 12, 1, 10, 500, true),
                Traffic.constant(100),
                Keys.alike(1_000),
                EXPONENTIAL,
                new Span(200, 0, 10, 5, 3));
        SimulationResult result = Simulation.run(
                scenario, tick -> new Controller.Decision(tick.seconds() < 100 ? (int) (tick.seconds() / 10) : 2, 10));
        // Asked for at 20 s, 30 s, ...: there 30 s later. From 100 s on two, and those that are on their way do not
        // come.
        assertThat(at(result, 50).members()).isEqualTo(1);
        assertThat(at(result, 60).members()).isEqualTo(2);
        assertThat(at(result, 90).members()).isEqualTo(5);
        assertThat(at(result, 90).requestedMembers()).isEqualTo(8);
        assertThat(at(result, 110).members()).isEqualTo(2);
        assertThat(at(result, 200).members()).isEqualTo(2);
    }

    @Test
    @DisplayName("B150 members that are too many leave at once, and lose nothing")
    void shrinking() {
        Scenario scenario = Scenario.of(
                new Group(Mode.KEY, 12, 6, 10, 500, true),
                Traffic.constant(800),
                Keys.alike(1_000),
                EXPONENTIAL,
                new Span(300, 0, 10, 5, 3));
        SimulationResult result = Simulation.run(
                scenario, tick -> new Controller.Decision(tick.seconds() >= 100 ? 3 : 6, tick.concurrency()));
        assertThat(at(result, 110).members()).isEqualTo(3);
        assertThat(at(result, 110).busyShare()).isGreaterThan(0.2);
        assertThat(at(result, 200).processRate()).isCloseTo(800, FIVE);
        assertThat(at(result, 200).busyShare()).isCloseTo(8 / 30.0, within(0.03));
    }

    @Test
    @DisplayName("B148 traffic and times follow their formulas, and wrong ones are refused")
    void inputs() {
        Traffic cosine = Traffic.cosine(100, 300, 60);
        assertThat(cosine.rate(0)).isEqualTo(100);
        assertThat(cosine.rate(30)).isEqualTo(300);
        assertThat(Traffic.ramp(10, 20, 5, 15).rate(10)).isEqualTo(15);
        assertThat(Traffic.spikes(1, 9, 60, 5).rate(54)).isEqualTo(1);
        assertThat(Traffic.spikes(1, 9, 60, 5).rate(56)).isEqualTo(9);
        assertThat(Traffic.trace(List.of(new Traffic.Point(0, 5), new Traffic.Point(10, 7)))
                        .rate(9.9))
                .isEqualTo(5);
        ServiceTime measured = new ServiceTime.Percentiles(List.of(
                new ServiceTime.Percentiles.Point(0, 0),
                new ServiceTime.Percentiles.Point(0.5, 0.01),
                new ServiceTime.Percentiles.Point(1, 0.03)));
        assertThat(measured.mean()).isCloseTo(0.0125, within(1e-12));
        Group group = new Group(Mode.UNORDERED, 1, 1, 10, 100, false);
        assertThat(saturated(group, Keys.alike(10), measured).rate()).isCloseTo(800, FIVE);
        ServiceTime tail = ServiceTime.LogNormal.of(0.01, 0.08);
        assertThat(saturated(group, Keys.alike(10), tail).rate()).isCloseTo(1_000, FIVE);
        assertThatThrownBy(() -> ServiceTime.LogNormal.of(0.01, 0.5)).hasMessageContaining("p99 is 0.5");
        Scenario endless = Scenario.of(group, Traffic.constant(1e9), Keys.alike(10), tail, span(60));
        assertThatThrownBy(() -> Simulation.run(endless)).hasMessageContaining("60,000,000,000 records but must be");
        assertThatThrownBy(() -> Traffic.trace(List.of())).hasMessageContaining("give at least one");
    }
}
