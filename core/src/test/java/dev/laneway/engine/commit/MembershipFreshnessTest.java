package dev.laneway.engine.commit;

import static dev.laneway.engine.Records.ORDERS_0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.CommitMode;
import dev.laneway.Options;
import dev.laneway.Outcome;
import dev.laneway.engine.HandEngine;
import dev.laneway.engine.Records;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a member may commit that may have been thrown out meanwhile. The simulation found what is tested here. */
class MembershipFreshnessTest {
    private static final TopicPartition ORDERS_1 = new TopicPartition("orders", 1);

    private final Map<TopicPartition, CompletableFuture<Outcome>> running = new HashMap<>();

    @ParameterizedTest(name = "consumer protocol: {0}")
    @CsvSource({"true, false", "false, true"})
    @DisplayName("B14 after a rebalance that waited for handlers, the first commit comes after a poll")
    void aPollFirst(boolean consumerProtocol, boolean atOnce) {
        Duration interval = Duration.ofMillis(100);
        HandEngine member = new HandEngine(
                Options.DEFAULTS.withCommit(CommitMode.async(interval)),
                HandEngine.DRAIN_LIMIT,
                consumerProtocol,
                (record, context) -> {
                    CompletableFuture<Outcome> work = new CompletableFuture<>();
                    running.put(new TopicPartition("orders", record.partition()), work);
                    return work;
                });
        member.assign(ORDERS_0, ORDERS_1)
                .polled(Records.chunk(ORDERS_0, 0, "a", 0))
                .polled(Records.chunk(ORDERS_1, 0, "b", 0))
                .turn();
        assertThat(running).hasSize(2);
        member.host.onPark = () -> {
            running.values().forEach(work -> work.complete(Outcome.done()));
            member.host.runWorkers();
        };
        member.consumer.schedulePollTask(() -> member.assign(ORDERS_0));
        member.engine.step();
        assertThat(committed(member)).containsExactly(ORDERS_1);

        member.host.pass(interval.toMillis());
        List<TopicPartition> beforeThePoll = new ArrayList<>();
        member.consumer.schedulePollTask(() -> beforeThePoll.addAll(committed(member)));
        member.engine.step();
        assertThat(beforeThePoll.contains(ORDERS_0)).isEqualTo(atOnce);
        member.engine.step();
        assertThat(committed(member)).contains(ORDERS_0);
    }

    @ParameterizedTest(name = "others have committed up to {0}")
    @CsvSource({"1, true", "5, false"})
    @DisplayName("B14 a member that was thrown out while it waited in a rebalance takes nobody's commit back")
    void overtaken(long others, boolean commits) {
        CompletableFuture<Outcome> work = new CompletableFuture<>();
        HandEngine member = new HandEngine(
                Options.DEFAULTS.withCommit(CommitMode.async(Duration.ofHours(1))),
                HandEngine.DRAIN_LIMIT,
                true,
                (record, context) -> work);
        member.assign(ORDERS_0).polled(Records.chunk(ORDERS_0, 0, "a", 0)).turn();
        member.host.onPark = () -> {
            member.host.pass(1_500);
            member.consumer.othersCommit(ORDERS_0, others);
            work.complete(Outcome.done());
            member.host.runWorkers();
        };
        member.consumer.schedulePollTask(() -> member.assign(ORDERS_1));
        member.engine.step();
        assertThat(committed(member).contains(ORDERS_0)).isEqualTo(commits);
    }

    private static List<TopicPartition> committed(HandEngine member) {
        return member.consumer.commits.stream()
                .flatMap(offsets -> offsets.keySet().stream())
                .toList();
    }

    @Test
    @DisplayName(
            "B14 B32 a rebalance in vain: only a poll that begins later tells, and nothing is committed until then")
    void inVain() {
        MembershipFreshness news = new MembershipFreshness(true);
        assertThat(news.isCurrent()).isTrue();
        news.polling(0);
        news.waited();
        assertThat(news.isInVain()).as("another callback of this poll commits").isFalse();
        news.waitedInVain();
        news.polled();
        assertThat(news.isCurrent()).isFalse();
        assertThat(news.isInVain()).isTrue();
        news.polling(0);
        assertThat(news.isCurrent()).isFalse();
        news.polled();
        assertThat(news.isCurrent()).isTrue();
        assertThat(news.isInVain()).isFalse();
    }
}
