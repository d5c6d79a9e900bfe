package dev.laneway.ops.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Clients as most are: with fetches of a mebibyte a partition, commits now and then, one client id for all, alone in
 * their group.
 */
class UsualClientsTest {
    private static final double[] RARE = {0, 0, 0, 900, 900};
    private static final double[] ENDS = {300, 600, 900, 1_200, 1_500};

    /** One member with one partition that it works on, and two that have not had their turn; so much comes to each. */
    private static Group turns(double appended) {
        return Group.stable(1)
                .partition("m0", 0, 3_300, 20_000, appended)
                .partition("m0", 0, 0, 20_000, appended)
                .partition("m0", 0, 0, 20_000, appended)
                .consumer(0, 0.05, 3)
                .given(0, 3_300);
    }

    /** One member that keeps up in one partition, and stands in the other. */
    private static Group half(double idle) {
        return Group.stable(1)
                .partition("m0", 100, 0, 500, 1_000)
                .partition("m0", 100, 1_000, 100, 1_000)
                .consumer(0, idle, 2);
    }

    /** One member with a live partition, and one in which so many offsets are left. */
    private static Group quiet(double left) {
        return Group.stable(1)
                .partition("m0", 100, 0, 100 + left, 0)
                .partition("m0", 100, 1_000, 100, 1_000)
                .consumer(0, 0.5, 2)
                .given(0, 1_000);
    }

    private static Group alone(double done) {
        return Group.stable(1).partition("m0", 100, done, 500, 1_000);
    }

    private static Group twoOfOneName(double polledAgo) {
        String client = "client-id=c0";
        return alone(0).partition("m0", 100, 0, 500, 1_000)
                .consumer(0, 0.9, 1)
                .number("pid 1", "consumer-metrics", "last-poll-seconds-ago", client, 0, polledAgo)
                .number("pid 1", "consumer-coordinator-metrics", "rebalance-total", client, 1)
                .given(0, 5_000);
    }

    private static Arguments story(String name, String verdict, Group group) {
        return Arguments.of(name, verdict, group);
    }

