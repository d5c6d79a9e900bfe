package dev.laneway.ops.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.ops.observe.Groups;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Verdicts that lie next to each other: what tells one from the other. */
class NeighboursTest {
    /** One partition has most of what comes, and its member cannot take it. */
    private static Group skewed() {
        return Group.stable(2)
                .partition("m1", 0, 50, 10, 50)
                .partition("m1", 0, 50, 10, 50)
                .partition("m0", 0, 300, 100, 900)
                .consumer(0, 0, 1)
                .consumer(1, 0.8, 2);
    }

    private static Group keys(Group group, double records, double first, double distinct) {
        for (Object[] told : new Object[][] {{"records", records}, {"most-frequent", first}, {"distinct", distinct}}) {
            group.number("keys", Groups.KEYS, (String) told[0], "topic=t,partition=2", (Double) told[1]);
        }
        return group;
    }

    private static Group behind(double idle) {
        return Group.stable(2)
                .partition("m0", 0, 500, 100, 1_000)
                .partition("m0", 0, 500, 100, 1_000)
                .partition("m1", 0, 500, 100, 1_000)
                .partition("m1", 0, 500, 100, 1_000)
                .consumer(0, idle, 2)
                .consumer(1, idle, 2);
    }

    private static Group samples(Group group, double producer, double other) {
        for (int member = 0; member < 2; member++) {
            group.told(member, Groups.THREADS, "samples-total", "thread-group=main", 5, 10)
                    .told(member, Groups.THREADS, "kafka-samples-total", "thread-group=main", 0, producer)
                    .told(member, Groups.THREADS, "producer-samples-total", "thread-group=main", 0, producer)
                    .told(member, Groups.THREADS, "waiting-samples-total", "thread-group=main", 0, other);
        }
        return group;
    }

    /** A partition of which nothing is done though its member polls. */
    private static Group stands(double idle, double consumed) {
        return Group.stable(1)
                .partition("m0", 100, 0, 500, 1_000)
                .consumer(0, idle, 1)
                .client(0, "consumer-fetch-manager-metrics", "records-consumed-total", 100, consumed);
    }

    static Stream<Arguments> pairs() {
        return Stream.of(
                story("SKEW without keys", skewed()),
                story("HOT_KEY with one key in most records", keys(skewed(), 2_000, 1_700, 150)),
                story("SKEW with one key in a few records", keys(skewed(), 2_000, 60, 500)),
                story("SKEW with too few records read", keys(skewed(), 20, 20, 1)),
                story("SLOW_ACKS in stacks", samples(behind(0), 8, 0)),
                story("SLOW_ACKS in flush", behind(0).client(0, "producer-metrics", "flush-time-ns-total", 0, 7e9)),
                story(
                        "SLOW_ACKS where nobody looks at stacks",
                        behind(0).client(0, "producer-metrics", "request-latency-avg", 180, 0)),
                story(
                        "TOO_FEW_THREADS that send and do not wait",
                        samples(behind(0), 1, 0).client(0, "producer-metrics", "request-latency-avg", 180, 0)),
                story("EXTERNAL_CALL", samples(behind(0), 0, 9)),
                story("PAUSED", stands(0.99, 0)),
                story("POISON_RECORD that is sought again", stands(0.5, 30)),
                story("POISON_RECORD that cannot be deserialised", stands(0.2, 0)),
                story("NO_LEADER", behind(0).more("leaders", 0, 0)),
                story(
                        "TOO_FEW_THREADS with a replica behind",
                        behind(0).more("leaders", 1, 0).more("replicas", 3, 0).more("in-sync", 2, 0)),
                story(
                        "CPU at a container's limit",
                        behind(0)
                                .told(0, Groups.CGROUP, "cpu-periods-total", "", 0, 100)
                                .told(0, Groups.CGROUP, "cpu-throttled-total", "", 0, 60)),
                story(
                        "UNEVEN_ASSIGNMENT",
                        Group.stable(2)
                                .partition("m0", 0, 500, 100, 1_000)
                                .partition("m0", 0, 500, 100, 1_000)
                                .partition("m0", 0, 500, 100, 1_000)
                                .partition("m0", 0, 500, 100, 1_000)
                                .consumer(0, 0, 4)
                                .consumer(1, 1, 0)),
                story(
                        "null with the records of a backfill",
                        Group.stable(1)
                                .partition("m0", 900, 1_000, 950, 1_000)
                                .more("age-seconds", 90_000, 0)
                                .number("admin", Groups.TOPIC, "retention-ms", "topic=t", 86_400_000)
                                .consumer(0, 0.5, 1)),
                story(
                        "RETENTION_OVERTAKES with records as old and no end",
                        Group.stable(1)
                                .partition("m0", 900, 500, 2_000, 1_000)
                                .more("age-seconds", 85_000, 0)
                                .number("admin", Groups.TOPIC, "retention-ms", "topic=t", 86_400_000)
                                .consumer(0, 0.5, 1)));
    }

    private static Arguments story(String expected, Group group) {
        return Arguments.of(expected, group);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("pairs")
    @DisplayName("B141 Of causes that look alike the verdict names the right one")
    void verdict(String expected, Group group) {
        CheckResult result = group.judged();
        assertThat(String.valueOf(result.cause())).as(result.toString()).isEqualTo(expected.split(" ", -1)[0]);
    }

    @Test
    @DisplayName("B141 Where keys may not be read the finding is UNKNOWN, says why, and how to make them observable")
    void withoutRight() {
        CheckResult result = keys(skewed(), 0, 0, 0)
                .text("keys", Groups.KEYS, "problem", "topic=t,partition=2", "the right READ on topic t is missing")
                .judged();
        Finding finding = find(result, RuleId.C12);
        assertThat(finding.status()).isEqualTo(FindingStatus.UNKNOWN);
        assertThat(finding.diagnosis()).contains("t-2", "READ on topic t is missing");
        assertThat(finding.recommendation()).contains("--keys", "READ");
        assertThat(result.cause()).isEqualTo(Cause.SKEW);
        assertThat(find(behind(0).judged(), RuleId.C12).status()).isEqualTo(FindingStatus.OK);
    }

    @Test
    @DisplayName("B141 A finding about many stores names the first lines of its evidence and how many more there are")
    void brief() {
        Seen seen = Made.stores(Made.streamsAt(1), 32, 64 * Made.MIB);
        for (int i = 0; i < 32; i++) {
            seen.number("stream-state-metrics", "block-cache-data-hit-ratio", Made.store(i), 0.1, 0.1, 0.1);
        }
        List<String> evidence =
                find(GroupCheck.judge(seen.seen(), Thresholds.USUAL), RuleId.M6).evidence();
        assertThat(evidence).hasSize(10);
        assertThat(evidence.getLast()).isEqualTo("and 23 more");
    }

    private static Finding find(CheckResult result, RuleId rule) {
        return result.findings().stream()
                .filter(finding -> finding.rule() == rule)
                .findFirst()
                .orElseThrow();
    }
}
