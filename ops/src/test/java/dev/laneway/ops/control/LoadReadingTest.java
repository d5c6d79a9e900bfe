package dev.laneway.ops.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.Metric;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Sample;
import dev.laneway.ops.observe.Series;
import dev.laneway.ops.scale.SourceLoad;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LoadReadingTest {
    private static final long START = 1_790_000_000_000L;
    private static final String CLIENT = "shop-1";

    private final List<Sample> samples = new ArrayList<>();

    private static Map<String, String> tags(int partition) {
        return Map.of("topic", "orders", "partition", "" + partition);
    }

    /** Brokers at so many seconds: two partitions get 100 records a second, commits come each 5 s, 10 s late. */
    private void brokers(int second, int partitions) {
        Map<Metric, Double> numbers = new HashMap<>();
        numbers.put(Metric.of(Groups.GROUP, "members"), 2.0);
        for (int i = 0; i < partitions; i++) {
            double end = 10_000 + 100 * second;
            double committed = 9_000 + 500 * (second / 5);
            numbers.put(Metric.of(Groups.PARTITION, "end", tags(i)), end);
            numbers.put(Metric.of(Groups.PARTITION, "committed", tags(i)), committed);
            numbers.put(Metric.of(Groups.PARTITION, "lag", tags(i)), end - committed);
        }
        samples.add(new Sample(
                "admin", START + second * 1_000L, numbers, Map.of(Metric.of(Groups.GROUP, "state"), "Stable")));
    }

    private LoadReading read() {
        return LoadReading.of(new Observations(samples), 60, 20);
    }

    @Test
    @DisplayName("B191 rates and lag of topics are those of brokers, however commits fall into the window")
    void load() {
        for (int second = 0; second <= 63; second += 3) {
            brokers(second, 2);
        }
        LoadReading load = read();
        assertThat(load.problem()).isNull();
        assertThat(load.members()).isEqualTo(2);
        assertThat(load.isStable()).isTrue();
        SourceLoad orders = load.sources().getFirst();
        assertThat(orders.name()).isEqualTo("orders");
        assertThat(orders.partitions()).isEqualTo(2);
        assertThat(orders.appendRate()).isCloseTo(200, Offset.offset(0.001));
        assertThat(orders.processRate()).isCloseTo(200, Offset.offset(12.0));
        assertThat(orders.lag()).isEqualTo(2 * (10_000 + 6_300 - 9_000 - 6_000));
    }

    @Test
    @DisplayName("B191 a load that rises is told when two looks have seen it, and the wait of the last partition")
    void rises() {
        for (int second = 0; second <= 40; second += 5) {
            brokers(second, 2);
        }
        assertThat(read().sources().getFirst().risenRate()).isNull();
        assertThat(read().sources().getFirst().longestWaitSeconds()).isNull();
        ends(45, 14_900);
        assertThat(read().isRising()).isTrue();
        assertThat(read().sources().getFirst().risenRate()).isNull();
        ends(50, 16_400);
        assertThat(read().isRising()).isFalse();
        assertThat(read().sources().getFirst().risenRate()).isEqualTo(600);
        assertThat(read().sources().getFirst().longestWaitSeconds()).isEqualTo(51.0);
    }

    private void ends(int second, double end) {
        Map<Metric, Double> numbers = new HashMap<>();
        numbers.put(Metric.of(Groups.GROUP, "members"), 2.0);
        for (int i = 0; i < 2; i++) {
            numbers.put(Metric.of(Groups.PARTITION, "end", tags(i)), end);
            numbers.put(Metric.of(Groups.PARTITION, "committed", tags(i)), 9_000.0);
            numbers.put(Metric.of(Groups.PARTITION, "lag", tags(i)), end - 9_000);
            numbers.put(Metric.of(Groups.PARTITION, "age-seconds", tags(i)), second + (double) i);
        }
        samples.add(new Sample(
                "admin", START + second * 1_000L, numbers, Map.of(Metric.of(Groups.GROUP, "state"), "Stable")));
    }

    @Test
    @DisplayName("B191 what is not measured is told as missing, never as a number")
    void missing() {
        assertThat(read().problem()).contains("no broker");
        brokers(0, 2);
        brokers(10, 2);
        assertThat(read().problem()).contains("at least 20 s");
        brokers(20, 2);
        assertThat(read().problem()).isNull();
        brokers(30, 1);
        assertThat(read().problem()).contains("partition orders-1 could not be read");
        assertThat(read().sources()).isEmpty();
    }

    @Test
    @DisplayName("B191 who has stopped to commit is not as fast as before")
    void stopped() {
        List<Series.Point> points = new ArrayList<>();
        for (int second = 0; second <= 60; second += 5) {
            points.add(new Series.Point(START + second * 1_000L, 500.0 * Math.min(second, 30)));
        }
        double rate = LoadReading.rate(new Series("admin", Metric.of(Groups.PARTITION, "committed"), points));
        assertThat(rate).isEqualTo(250);
    }

    /** A consumer's process whose thread is in poll for this ratio, as Kafka tells it. */
    private void process(String source, int second, double ratio, double cpuSeconds) {
        Map<String, String> client = Map.of("client-id", CLIENT);
        samples.add(new Sample(
                source,
                START + second * 1_000L,
                Map.of(
                        Metric.of("consumer-coordinator-metrics", "rebalance-total", client),
                        1.0,
                        Metric.of("consumer-metrics", "poll-idle-ratio-avg", client),
                        ratio,
                        Metric.of(Groups.JVM, "process-cpu-ns-total"),
                        cpuSeconds * 1e9,
                        Metric.of(Groups.JVM, "available-processors"),
                        2.0),
                Map.of()));
    }

    private MemberReading members(int processes, int members) {
        return MemberReading.of(new Observations(samples), 60, processes, members, START + 50_000);
    }

    @Test
    @DisplayName("B191 the busiest member counts, and none is known unless all were seen")
    void busy() {
        assertThat(members(0, 0)).isEqualTo(new MemberReading(null, null, null));
        for (int second = 0; second <= 60; second += 10) {
            process("pid 1", second, 0.25, second * 0.5);
            process("pid 2", second, 0.1, second);
        }
        MemberReading all = members(2, 2);
        assertThat(all.busyShare()).isCloseTo(1 - 0.1 / 0.9, Offset.offset(1e-9));
        assertThat(all.meanShare()).isCloseTo(1 - (0.1 / 0.9 + 0.25 / 0.75) / 2, Offset.offset(1e-9));
        assertThat(all.cpuShare()).isCloseTo(0.5, Offset.offset(1e-9));
        assertThat(members(3, 2).busyShare()).isNull();
        assertThat(members(0, 3).busyShare()).isNull();
    }

    @Test
    @DisplayName("B191 a process that has told nothing lately is not seen")
    void past() {
        process("pid 1", 60, 0.25, 1);
        process("pid 2", 40, 0.1, 1);
        assertThat(members(2, 2).busyShare()).isNull();
        assertThat(members(1, 1).busyShare()).isNotNull();
    }

    @Test
    @DisplayName("B191 of a Laneway its workers count, not the thread that fetches")
    void laneway() {
        for (int second = 0; second <= 60; second += 10) {
            process("pid 1", second, 0.499, 1);
            Map<String, String> name = Map.of("client-id", "shop");
            samples.add(new Sample(
                    "pid 1",
                    START + second * 1_000L,
                    Map.of(
                            Metric.of(Groups.LANEWAY, "busy-ns-total", name), second * 3e9,
                            Metric.of(Groups.LANEWAY, "idle-ns-total", name), second * 1e9),
                    Map.of()));
        }
        assertThat(members(1, 1).busyShare()).isCloseTo(0.75, Offset.offset(1e-9));
    }
}
