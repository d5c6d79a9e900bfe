package dev.laneway.ops.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlannerTest {
    private static final double MILLION = 1_000_000;

    private static PlanRequest request(Mode mode, double service, long keys, int concurrency, int reserve) {
        return PlanRequest.of(
                mode, Load.of(MILLION, service, keys), Instance.USUAL.with(concurrency, reserve), Goals.BARE);
    }

    private static PlanRequest given(PlanRequest request, int partitions, int members) {
        return new PlanRequest(
                request.mode(),
                request.load(),
                request.instance(),
                request.goals().with(partitions, members),
                request.kafka(),
                request.state(),
                MeasuredInstance.NONE);
    }

    private static Map<Mode, ModePlan> modes(PlanRequest request) {
        return Planner.plan(request).modes().stream().collect(Collectors.toMap(ModePlan::mode, each -> each));
    }

    @ParameterizedTest(name = "{0}: {2} partitions, {3} members")
    @DisplayName("B84 a million records a second of 10 ms, by Little's law, as Parallel Consumer's authors found it")
    @CsvSource({
        "PLAIN, 0, 100, 100",
        "PLAIN, 0.01, 10000, 10000",
        "PARTITION, 0.01, 10000, 10",
        "KEY, 0.01, 100, 10",
        "UNORDERED, 0.01, 100, 10"
    })
    void million(Mode mode, double service, int partitions, int members) {
        ModePlan plan = modes(request(mode, service, 10_000, 1_000, 0)).get(mode);
        assertThat(plan.partitions()).isEqualTo(partitions);
        assertThat(plan.members()).isEqualTo(members);
        assertThat(plan.little().rate()).isEqualTo(MILLION);
    }

    @Test
    @DisplayName("B84 a thousand keys of 10 ms carry 100,000/s, and the plan says to go unordered")
    void tooFewKeys() {
        Plan plan = Planner.plan(request(Mode.KEY, 0.01, 1_000, 1_000, 0));
        ModePlan key = modes(plan.request()).get(Mode.KEY);
        assertThat(key.little()).isEqualTo(new Capacity(100_000, Limit.KEYS));
        assertThat(plan.isEnough()).isFalse();
        assertThat(plan.warnings()).anyMatch(each -> each.contains("unordered") && each.contains("100,000/s"));
        assertThat(plan.warnings()).anyMatch(each -> each.contains("limited by the number of keys"));
    }

    @Test
    @DisplayName("B84 a thousand partitions and a hundred members: 10,000/s one at a time, 10 M/s in parallel")
    void thousandPartitions() {
        Map<Mode, ModePlan> modes = modes(given(request(Mode.KEY, 0.01, 10_000, 1_000, 0), 1_000, 100));
        assertThat(modes.get(Mode.PLAIN).little()).isEqualTo(new Capacity(10_000, Limit.WORKERS));
        assertThat(modes.get(Mode.PARTITION).little().rate()).isEqualTo(100_000);
        assertThat(modes.get(Mode.KEY).little().rate()).isEqualTo(MILLION);
        assertThat(modes.get(Mode.UNORDERED).little().rate()).isEqualTo(10 * MILLION);
    }

    @ParameterizedTest(name = "a reserve of {0}: {1}/s")
    @DisplayName("B84 a hundred keys and workers do what the reserve lets them, not what Little's law allows")
    @CsvSource({"100, 5025", "500, 8347", "5000, 9806"})
    void reserve(int reserve, double rate) {
        PlanRequest request = given(request(Mode.KEY, 0.01, 100, 100, reserve), 1, 1);
        Capacity real = Capacity.of(request, 1, 1);
        // One partition would take 10,000/s, which none of these reaches.
        assertThat(real.rate()).isCloseTo(rate, within(1.0));
        assertThat(real.limit()).isEqualTo(Limit.RESERVE);
        assertThat(Capacity.little(request, 1, 1).rate()).isEqualTo(10_000);
    }

    @Test
    @DisplayName("B84 numbers of members worth having for 32 partitions")
    void useful() {
        assertThat(Planner.usefulMembers(32)).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 32);
        assertThat(Planner.usefulMembers(1)).containsExactly(1);
    }

    @Test
    @DisplayName("B146 room to spare, growth, a failed member and catching up are added to what the load takes")
    void goals() {
        Load load = Load.of(10_000, 0.01, 1_000_000);
        Goals goals = new Goals(0.5, 2, 1, 600, 1_200, 10_000, 0, 0);
        Plan plan = Planner.plan(PlanRequest.of(Mode.KEY, load, Instance.USUAL.with(100, 0), goals));
        // 20,000 grown; twice that for half use, and half of it to catch up ten minutes in twenty.
        assertThat(plan.need()).isEqualTo(50_000);
        assertThat(plan.isEnough()).isTrue();
        assertThat(plan.chosen().real().rate()).isGreaterThanOrEqualTo(50_000);
        int one = plan.chosen().members() - 1;
        assertThat(Capacity.of(
                                plan.request(),
                                plan.chosen().partitions() / plan.chosen().members() * one,
                                one)
                        .rate())
                .as("with one member less")
                .isLessThan(50_000);
        assertThat(plan.members()).isEqualTo(plan.chosen().members() + 1);
        assertThat(plan.figure("catch_up_seconds").value()).isLessThanOrEqualTo(1_200);
        assertThat(plan.figure("utilisation").value()).isLessThan(0.5);
    }

    @Test
    @DisplayName("B146 a disk gives what volume and machine both allow, and then limits the rate")
    void disk() {
        Load load = new Load(10_000, 0.0001, 100_000, 0, 500, 25_000, 500, 0);
        Instance gp3 = new Instance(256, 0, 64e6, 125e6, 143.75e6, 1e9, 0.2);
        Capacity two = Capacity.of(PlanRequest.of(Mode.KEY, load, gp3, Goals.BARE), 32, 2);
        assertThat(two).isEqualTo(new Capacity(10_000, Limit.DISK));
        Instance large = new Instance(256, 0, 64e6, 1_000e6, 143.75e6, 1e9, 0.2);
        assertThat(Capacity.of(PlanRequest.of(Mode.KEY, load, large, Goals.BARE), 32, 2))
                .isEqualTo(new Capacity(11_500, Limit.DISK));
    }

    @Test
    @DisplayName("B146 members that cannot share the partitions evenly carry no more than the fewer that can")
    void uneven() {
        PlanRequest request = PlanRequest.of(
                Mode.UNORDERED, Load.of(100_000, 0.01, 0), Instance.USUAL.with(10, 0), Goals.BARE.with(32, 0));
        assertThat(Capacity.of(request, 32, 20).rate())
                .isEqualTo(Capacity.of(request, 32, 16).rate());
        assertThat(Capacity.of(request, 32, 20).limit()).isEqualTo(Limit.UNEVEN);
    }

    @Test
    @DisplayName("B146 a hot key limits the rate to what one worker does of it")
    void hotKey() {
        Load load = new Load(1_000, 0.01, 1_000, 0.2, 1_000, 0, 1_000, 0);
        Plan plan = Planner.plan(PlanRequest.of(Mode.KEY, load, Instance.USUAL, Goals.BARE));
        assertThat(plan.chosen().real().rate()).isCloseTo(500, within(1e-6));
        assertThat(plan.chosen().real().limit()).isEqualTo(Limit.HOT_KEY);
        assertThat(plan.isEnough()).isFalse();
    }

    @Test
    @DisplayName("B146 one poll of slow records that outlasts half the poll interval is warned of, with a number")
    void pollInterval() {
        PlanRequest slow = PlanRequest.of(Mode.PLAIN, Load.of(10, 0.5, 0), Instance.USUAL, Goals.BARE);
        assertThat(Planner.plan(slow).warnings()).singleElement().asString().contains("max.poll.records to 300");
        PlanRequest fast = PlanRequest.of(Mode.PLAIN, Load.of(10, 0.2, 0), Instance.USUAL, Goals.BARE);
        assertThat(Planner.plan(fast).warnings()).isEmpty();
    }

    @Test
    @DisplayName("B146 large records fill the buffer before the reserve is full, and the plan says so")
    void largeRecords() {
        Load load = new Load(1_000, 0.1, 10_000, 0, 1e6, 0, 1e6, 0);
        Plan plan = Planner.plan(PlanRequest.of(Mode.KEY, load, Instance.USUAL, Goals.BARE));
        assertThat(plan.figure("reserve").value()).isEqualTo(67);
        assertThat(plan.figure("busy_workers").value()).isLessThanOrEqualTo(67);
        assertThat(plan.warnings()).anyMatch(each -> each.contains("bufferBytes"));
    }

    @Test
    @DisplayName("B146 every figure of every mode is explained in one sentence")
    void sentences() {
        LocalState state = new LocalState(36e9, 50e6, 64);
        for (Mode mode : Mode.values()) {
            Load load = new Load(10_000, 0.002, 100_000, 0, 500, 5_000, 500, 0.0001);
            Instance size = new Instance(64, 0, 64e6, 125e6, 143.75e6, 1e9, 0.2);
            Plan plan = Planner.plan(
                    new PlanRequest(mode, load, size, Goals.USUAL, KafkaSettings.USUAL, state, MeasuredInstance.NONE));
            assertThat(plan.isEnough()).as(mode.word()).isTrue();
            assertThat(plan.figures()).hasSizeGreaterThan(15).allSatisfy(figure -> {
                assertThat(figure.sentence()).endsWith(".").hasSizeGreaterThan(8);
                assertThat(figure.text()).isNotBlank();
                assertThat(figure.value()).as(figure.name()).isGreaterThanOrEqualTo(0);
            });
        }
    }

    @Test
    @DisplayName("B146 a value that makes no sense is refused where it is made")
    void wrong() {
        assertThatThrownBy(() -> Load.of(-1, 0.01, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("rate is -1.0 but must be more than 0: give such a number");
        assertThatThrownBy(() -> new Goals(Double.NaN, 1, 1, 0, 1, 1, 0, 0)).hasMessageContaining("utilisation");
    }
}
