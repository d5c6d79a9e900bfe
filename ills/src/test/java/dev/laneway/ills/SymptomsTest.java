package dev.laneway.ills;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whether each illness has its symptom, and its healthy twin has not. {@code -Dills.only=a,b} names some; the figures
 * go to target/symptoms.txt.
 */
@Tag("all-illnesses")
class SymptomsTest {
    private static final Duration WARM_UP =
            Duration.ofSeconds(Integer.getInteger("ills.warm-up", (int) Setting.WARM_UP.toSeconds()));
    private static final String COORDINATOR = "type=consumer-coordinator-metrics";
    private static final String FETCH = "type=consumer-fetch-manager-metrics";
    private static final String CONSUMER = "type=consumer-metrics";

    /** Whether a symptom shows, and its figures. */
    private record Symptom(boolean shows, String figures) {}

    static Stream<Arguments> all() {
        List<String> only = List.of(System.getProperty("ills.only", "").split(","));
        return Illnesses.all().stream()
                .map(Illness::name)
                .filter(name -> only.contains("") || only.contains(name))
                .flatMap(name -> Stream.of(Strength.values()).map(strength -> Arguments.of(name, strength)));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("all")
    void shows(String name, Strength strength) throws Exception {
        long begin = System.nanoTime();
        try (Setting setting = Illnesses.named(name).orElseThrow().start(strength, WARM_UP)) {
            double started = (System.nanoTime() - begin) / 1e9;
            Observed seen = Observed.of(setting);
            Symptom symptom = symptom(name, seen, setting);
            String line = String.format(
                    Locale.ROOT,
                    "%-22s %-8s %-5s started %.0f s; lag %,d %+.0f/s, standing %d, cpu %.2f, gc %.2f, unsettled %d/%d;"
                            + " %s%n",
                    name,
                    strength,
                    symptom.shows(),
                    started,
                    seen.last().lag(),
                    seen.lagGrowth(),
                    seen.standing(),
                    seen.cpu(),
                    seen.gcShare(),
                    seen.unsettled(),
                    Observed.SECONDS + 1,
                    symptom.figures());
            Files.writeString(
                    Path.of("target", "symptoms.txt"), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            assertThat(symptom.shows()).as(line).isEqualTo(strength != Strength.HEALTHY);
            assertThat(started).isLessThan(45);
            if (strength == Strength.HEALTHY) {
                assertThat(seen.last().lag()).as(line).isLessThan(400);
                assertThat(seen.unsettled()).as(line).isZero();
            }
        }
    }

    private static Symptom symptom(String name, Observed seen, Setting setting) {
        double growth = seen.lagGrowth();
        long standing = seen.standing();
        return switch (name) {
            case "stuck-member" ->
                new Symptom(
                        standing > 0 && seen.max(COORDINATOR, "last-heartbeat-seconds-ago") < 5,
                        "last heartbeat %.0f s, last poll %.0f s ago"
                                .formatted(
                                        seen.max(COORDINATOR, "last-heartbeat-seconds-ago"),
                                        seen.max(CONSUMER, "last-poll-seconds-ago")));
            case "stuck-key" ->
                new Symptom(standing > 0 && standing < 4, "%d of 4 partitions stand".formatted(standing));
            case "poison-record" ->
                new Symptom(
                        standing > 0 && seen.max(CONSUMER, "last-poll-seconds-ago") < 3,
                        "last poll %.0f s ago".formatted(seen.max(CONSUMER, "last-poll-seconds-ago")));
            case "hot-key", "skewed-partitions" ->
                new Symptom(
                        growth > 20 && seen.largestShare() > 0.8,
                        "%.2f of the lag in one partition".formatted(seen.largestShare()));
            case "too-few-partitions" ->
                new Symptom(
                        growth > 20
                                && seen.last().partitions().size() < seen.last().members(),
                        "%d partitions, %d members"
                                .formatted(
                                        seen.last().partitions().size(),
                                        seen.last().members()));
            case "too-few-threads" -> new Symptom(growth > 20 && seen.cpu() < 1.3, "cpu of 2");
            case "slow-external-service" -> new Symptom(growth > 20 && seen.cpu() < 0.3, "cpu low");
            case "over-provisioned" ->
                new Symptom(seen.cpu() < 0.4 && seen.last().lag() < 100, "");
            case "throttled-client" ->
                new Symptom(
                        seen.max(FETCH, "fetch-throttle-time-avg") > 10 && growth > 10,
                        "fetch-throttle-time-avg %.0f ms".formatted(seen.max(FETCH, "fetch-throttle-time-avg")));
            case "slow-acks" ->
                new Symptom(
                        seen.max("type=producer-metrics", "request-latency-avg") > 30 && growth > 10,
                        "producer's request-latency-avg %.1f ms, flush %.2f"
                                .formatted(
                                        seen.max("type=producer-metrics", "request-latency-avg"),
                                        seen.growth("type=producer-metrics", "flush-time-ns-total")
                                                / 1e9
                                                / Observed.SECONDS));
            default -> other(name, seen, setting);
        };
    }

    private static Symptom other(String name, Observed seen, Setting setting) {
        double live = seen.max("heap", "live") / seen.max("heap", "max");
        return switch (name) {
            case "long-gc" -> new Symptom(seen.gcShare() > 0.2 && live < 0.75, "live %.2f of the heap".formatted(live));
            case "small-heap" -> new Symptom(live > 0.85, "live %.2f of the heap".formatted(live));
            case "small-block-cache" ->
                new Symptom(
                        seen.readMegabytes() > 5 && seen.lagGrowth() > 20,
                        "reads %.1f MB/s, hit ratio %.2f"
                                .formatted(
                                        seen.readMegabytes(),
                                        seen.max("stream-state-metrics", "block-cache-data-hit-ratio")));
            case "small-write-buffer" ->
                new Symptom(
                        seen.writtenMegabytes() > 20 && seen.lagGrowth() > 20,
                        "writes %.1f MB/s, write buffers of %.0f kB, compactions' bytes written %.0f/s, stall %.0f"
                                .formatted(
                                        seen.writtenMegabytes(),
                                        seen.max("stream-state-metrics", "size-all-mem-tables") / 1e3,
                                        seen.max("stream-state-metrics", "bytes-written-compaction-rate"),
                                        seen.max("stream-state-metrics", "write-stall-duration-total")));
            case "state-in-tmp" ->
                new Symptom(
                        Files.exists(Path.of("/tmp/kafka-streams/state-in-tmp"))
                                || Files.exists(Path.of("/tmp/laneway-ill-"
                                        + ProcessHandle.current().pid())),
                        "state in /tmp");
            case "poll-interval-exceeded" ->
                new Symptom(
                        seen.max(CONSUMER, "time-between-poll-max") > 3_000,
                        "time-between-poll-max %.0f ms".formatted(seen.max(CONSUMER, "time-between-poll-max")));
            case "session-timeout" ->
                new Symptom(
                        seen.max(COORDINATOR, "heartbeat-response-time-max") > 600
                                && seen.max(COORDINATOR, "rebalance-total") > 2,
                        "heartbeat-response-time-max %.0f ms, rebalances %.0f"
                                .formatted(
                                        seen.max(COORDINATOR, "heartbeat-response-time-max"),
                                        seen.max(COORDINATOR, "rebalance-total")));
            case "rebalance-storm" ->
                new Symptom(
                        seen.max(COORDINATOR, "rebalance-total") > 4,
                        "rebalance-total of the settled member %.0f"
                                .formatted(seen.max(COORDINATOR, "rebalance-total")));
            case "static-member-gone" ->
                new Symptom(
                        seen.standing() > 0
                                && setting.pids().size() < seen.last().members(),
                        "%d processes, %d members"
                                .formatted(setting.pids().size(), seen.last().members()));
            case "standby-restoring" ->
                new Symptom(
                        seen.max("restore-consumer", "records-lag-max") > 5_000,
                        "restore consumer's lag %.0f, active restoring %.0f, standby updating %.0f"
                                .formatted(
                                        seen.max("restore-consumer", "records-lag-max"),
                                        seen.max("stream-state-updater-metrics", "active-restoring-tasks"),
                                        seen.max("stream-state-updater-metrics", "standby-updating-tasks")));
            case "retention-overtakes" -> {
                long nearest = seen.last().partitions().values().stream()
                        .mapToLong(place -> place.committed() - place.start())
                        .min()
                        .orElse(0);
                yield new Symptom(
                        nearest < 3_000 && seen.last().lag() > 500,
                        "committed is %d after the log's start".formatted(nearest));
            }
            case "sticky-one" -> {
                long ones = seen.last().partitions().entrySet().stream()
                        .filter(entry -> entry.getKey().topic().equals("paid")
                                && entry.getValue().lag() == 1)
                        .count();
                yield new Symptom(ones > 0, "%d partitions of lag 1".formatted(ones));
            }
            case "broker-away" ->
                new Symptom(
                        seen.last().state().equals(Vitals.UNREACHABLE),
                        "connections %.0f, last heartbeat %.0f s ago"
                                .formatted(
                                        seen.max(CONSUMER, "connection-count"),
                                        seen.max(COORDINATOR, "last-heartbeat-seconds-ago")));
            default -> throw new IllegalArgumentException(name);
        };
    }
}
