package dev.laneway.ops.check;

import static dev.laneway.ops.check.Made.MIB;
import static dev.laneway.ops.check.Made.stores;
import static dev.laneway.ops.check.Made.streams;
import static dev.laneway.ops.check.Made.streamsAt;
import static dev.laneway.ops.check.RuleCase.fail;
import static dev.laneway.ops.check.RuleCase.ok;
import static dev.laneway.ops.check.RuleCase.unknown;
import static dev.laneway.ops.check.RuleCase.warn;
import static dev.laneway.ops.check.RuleId.C10;
import static dev.laneway.ops.check.RuleId.C11;
import static dev.laneway.ops.check.RuleId.C8;
import static dev.laneway.ops.check.RuleId.P3;
import static dev.laneway.ops.check.RuleId.P4;
import static dev.laneway.ops.check.RuleId.S4;
import static dev.laneway.ops.check.RuleId.U3;
import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.ops.observe.Groups;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class StreamsRulesTest {
    private static final Seen NOBODY = Seen.of("admin").text(Groups.GROUP, "state", "", "STABLE");
    private static final Seen CONSUMER =
            Seen.of("pid 1").number("consumer-coordinator-metrics", "assigned-partitions", "client-id=c", 3);

    private static Seen threads(double wanted, double alive, double... failed) {
        Seen seen = Seen.of("pid 1")
                .number("stream-metrics", "alive-stream-threads", "client-id=a", alive)
                .number("stream-metrics", "failed-stream-threads", "client-id=a", failed)
                .number("stream-metrics", "client-state", "client-id=a,process-id=p", 2);
        return wanted > 0
                ? seen.text(Groups.CONFIG, "num.stream.threads", "client-id=a", Figures.number(wanted))
                : seen;
    }

    private static Seen state(Seen seen, int thread, double ordinal) {
        return seen.number("stream-thread-metrics", "thread-state", "process-id=p,thread-id=" + thread, ordinal);
    }

    static Stream<RuleCase> alive() {
        return Stream.of(
                ok(S4, "all", threads(4, 4, 0)),
                ok(S4, "more than configured", threads(4, 5, 0)),
                ok(S4, "replaced before it was watched", threads(4, 4, 3, 3)),
                ok(S4, "how many is not known", threads(0, 4, 0)),
                ok(S4, "threads run: 4", state(threads(1, 1, 0), 1, 4)),
                ok(S4, "a thread has its partitions revoked: 2", state(threads(1, 1, 0), 1, 2)),
                warn(S4, "a thread stops: 5", state(threads(1, 1, 0), 1, 5), Cause.DEAD_THREADS),
                warn(S4, "a thread is dead: 6", state(threads(1, 1, 0), 1, 6), Cause.DEAD_THREADS),
                warn(S4, "one failed and was replaced", threads(4, 4, 3, 4), Cause.DEAD_THREADS),
                warn(S4, "one failed, how many there were is not known", threads(0, 3, 1), Cause.DEAD_THREADS),
                warn(S4, "one fewer, none failed", threads(4, 3, 0), null),
                fail(S4, "one failed", threads(4, 3, 1), Cause.DEAD_THREADS),
                fail(S4, "none left", threads(0, 0, 2), Cause.DEAD_THREADS),
                fail(
                        S4,
                        "in the second process",
                        threads(4, 4, 0)
                                .and("pid 2")
                                .number("stream-metrics", "alive-stream-threads", "client-id=a", 0)
                                .number("stream-metrics", "failed-stream-threads", "client-id=a", 1),
                        Cause.DEAD_THREADS),
                ok(S4, "no Kafka Streams", CONSUMER),
                unknown(S4, "not exported", state(Seen.of("pid 1"), 1, 4)),
                unknown(S4, "nobody inside", NOBODY));
    }

    private static Seen directory(String path, String type) {
        Seen seen = streams().text(Groups.CONFIG, "state.dir", "client-id=a", path);
        return type.isEmpty()
                ? seen
                : seen.number(Groups.VOLUME, "total-bytes", "path=/", 10).text(Groups.VOLUME, "type", "path=/", type);
    }

    static Stream<RuleCase> place() {
        return Stream.of(
                ok(P3, "a volume", directory("/state", "ext4")),
                ok(P3, "begins with tmp", directory("/tmpfiles/state", "")),
                ok(P3, "no Kafka Streams", CONSUMER),
                warn(P3, "the default", directory("/tmp/kafka-streams", "ext4"), Cause.STATE_IN_TMP),
                warn(P3, "another temporary directory", directory("/var/tmp/x", ""), Cause.STATE_IN_TMP),
                warn(P3, "in memory", directory("/state", "tmpfs"), Cause.STATE_IN_TMP),
                warn(P3, "the container's own", directory("/state", "overlay"), null),
                unknown(P3, "not told", streams()),
                unknown(P3, "nobody inside", NOBODY),
                ok(P4, "DEBUG", stores(streamsAt(1), 3, MIB)),
                ok(P4, "INFO without stores", streams()),
                ok(P4, "no Kafka Streams", CONSUMER),
                warn(P4, "INFO with stores", stores(streams(), 3, MIB), null),
                warn(P4, "TRACE", streamsAt(2), null),
                unknown(P4, "not told", threads(4, 4, 0)),
                unknown(P4, "nobody inside", NOBODY));
    }

    private static Seen tasks(int threads, int withTask) {
        Seen seen = streams();
        for (int i = 0; i < threads; i++) {
            state(seen, i, 4);
            if (i < withTask) {
                seen.number("stream-task-metrics", "active-process-ratio", "task-id=0_" + i + ",thread-id=" + i, 0.5);
            }
        }
        return seen;
    }

    private static Seen lag(Seen seen, double... lags) {
        return seen.and("admin").number(Groups.PARTITION, "lag", "partition=0,topic=t", lags);
    }

    private static Seen members(double members, double partitions) {
        return Seen.of("admin").number(Groups.GROUP, "members", members).number(Groups.GROUP, "partitions", partitions);
    }

    static Stream<RuleCase> work() {
        return Stream.of(
                ok(C8, "a task each", lag(tasks(4, 4), 5000, 6000)),
                ok(C8, "a dead thread needs none", state(tasks(4, 4), 9, 6)),
                warn(C8, "one without, nothing waits", tasks(4, 3), null),
                warn(C8, "one without, little waits", lag(tasks(4, 3), 900, 1000), null),
                warn(C8, "one without, it gets less", lag(tasks(4, 3), 9000, 8000), null),
                fail(C8, "one without while records wait", lag(tasks(4, 3), 900, 1001), Cause.TOO_FEW_PARTITIONS),
                ok(C8, "a partition for each member", members(3, 3)),
                warn(C8, "more members than partitions", members(4, 3), null),
                fail(C8, "more members, records wait", lag(members(4, 3), 2000, 2000), Cause.TOO_FEW_PARTITIONS),
                ok(C8, "a consumer with partitions", CONSUMER),
                warn(
                        C8,
                        "a consumer without",
                        Seen.of("pid 1")
                                .number("consumer-coordinator-metrics", "assigned-partitions", "client-id=c", 0)
                                .number("consumer-coordinator-metrics", "assigned-partitions", "client-id=d", 2),
                        null),
                unknown(C8, "threads are not seen", streams()),
                unknown(C8, "nothing seen", NOBODY));
    }

    private static Seen time(double commit, double punctuate) {
        return streams()
                .number("stream-thread-metrics", "commit-ratio", "thread-id=t", commit, commit)
                .number("stream-thread-metrics", "punctuate-ratio", "thread-id=t", punctuate, punctuate);
    }

    static Stream<RuleCase> times() {
        return Stream.of(
                ok(C10, "processing", time(0.05, 0)),
                ok(C10, "exactly at both limits", time(0.2, 0.2)),
                warn(C10, "commits", time(0.21, 0), null),
                warn(C10, "commits, exactly at the severe limit", time(0.5, 0), null),
                fail(C10, "mostly commits", time(0.51, 0), Cause.KAFKA_BOUND),
                warn(C10, "punctuators", time(0, 0.21), null),
                unknown(C10, "not a number", time(Double.NaN, Double.NaN)),
                unknown(C10, "not seen", streams()),
                ok(C10, "no Kafka Streams", CONSUMER));
    }

    private static Seen dropped(double... totals) {
        return streams().number("stream-task-metrics", "dropped-records-total", "task-id=0_0,thread-id=t", totals);
    }

    private static Seen processed(Seen seen, double... totals) {
        return seen.number("stream-thread-metrics", "process-total", "thread-id=t", totals);
    }

    static Stream<RuleCase> lost() {
        return Stream.of(
                ok(C11, "none", dropped(0, 0)),
                ok(C11, "before it was watched", dropped(7, 7)),
                ok(C11, "some are fine", dropped(0, 7)).with(Threshold.DROPPED, 7),
                warn(C11, "some", processed(dropped(0, 7), 0, 1000), null),
                warn(C11, "exactly at the share", processed(dropped(0, 10), 0, 1000), null),
                fail(C11, "many", processed(dropped(0, 11), 0, 1000), null),
                fail(C11, "more than it processes", processed(dropped(0, 1001), 0, 1000), Cause.UNREADABLE),
                fail(C11, "all", processed(dropped(0, 50), 0, 0), Cause.UNREADABLE),
                fail(C11, "as many as it processes: late ones", processed(dropped(0, 1000), 0, 1000), null),
                warn(C11, "the counter starts anew", processed(dropped(500, 3), 0, 1000), null),
                warn(C11, "one sample tells since the start", processed(dropped(7), 1000), null),
                unknown(C11, "no task", streams()),
                unknown(C11, "not a number", dropped(Double.NaN)),
                ok(C11, "no Kafka Streams", CONSUMER));
    }

    private static Seen restoring(double... tasks) {
        return streams().number("stream-state-updater-metrics", "active-restoring-tasks", "thread-id=u", tasks);
    }

    private static Seen standby(double tasks, double behind) {
        return restoring(0, 0)
                .number("stream-state-updater-metrics", "standby-updating-tasks", "thread-id=u", tasks)
                .number(
                        "consumer-fetch-manager-metrics",
                        "records-lag",
                        "client-id=a-restore-consumer,partition=0,topic=t-changelog",
                        behind)
                .number(
                        "consumer-fetch-manager-metrics",
                        "records-lag",
                        "client-id=a-consumer,partition=0,topic=t",
                        1e9);
    }

    static Stream<RuleCase> restores() {
        return Stream.of(
                ok(U3, "nothing", restoring(0, 0)),
                ok(U3, "it has ended", restoring(3, 1, 0)),
                ok(U3, "for one moment", restoring(0, 0, 2)),
                fail(U3, "for two moments", restoring(0, 2, 2), Cause.RESTORING),
                fail(U3, "one sample", restoring(2), Cause.RESTORING),
                ok(U3, "standbys, exactly at the limit", standby(4, 10_000)),
                warn(U3, "standbys far behind", standby(4, 10_001), Cause.RESTORING),
                ok(U3, "behind, but no standby", standby(0, 1e6)),
                unknown(U3, "not seen", streams()),
                unknown(U3, "not a number", restoring(Double.NaN)),
                ok(U3, "no Kafka Streams", CONSUMER));
    }

    @ParameterizedTest
    @MethodSource({"alive", "place", "work", "times", "lost", "restores"})
    @DisplayName("B83 Rules about Kafka Streams judge what was seen")
    void judges(RuleCase row) {
        row.check(StreamsRules.all());
    }

    @Test
    @DisplayName("B83 What is left to restore comes with the time that it takes")
    void restoreTime() {
        Seen seen = restoring(2, 2, 2)
                .number("stream-task-metrics", "restore-remaining-records-total", "task-id=0_0", 6000, 5000, 4000);
        Finding found = fail(U3, "restoring", seen, Cause.RESTORING).check(StreamsRules.all());
        assertThat(found.diagnosis())
                .isEqualTo("2 tasks of pid 1 cannot process until 4,000 records are restored, in about 40 s.");
    }

    @Test
    @DisplayName("B83 A finding is about the worst process, with the evidence of all that are as bad")
    void worst() {
        Seen seen = threads(0, 0, 1)
                .and("pid 2")
                .number("stream-metrics", "alive-stream-threads", "client-id=a", 0)
                .number("stream-metrics", "failed-stream-threads", "client-id=a", 3)
                .and("pid 3")
                .number("stream-metrics", "alive-stream-threads", "client-id=a", 4)
                .number("stream-metrics", "failed-stream-threads", "client-id=a", 0);
        Finding found = fail(S4, "two of three", seen, Cause.DEAD_THREADS).check(StreamsRules.all());
        assertThat(found.evidence())
                .anyMatch(line -> line.startsWith("pid 1"))
                .anyMatch(line -> line.startsWith("pid 2"))
                .noneMatch(line -> line.startsWith("pid 3"));
    }

    @Test
    @DisplayName("B83 Numbers in findings are short, with units, and the same in every language")
    void figures() {
        assertThat(Figures.percent(0.8)).isEqualTo("80%");
        assertThat(Figures.percent(0.0812)).isEqualTo("8.1%");
        assertThat(Figures.number(1234567)).isEqualTo("1,234,567");
        assertThat(Figures.number(100)).isEqualTo("100");
        assertThat(Figures.number(0.5)).isEqualTo("0.5");
        assertThat(Figures.bytes(512 * MIB)).isEqualTo("512 MiB");
        assertThat(Figures.bytes(1536)).isEqualTo("1.5 KiB");
        assertThat(Figures.time(90)).isEqualTo("90 s");
        assertThat(Figures.time(120)).isEqualTo("2 min");
        assertThat(Figures.time(7 * 86_400)).isEqualTo("7 days");
        assertThat(Figures.count(1, "store")).isEqualTo("1 store");
        assertThat(Figures.count(2, "store")).isEqualTo("2 stores");
    }
}