    static Stream<Arguments> stories() {
        return Stream.of(
                story("too slow, a mebibyte at a time", "limited TOO_FEW_THREADS", turns(1_500)),
                story("catches up, a mebibyte at a time", "healthy", turns(300)),
                story(
                        "the same with time left",
                        "broken POISON_RECORD",
                        turns(300).consumer(0, 0.5, 3)),
                story(
                        "the same, and given again and again",
                        "broken POISON_RECORD",
                        turns(300).given(0, 9_000)),
                story(
                        "one partition paused",
                        "broken PAUSED",
                        half(0.9).given(0, 1_000).unread(0, 0, 0, 0)),
                story(
                        "it is read",
                        "broken POISON_RECORD",
                        half(0.9).given(0, 1_000).unread(0, 0, 7, 0)),
                story(
                        "given again",
                        "broken POISON_RECORD",
                        half(0.9).given(0, 9_000).unread(0, 0, 0, 0)),
                story(
                        "it waits elsewhere",
                        "broken POISON_RECORD",
                        half(0.2).given(0, 1_000).unread(0, 0, 0, 0)),
                story(
                        "aborted records at the end",
                        "healthy TRANSACTION_MARKER",
                        quiet(11).unread(0, 0, 0, 0)),
                story("records at the end", "broken POISON_RECORD", quiet(11).unread(0, 0, 11, 0)),
                story("one record at the end", "broken POISON_RECORD", quiet(1).unread(0, 0, 1, 0)),
                story(
                        "the last record never ends",
                        "broken STUCK_MEMBER",
                        Group.stable(1)
                                .partition("m0", 100, 0, 101, 0)
                                .consumer(0, 0, 1)
                                .unread(0, 0, 0, 0)
                                .client(0, "consumer-metrics", "last-poll-seconds-ago", 10, 10)),
                story(
                        "the last record fails again and again",
                        "broken POISON_RECORD",
                        Group.stable(1)
                                .partition("m0", 100, 0, 101, 0)
                                .consumer(0, 0.1, 1)
                                .unread(0, 0, 0, 0)
                                .given(0, 10)),
                story(
                        "a topic that nobody subscribes to any more",
                        "broken UNREAD",
                        alone(1_000).partition("", 100, 0, 500, 10).consumer(0, 0.5, 1)),
                story(
                        "a topic that nobody writes to any more, either",
                        "healthy",
                        alone(1_000).partition("", 100, 0, 500, 0).consumer(0, 0.5, 1)),
                story("the same beside a stuck member", "broken STUCK_MEMBER", alone(0).partition("", 100, 0, 500, 0)),
                story(
                        "put out, and nobody else is there",
                        "broken POLL_INTERVAL_EXCEEDED",
                        Group.stable(0)
                                .partition("", 100, 0, 500, 1_000)
                                .consumer(0, 0, 0)
                                .client(0, "consumer-metrics", "last-poll-seconds-ago", 8, 1)
                                .client(0, "consumer-metrics", "time-between-poll-max", 12_000, 0)
                                .text("pid 0", "config", "max.poll.interval.ms", "client-id=c0", "10000")),
                story(
                        "a process that never joined",
                        "broken NO_MEMBERS",
                        Group.stable(0).partition("", 100, 0, 500, 1_000).consumer(0, 0.9, 0)),
                story("never commits", "unknown", alone(0).consumer(0, 0.5, 1).given(0, 1_000)),
                story(
                        "reads one record for ever",
                        "broken POISON_RECORD",
                        alone(0).consumer(0, 0.5, 1).given(0, 90)),
                story(
                        "batches that take longer than the watch",
                        "unknown",
                        alone(0).consumer(0, 0, 1)
                                .client(0, "consumer-metrics", "last-poll-seconds-ago", 5, 10)
                                .client(0, "consumer-metrics", "time-between-poll-max", 60_000, 0)
                                .unread(0, 0, 300, 0)),
                story("no commit in the watch, and no member seen", "broken STUCK_MEMBER", alone(0)),
                story("two processes with one client id, one stuck", "broken STUCK_MEMBER", twoOfOneName(40)),
                story("two processes with one client id", "broken POISON_RECORD", twoOfOneName(0)),
                story(
                        "a long rebalance that has ended",
                        "healthy",
                        alone(1_000)
                                .consumer(0, 0.5, 1)
                                .states("Stable", "PreparingRebalance", "PreparingRebalance", "Stable", "Stable")),
                story(
                        "one that comes back",
                        "broken REBALANCE_STORM",
                        alone(1_000)
                                .consumer(0, 0.5, 1)
                                .states("PreparingRebalance", "Stable", "PreparingRebalance", "Stable", "Stable")),
                story("commits every 30 s, not seen", "unknown", Group.stable(1).commits("m0", RARE, ENDS)),
                story(
                        "commits every 30 s, and keeps up",
                        "healthy",
                        Group.stable(1)
                                .commits("m0", RARE, ENDS)
                                .consumer(0, 0.5, 1)
                                .unread(0, 0, 40, 0)
                                .given(0, 300)),
                story(
                        "commits every 30 s, and falls behind",
                        "limited",
                        Group.stable(1)
                                .commits("m0", RARE, ENDS)
                                .consumer(0, 0.5, 1)
                                .unread(0, 0, 40, 50)
                                .given(0, 250)),
                story(
                        "commits every 30 s, and stopped after one",
                        "unknown",
                        Group.stable(1)
                                .commits("m0", RARE, ENDS)
                                .consumer(0, 0.5, 1)
                                .unread(0, 0, 40, 0)
                                .given(0, 0)));
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("stories")
    @DisplayName("B83 the verdict is right for clients with the usual settings")
    void verdict(String name, String expected, Group group) {
        CheckResult result = group.judged();
        assertThat(Group.words(result)).as(name + ": " + result).isEqualTo(expected);
    }

    @Test
    @DisplayName("B83 a rule that fails without a cause is told beside the verdict, and is a warning")
    void failsBeside() {
        CheckResult result = alone(1_000)
                .consumer(0, 0.5, 1)
                .told(0, "stream-metrics", "client-state", "client-id=a", 1, 0)
                .judged();
        assertThat(result.outcome()).isEqualTo(CheckResult.Outcome.HEALTHY);
        assertThat(result.sentence()).contains("But pid 0 is REBALANCING");
        assertThat(result.hasWarnings()).isTrue();
    }
}
