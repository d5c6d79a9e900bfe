package dev.laneway.ops.check;

import static dev.laneway.ops.check.RuleId.L1;
import static dev.laneway.ops.check.RuleId.L2;
import static dev.laneway.ops.check.RuleId.L3;
import static dev.laneway.ops.check.RuleId.L4;
import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Health;
import dev.laneway.ops.observe.Groups;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class LanewayRulesTest {
    private static final int LOOKS = 5;
    private static final String TAGS = "client-id=orders";

    /** A Laneway of ten workers, made by hand; all numbers are those of ten seconds. */
    static final class Made {
        private final Seen seen = Seen.of("orders")
                .number(Groups.JVM, "available-processors", values(4, 0))
                .number(Groups.JVM, "process-cpu-ns-total", values(0, 4e9));

        private static double[] values(double first, double step) {
            double[] values = new double[LOOKS];
            Arrays.setAll(values, i -> first + i * step);
            return values;
        }

        Made told(String name, double first, double step) {
            seen.number(Groups.LANEWAY, name, TAGS, values(first, step));
            return this;
        }

        /** Of each look. */
        Made looks(String name, double... values) {
            seen.number(Groups.LANEWAY, name, TAGS, values);
            return this;
        }

        /** Another partition, of which nothing is held, read or done. */
        Made unread(double lag) {
            for (String name : List.of("lag", "end", "committable", "position", "held")) {
                boolean isBehind = name.equals("lag") || name.equals("end");
                seen.number(
                        Groups.LANEWAY_PARTITION, name, TAGS + ",topic=t,partition=1", values(isBehind ? lag : 0, 0));
            }
            return this;
        }

        /** The oldest record of the partition is unfinished for so long. */
        Made oldest(double seconds) {
            return part("oldest-offset", 7, 0).part("oldest-age-seconds", seconds, 0);
        }

        Made part(String name, double first, double step) {
            seen.number(Groups.LANEWAY_PARTITION, name, TAGS + ",topic=t,partition=0", values(first, step));
            return this;
        }

        Made health(Health.Status status, String... reasons) {
            seen.text(Groups.LANEWAY, "health", TAGS, status.name())
                    .text(Groups.LANEWAY, "reasons", TAGS, String.join("\n", reasons));
            return this;
        }

        Made pause(String reason) {
            seen.text(Groups.LANEWAY_PARTITION, "pause-reason", TAGS + ",topic=t,partition=0", reason);
            return this;
        }

        /** Busy for a share of the time, and waiting for a share of that; so many records are done and appended. */
        static Made working(double busy, double waiting, double done, double appended) {
            return new Made()
                    .health(Health.Status.UP)
                    .told("workers", 10, 0)
                    .told("busy-ns-total", 0, 100e9 * busy)
                    .told("blocked-ns-total", 0, 100e9 * busy * waiting)
                    .told("idle-ns-total", 0, 100e9 * (1 - busy))
                    .told("processed-total", 0, done)
                    .told("held", 100, 0)
                    .told("buffer-records", 1_000, 0)
                    .part("committable", 0, done)
                    .part("end", 100, appended)
                    .part("lag", 100, appended - done)
                    .part("position", 110, done)
                    .part("held", 100, 0)
                    .part("lanes", 5, 0)
                    .part("in-flight", 5, 0);
        }

        Made processors(double nanos) {
            seen.number(Groups.JVM, "process-cpu-ns-total", values(0, nanos));
            return this;
        }

        CheckResult judged() {
            return GroupCheck.judge(seen.seen(), Thresholds.USUAL);
        }
    }

    private static Made behind(double busy, double waiting, double done) {
        return Made.working(busy, waiting, done, done + 1_000);
    }

    static Stream<Arguments> stories() {
        return Stream.of(
                story("healthy", Made.working(0.3, 0.9, 1_000, 1_000)),
                story("healthy", Made.working(1, 0.9, 1_000, 1_000)),
                story("limited TOO_FEW_THREADS", behind(1, 0.9, 1_000)),
                story("limited TOO_FEW_THREADS", behind(1, 0.1, 1_000)),
                story("limited EXTERNAL_CALL", behind(1, 0.9, 50)),
                story("limited EXTERNAL_CALL", behind(0.87, 0.99, 72)),
                story("limited CPU", behind(1, 0.1, 1_000).processors(39e9)),
                story(
                        "limited HOT_KEY",
                        behind(0.1, 0.9, 1_000).part("lanes", 1, 0).part("in-flight", 95, 0)),
                story(
                        "limited HOT_KEY",
                        behind(0.1, 0.9, 1_000)
                                .part("lanes", 1, 0)
                                .part("in-flight", 5_095, 0)
                                .part("spilled-records", 5_000, 0)),
                story("limited BUFFER_FULL", behind(0.1, 0.9, 1_000).pause("BYTES_FULL")),
                story(
                        "limited KAFKA_BOUND",
                        behind(0.1, 0.9, 1_000).told("held", 2, 0).part("in-flight", 2, 0)),
                story("limited", behind(0.1, 0.9, 1_000)),
                story("broken STUCK_KEY", behind(0.1, 0.9, 1_000).pause("METADATA_FULL")),
                story("broken PAUSED", behind(0, 0, 0).pause("USER")),
                story(
                        "broken STUCK_KEY",
                        Made.working(0.3, 0.9, 0, 1_000)
                                .part("position", 100, 1_000)
                                .part("in-flight", 1, 0)),
                story(
                        "broken BROKER_AWAY",
                        Made.working(0, 0, 0, 0)
                                .health(
                                        Health.Status.DOWN,
                                        Health.Cause.BROKER_AWAY.reason("none has answered yet"),
                                        Health.Cause.UNSAFE_TRANSACTIONS.reason("upgrade"))),
                story(
                        "healthy UNSAFE_TRANSACTIONS",
                        Made.working(0.3, 0.9, 1_000, 1_000)
                                .health(Health.Status.UP, Health.Cause.UNSAFE_TRANSACTIONS.reason("upgrade"))));
    }

    private static Made flowing() {
        return Made.working(0.3, 0.9, 1_000, 1_000);
    }

    private static Made failing() {
        return Made.working(0.3, 0.9, 0, 0).told("failed-attempts-total", 0, 5).part("lag", 0, 0);
    }

    static Stream<Arguments> recordStories() {
        return Stream.of(
                story("broken STUCK_KEY", flowing().oldest(1.6)),
                story("healthy", flowing().oldest(1.4)),
                // Of one that is at work at the end, and of five workers that take 5 s each.
                story("healthy", Made.working(0.5, 0.9, 10, 10).oldest(6)),
                story("broken STUCK_KEY", Made.working(0.5, 0.9, 10, 10).oldest(101)),
                story("healthy", Made.working(0.1, 1, 0, 0).part("lag", 0, 0).oldest(9)),
                story(
                        "broken STUCK_KEY",
                        Made.working(0.1, 1, 0, 0).part("lag", 0, 0).oldest(11)),
                story("broken PAUSED", flowing().pause("USER").oldest(100)),
                story(
                        "broken POISON_RECORD",
                        flowing().told("failed-attempts-total", 0, 5).oldest(1.6)),
                story("healthy", flowing().told("failed-attempts-total", 0, 5)),
                story("broken ATTEMPTS_FAIL", failing()),
                story("broken POISON_RECORD", failing().part("lanes", 1, 0)),
                story("healthy", failing().told("failed-attempts-total", 0, 2)),
                story("broken STUCK_MEMBER", Made.working(0, 0, 0, 0).part("position", 100, 0)),
                story("healthy", Made.working(0, 0, 0, 0).pause("DELAYED")),
                story("healthy", Made.working(0, 0, 0, 0).part("delayed", 1, 0)),
                story("healthy", Made.working(0, 0, 0, 0).part("lag", 1, 0).part("held", 0, 0)),
                story("broken UNREAD", flowing().told("running-workers", 3, 0).unread(50)),
                story(
                        "healthy",
                        Made.working(0.5, 0.9, 2, 0)
                                .told("running-workers", 5, 0)
                                .part("committable", 0, 0)
                                .part("lag", 100, 0)
                                .oldest(30)),
                story("broken REBALANCE_STORM", flowing().told("rebalances-total", 1, 1)),
                story("healthy", flowing().looks("rebalances-total", 1, 5, 5, 6, 6)),
                story(
                        "limited EXTERNAL_CALL",
                        behind(0.2, 0.9, 1_000)
                                .looks("busy-ns-total", 0, 20e9, 40e9, 60e9, 160e9)
                                .looks("blocked-ns-total", 0, 18e9, 36e9, 54e9, 144e9)
                                .looks("idle-ns-total", 0, 80e9, 160e9, 240e9, 240e9)
                                .looks("processed-total", 0, 1_000, 2_000, 3_000, 3_500)),
                story(
                        "limited TOO_FEW_THREADS",
                        behind(0.2, 0.9, 1_000)
                                .looks("busy-ns-total", 0, 60e9, 120e9, 180e9, 280e9)
                                .looks("blocked-ns-total", 0, 54e9, 108e9, 162e9, 252e9)
                                .looks("idle-ns-total", 0, 40e9, 80e9, 120e9, 120e9)
                                .looks("processed-total", 0, 1_000, 2_000, 3_000, 4_000)),
                story("broken STUCK_MEMBER", flowing().health(Health.Status.DOWN, "what only a later version tells")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("recordStories")
    @DisplayName("B167 records that do not end or start, rebalances, and what became slower are told by the figures")
    void records(String expected, Made made) {
        verdict(expected, made);
    }

    @Test
    @DisplayName("B167 a stuck record is named with its partition, its age and what others take; the limits can be set")
    void stuck() {
        CheckResult result = flowing().oldest(1.6).judged();
        assertThat(result.blame()).isEqualTo("t-0");
        assertThat(result.sentence()).contains("t-0@7", "1.6 s", "records of other keys go on");
        assertThat(result.evidence()).anySatisfy(line -> assertThat(line).contains("others take 28.4 ms"));
        Thresholds patient = Thresholds.USUAL.with(Threshold.STUCK_SECONDS, 2);
        assertThat(GroupCheck.judge(flowing().oldest(1.6).seen.seen(), patient).outcome())
                .isEqualTo(CheckResult.Outcome.HEALTHY);
        Thresholds times = Thresholds.USUAL.with(Threshold.STUCK_TIMES, 100);
        assertThat(GroupCheck.judge(flowing().oldest(1.6).seen.seen(), times).outcome())
                .isEqualTo(CheckResult.Outcome.HEALTHY);
    }

    @Test
    @DisplayName(
            "B167 that nothing ends is told once it was watched for a while: at the first looks all may be as slow")
    void firstLooks() {
        Made made = Made.working(0.1, 1, 0, 0).part("lag", 0, 0).oldest(11);
        made.seen.every(1);
        assertThat(Group.words(made.judged())).isEqualTo("healthy");
        made.seen.every(2);
        assertThat(Group.words(made.judged())).isEqualTo("broken STUCK_KEY");
    }

    private static Made ages(double... ages) {
        Made made = flowing().part("oldest-offset", 7, 1);
        made.seen.number(Groups.LANEWAY_PARTITION, "oldest-age-seconds", TAGS + ",topic=t,partition=0", ages);
        return made;
    }

    @Test
    @DisplayName("B167 where slow records end again and again, as batches do, one is stuck if it takes much longer")
    void batches() {
        assertThat(Group.words(ages(2, 2.5, 2, 2, 2.9).judged())).isEqualTo("healthy");
        assertThat(Group.words(ages(2, 2.5, 2, 2, 7).judged())).isEqualTo("broken STUCK_KEY");
        assertThat(Group.words(ages(0.1, 60, 0.1, 0.1, 2).judged()))
                .as("one that was slow is no rule")
                .isEqualTo("broken STUCK_KEY");
    }

    @Test
    @DisplayName("B167 a record that has ended since is not stuck")
    void ended() {
        Made made = flowing();
        made.seen.number(Groups.LANEWAY_PARTITION, "oldest-age-seconds", TAGS + ",topic=t,partition=0", 1, 11, 21);
        assertThat(Group.words(made.judged())).isEqualTo("healthy");
    }

    private static Arguments story(String verdict, Made made) {
        return Arguments.of(verdict, made);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("stories")
    @DisplayName("B143 B83 what limits or breaks a Laneway is told by its own figures")
    void verdict(String expected, Made made) {
        CheckResult result = made.judged();
        assertThat(Group.words(result)).as(result.toString()).isEqualTo(expected);
        assertThat(result.toString()).doesNotContain("NaN", "Infinity");
        if (result.cause() != null) {
            assertThat(result.remedy()).endsWith(".");
        }
    }

    @Test
    @DisplayName("B143 a lag of one record that a Laneway holds is no transaction's marker")
    void oneRecord() {
        CheckResult result = Made.working(0.1, 1, 0, 0)
                .part("end", 1, 0)
                .part("lag", 1, 0)
                .part("position", 1, 0)
                .part("held", 1, 0)
                .judged();
        assertThat(Group.words(result)).as(result.toString()).isEqualTo("broken STUCK_MEMBER");
    }

    @Test
    @DisplayName("B143 what was seen of a partition before it went to another member does not count")
    void partitionGone() {
        Made made = Made.working(0.3, 0.9, 1_000, 1_000);
        made.seen.number(Groups.LANEWAY_PARTITION, "lag", TAGS + ",topic=t,partition=1", 1e6, 1e6);
        assertThat(GroupPicture.of(made.seen.seen()).lag()).isEqualTo(100);
    }

    private static Finding of(Seen seen, RuleId rule) {
        return GroupCheck.judge(seen.seen(), Thresholds.USUAL).findings().stream()
                .filter(finding -> finding.rule() == rule)
                .findFirst()
                .orElseThrow();
    }

    @Test
    @DisplayName("B83 where no Laneway tells of itself, the rules about it are UNKNOWN, or do not apply")
    void nobody() {
        Seen consumer = Seen.of("pid 1").number("consumer-metrics", "last-poll-seconds-ago", "client-id=c", 0, 0);
        for (RuleId rule : new RuleId[] {L1, L2, L3, L4}) {
            assertThat(of(Seen.of("admin"), rule).status()).isEqualTo(FindingStatus.UNKNOWN);
            assertThat(of(consumer, rule).status()).isEqualTo(FindingStatus.OK);
        }
    }
}
