package dev.laneway.engine.commit;

import static dev.laneway.engine.commit.CommitterFixture.ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.BrokerException;
import dev.laneway.engine.HandConsumer;
import dev.laneway.engine.offsets.OffsetMap;
import dev.laneway.engine.offsets.Progress;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.errors.CoordinatorLoadInProgressException;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.StaleMemberEpochException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Commits under the consumer protocol that wait for the answer: each of them is one request. */
class SingleAttemptCommitTest {
    private final CommitterFixture fixture = new CommitterFixture();
    private final HandConsumer consumer = fixture.consumer;
    private final CommitSender commits = fixture.commits(true);

    @BeforeEach
    void done() {
        fixture.done(1);
    }

    private boolean send(boolean last) {
        return commits.sendSync(List.of(fixture.partition), last);
    }

    @Test
    void isStored() {
        assertThat(send(false)).isTrue();
        assertThat(offsets()).containsExactly(1L);
        assertThat(fixture.partition.committed).isEqualTo(new Progress(1, ""));
    }

    @Test
    @DisplayName("B14 B17 consumer protocol: a failed commit is not sent again before a poll has told who is a member")
    void sentOnce() {
        consumer.failures.add(loading());
        assertThat(send(true)).isFalse();
        assertThat(offsets()).containsExactly(1L);
        assertThat(commits.isToBeMadeAgain()).isTrue();
        assertThat(commits.trouble()).as("nothing more is due").isEmpty();
        assertThat(fixture.partition.committed).isNull();
        assertThat(send(true)).isFalse();
        assertThat(offsets()).containsExactly(1L);
        assertThat(commits.isToBeMadeAgain()).isTrue();
        poll();
        assertThat(send(true)).isTrue();
        assertThat(offsets()).containsExactly(1L, 1L);
        assertThat(commits.isToBeMadeAgain()).isFalse();
        assertThat(commits.trouble()).isEmpty();
    }

    @Test
    @DisplayName("B15 consumer protocol: a wake-up that ends the wait sends nothing again")
    void wokenUp() {
        consumer.waits.add(new WakeupException());
        assertThat(send(false)).isTrue();
        assertThat(offsets()).containsExactly(1L);
    }

    @Test
    @DisplayName("B14 an older commit whose answer is lost holds up none that is answered")
    void olderCommitIsNotAnswered() {
        consumer.longWaits.add(new TimeoutException("an older commit is on its way"));
        consumer.longWaits.add(new TimeoutException("it still is"));
        assertThat(send(false)).isTrue();
        assertThat(offsets()).containsExactly(1L);
        assertThat(consumer.longWaits).as("waits after the first").hasSize(1);
        assertThat(fixture.partition.committed).isEqualTo(new Progress(1, ""));
        assertThat(fixture.machine.counts.failedCommits.sum()).isZero();
    }

    @Test
    @DisplayName("B51 a wake-up that ends the call before it sends anything loses no last commit")
    void wokenUpBeforeItIsSent() {
        consumer.refusals.add(new WakeupException());
        assertThat(send(true)).isTrue();
        assertThat(fixture.partition.committed).isEqualTo(new Progress(1, ""));
    }

    @ParameterizedTest
    @MethodSource
    @DisplayName("B15 consumer protocol: a commit that a rebalance overtakes marks nothing clean and ends nothing")
    void overtaken(RuntimeException failure) {
        consumer.failures.add(failure);
        assertThat(send(false)).isFalse();
        assertThat(fixture.partition.committed).isNull();
        assertThat(fixture.machine.counts.failedCommits.sum()).isEqualTo(1);
    }

    static Stream<RuntimeException> overtaken() {
        return Stream.of(
                new RebalanceInProgressException(),
                new CommitFailedException(),
                new StaleMemberEpochException("another epoch"));
    }

    @Test
    @DisplayName("B7 consumer protocol: metadata that the broker refuses is cut until it fits")
    void smallerMap() {
        fixture.everySecondDone(2_000);
        consumer.failures.add(new OffsetMetadataTooLarge("too large"));
        assertThat(send(false)).isTrue();
        assertThat(consumer.commits).hasSize(2);
        assertThat(consumer.commits.getLast().get(ID).metadata()).hasSizeLessThanOrEqualTo(OffsetMap.DEFAULT_LIMIT / 2);
    }

    @Test
    @DisplayName("B57 consumer protocol: a broker that stores no commit ends the consumer with option, value, remedy")
    void neverStored() {
        consumer.failures.add(loading());
        assertThat(send(false)).isFalse();
        poll();
        fixture.host.pass(4_999);
        consumer.failures.add(loading());
        assertThat(send(false)).isFalse();
        poll();
        fixture.host.pass(1);
        consumer.failures.add(loading());
        assertThatThrownBy(() -> send(false))
                .isInstanceOf(BrokerException.class)
                .hasMessage("no commit was stored within brokerLimit 5.0 s: check the brokers, or raise brokerLimit");
    }

    @Test
    @DisplayName("B57 consumer protocol: a commit that is never answered ends the consumer, the last one does not")
    void neverAnswered() {
        for (int i = 0; i < 10_000; i++) {
            consumer.waits.add(new TimeoutException("no answer"));
        }
        assertThatThrownBy(() -> send(false))
                .isInstanceOf(BrokerException.class)
                .hasMessageStartingWith("the commit had no answer within brokerLimit 10 s (");
        assertThat(send(true)).isFalse();
        poll();
        assertThat(send(true)).isFalse();
        assertThat(offsets()).containsExactly(1L, 1L);
    }

    @Test
    @DisplayName(
            "B14 consumer protocol: all of a rebalance's commits that follow one without an answer wait for a poll")
    void silentInARebalance() {
        for (int i = 0; i < 10_000; i++) {
            consumer.waits.add(new TimeoutException("no answer"));
        }
        assertThat(send(true)).isFalse();
        consumer.waits.clear();
        fixture.done(1);
        assertThat(send(true)).isFalse();
        assertThat(offsets()).containsExactly(1L);
        poll();
        assertThat(send(true)).isTrue();
        assertThat(offsets()).containsExactly(1L, 2L);
    }

    private void poll() {
        commits.membership().polling(0);
        commits.membership().polled();
    }

    private static RetriableCommitFailedException loading() {
        return new RetriableCommitFailedException(new CoordinatorLoadInProgressException("loading"));
    }

    private List<Long> offsets() {
        return consumer.commits.stream()
                .map(offsets -> offsets.get(ID).offset())
                .toList();
    }
}
