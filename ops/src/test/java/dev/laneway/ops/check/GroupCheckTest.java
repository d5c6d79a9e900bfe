package dev.laneway.ops.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.ops.observe.Observations;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class GroupCheckTest {
    private static Group healthy() {
        return Group.stable(2)
                .partition("m0", 100, 1_000, 100, 1_000)
                .partition("m1", 100, 1_000, 100, 1_000)
                .consumer(0, 0.5, 1)
                .consumer(1, 0.5, 1);
    }

    /** More comes than is done, in both partitions alike. */
    private static Group behind(double idle) {
        return Group.stable(2)
                .partition("m0", 0, 500, 100, 1_000)
                .partition("m1", 0, 500, 100, 1_000)
                .partition("m0", 0, 500, 100, 1_000)
                .partition("m1", 0, 500, 100, 1_000)
                .consumer(0, idle, 2)
                .consumer(1, idle, 2);
    }

    private static String member(String id) {
        return "member-id=" + id + ",client-id=c0,host=/127.0.0.1,instance-id=";
    }

    static Stream<Arguments> stories() {
        return Stream.of(
                story("healthy", healthy()),
                story(
                        "broken BROKER_AWAY",
                        healthy().text("admin", "source", "unreachable", "", "list of groups: no answer within 9 ms")),
                story("broken NO_MEMBERS", Group.stable(0).partition("", 5, 0, 10, 10)),
                story(
                        "broken STUCK_MEMBER",
                        Group.stable(2)
                                .partition("m0", 100, 0, 500, 1_000)
                                .partition("m1", 100, 1_000, 100, 1_000)
                                .consumer(0, 0, 1)
                                .consumer(1, 0.5, 1)
                                .client(0, "consumer-metrics", "last-poll-seconds-ago", 20, 10)),
                story(
                        "broken POISON_RECORD",
                        Group.stable(1)
                                .partition("m0", 100, 0, 500, 1_000)
                                .partition("m0", 100, 1_000, 100, 1_000)
                                .consumer(0, 0.5, 2)),
                story(
                        "broken POISON_RECORD",
                        Group.stable(1).partition("m0", 100, 0, 500, 1_000).consumer(0, 0.5, 1)),
                story(
                        "broken STUCK_KEY",
                        Group.stable(1)
                                .partition("m0", 100, 0, 500, 1_000)
                                .more("done-beyond", 390, 1_000)
                                .consumer(0, 0.5, 1)),
                story(
                        "broken REBALANCE_STORM",
                        behind(0).client(0, "consumer-coordinator-metrics", "rebalance-total", 3, 1)),
                story("broken REBALANCE_STORM", healthy().rebalances(0, 1, 2, 2, 2, 3)),
                story("healthy", healthy().rebalances(0, 1, 3, 5, 5, 5)),
                story("broken REBALANCE_STORM", healthy().state("PreparingRebalance")),
                story(
                        "broken POLL_INTERVAL_EXCEEDED",
                        healthy()
                                .client(0, "consumer-metrics", "time-between-poll-max", 12_000, 0)
                                .text("pid 0", "config", "max.poll.interval.ms", "client-id=c0", "10000")),
                story(
                        "broken POLL_INTERVAL_EXCEEDED",
                        Group.stable(1)
                                .partition("m0", 100, 1_000, 100, 1_000)
                                .consumer(0, 0.5, 1)
                                .consumer(1, 0.5, 0)
                                .client(1, "consumer-metrics", "time-between-poll-max", 12_000, 0)),
                // A process that was killed, and one in its place with its client id, which both took batch after
                // batch.
                story(
                        "healthy",
                        healthy()
                                .number("admin", "group-member", "assigned-partitions", member("m9"), 1, 1, 1)
                                .client(0, "consumer-metrics", "time-between-poll-max", 12_000, 0)),
                // The same member, which was put out and is back.
                story(
                        "broken POLL_INTERVAL_EXCEEDED",
                        Group.stable(0)
                                .number("admin", "group-member", "assigned-partitions", member("m8"), 1, 1)
                                .number(
                                        "admin",
                                        "group-member",
                                        "assigned-partitions",
                                        member("m9"),
                                        Double.NaN,
                                        Double.NaN,
                                        Double.NaN,
                                        1,
                                        1)
                                .partition("m9", 100, 1_000, 100, 1_000)
                                .consumer(0, 0.5, 1)
                                .client(0, "consumer-metrics", "time-between-poll-max", 12_000, 0)),
                // A process that was killed, and none in its place.
                story(
                        "healthy",
                        Group.stable(1)
                                .partition("m0", 100, 1_000, 100, 1_000)
                                .consumer(0, 0.5, 1)
                                .number("pid 1", "consumer-metrics", "last-poll-seconds-ago", "client-id=c1", 0, 0)
                                .number("pid 1", "consumer-metrics", "time-between-poll-max", "client-id=c1", 12_000)
                                .number("pid 1", "consumer-coordinator-metrics", "rebalance-total", "client-id=c1", 1)),
                story(
                        "broken SESSION_TIMEOUT",
                        Group.stable(1)
                                .partition("m0", 100, 1_000, 100, 1_000)
                                .consumer(0, 0.5, 1)
                                .consumer(1, 0.5, 0)
                                .client(1, "consumer-coordinator-metrics", "heartbeat-response-time-max", 1_600, 0)),
                story(
                        "broken STATIC_MEMBER_GONE",
                        Group.stable(1)
                                .member("m9", "c9", "i9")
                                .partition("m0", 100, 1_000, 100, 1_000)
                                .partition("m9", 100, 0, 100, 1_000)
                                .consumer(0, 0.5, 1)),
                story("broken RETENTION_OVERTAKES", behind(0).more("start", -200, 540)),
                story(
                        "healthy",
                        Group.stable(1)
                                .partition("m0", 900, 1_000, 950, 1_000)
                                .more("start", 0, 1_000)
                                .consumer(0, 0.5, 1)),
                story(
                        "limited THROTTLED",
                        behind(0).client(0, "consumer-fetch-manager-metrics", "fetch-throttle-time-avg", 90, 0)),
                story("limited SLOW_ACKS", behind(0).client(1, "producer-metrics", "request-latency-avg", 400, 0)),
                story(
                        "limited KAFKA_BOUND",
                        behind(0).client(1, "producer-metrics", "txn-commit-time-ns-total", 0, 9e9)),
                story(
                        "limited EXTERNAL_CALL",
                        behind(0)
                                .told(0, "threads", "samples-total", "thread-group=main", 0, 10)
                                .told(0, "threads", "waiting-samples-total", "thread-group=main", 0, 9)),
                story(
                        "limited SKEW",
                        Group.stable(2)
                                .partition("m0", 0, 300, 100, 900)
                                .partition("m1", 0, 50, 10, 50)
                                .partition("m1", 0, 50, 10, 50)
                                .consumer(0, 0, 1)
                                .consumer(1, 0.8, 2)),
                story(
                        "limited HOT_KEY",
                        Group.stable(2)
                                .partition("m0", 0, 300, 100, 900)
                                .more("done-beyond", 90, 590)
                                .partition("m1", 0, 50, 10, 50)
                                .partition("m1", 0, 50, 10, 50)
                                .consumer(0, 0, 1)
                                .consumer(1, 0.8, 2)),
                story(
                        "limited TOO_FEW_PARTITIONS",
                        Group.stable(2)
                                .partition("m0", 0, 500, 100, 1_000)
                                .partition("m1", 0, 500, 100, 1_000)
                                .consumer(0, 0, 1)
                                .consumer(1, 0, 1)),
                story("limited TOO_FEW_THREADS", behind(0)),
                story(
                        "limited CPU",
                        behind(0)
                                .told(0, "jvm", "process-cpu-ns-total", "", 0, 39e9)
                                .told(1, "jvm", "process-cpu-ns-total", "", 0, 39e9)),
                story("limited", behind(0.5)),
                story(
                        "healthy OVER_PROVISIONED",
                        Group.stable(2)
                                .partition("m0", 100, 100, 100, 100)
                                .partition("m1", 100, 100, 100, 100)
                                .consumer(0, 0.95, 1)
                                .consumer(1, 0.9, 1)),
                story(
                        "healthy TRANSACTION_MARKER",
                        Group.stable(1)
                                .partition("m0", 100, 0, 101, 0)
                                .partition("m0", 100, 1_000, 100, 1_000)
                                .consumer(0, 0.5, 2)),
                story("unknown", Group.stable(0)));
    }

    private static Arguments story(String verdict, Group group) {
        return Arguments.of(verdict, group);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("stories")
    @DisplayName("B83 the verdict names what limits or breaks a group, with evidence and what to do")
    void verdict(String expected, Group group) {
        CheckResult result = group.judged();
        assertThat(Group.words(result)).as(result.toString()).isEqualTo(expected);
        assertThat(result.findings()).hasSizeGreaterThan(10).allSatisfy(finding -> {
            if (finding.status() != FindingStatus.OK) {
                assertThat(finding.diagnosis()).as(finding.rule().name()).isNotEmpty();
                assertThat(finding.recommendation()).as(finding.rule().name()).isNotEmpty();
            }
        });
        if (result.outcome() != CheckResult.Outcome.HEALTHY) {
            assertThat(result.remedy()).isNotEmpty();
        }
    }

    @Test
    @DisplayName("B83 what a host tells is of its own process, where there are several")
    void hosts() {
        Observations seen = Seen.of("pid 1")
                .number("stream-metrics", "client-state", "client-id=a", 2, 2)
                .and("pid 2")
                .number("stream-metrics", "client-state", "client-id=b", 2, 2)
                .and("host of pid 1")
                .text("config", "state.dir", "", "/data/a")
                .and("host of pid 2")
                .text("config", "state.dir", "", "/tmp/b")
                .seen();
        assertThat(VolumeRules.stateDirectory(Instance.streams(seen).getFirst(), Thresholds.USUAL)
                        .status())
                .isEqualTo(FindingStatus.OK);
        assertThat(VolumeRules.stateDirectory(Instance.streams(seen).getLast(), Thresholds.USUAL)
                        .cause())
                .isEqualTo(Cause.STATE_IN_TMP);
    }

    @Test
    @DisplayName("B83 what is no number in a configuration is not believed")
    void noNumber() {
        CheckResult result = healthy()
                .text("pid 0", "config", "max.poll.interval.ms", "client-id=c0", "ten minutes")
                .judged();
        assertThat(Group.words(result)).isEqualTo("healthy");
    }

    @Test
    @DisplayName("B83 where nothing was seen each rule is UNKNOWN and says how it can be seen")
    void nothing() {
        CheckResult result = GroupCheck.judge(new Observations(List.of()), Thresholds.USUAL);
        assertThat(result.outcome()).isEqualTo(CheckResult.Outcome.UNKNOWN);
        assertThat(result.findings()).allSatisfy(finding -> {
            assertThat(finding.status()).isIn(FindingStatus.UNKNOWN, FindingStatus.OK);
            assertThat(finding.status() == FindingStatus.OK
                            || finding.recommendation().contains("--"))
                    .as(finding.toString())
                    .isTrue();
        });
    }
}
