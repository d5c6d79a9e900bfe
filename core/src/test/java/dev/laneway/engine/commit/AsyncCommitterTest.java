package dev.laneway.engine.commit;

import static dev.laneway.engine.commit.CommitterFixture.ID;
import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.BrokerException;
import dev.laneway.engine.HandConsumer;
import dev.laneway.engine.Machine;
import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.track.Chunk;
import dev.laneway.engine.track.CursorRun;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.errors.CoordinatorLoadInProgressException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.StaleMemberEpochException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class AsyncCommitterTest {
    private final CommitterFixture fixture = new CommitterFixture();
    private final HandConsumer consumer = fixture.consumer;
    private final AsyncCommitter committer = fixture.async();

    @Test
    void commitsOncePerIntervalWhatIsNew() {
        fixture.done(3);
        fixture.turn(committer, 0);
        fixture.turn(committer, 999);
        assertThat(consumer.commits).isEmpty();
        fixture.turn(committer, 1);
        assertThat(consumer.unanswered.getLast().offset(ID)).isEqualTo(3);
        consumer.unanswered.removeLast().answer(null);
        assertThat(fixture.partition.committed).isEqualTo(new Progress(3, ""));

        fixture.turn(committer, 5_000);
        assertThat(consumer.commits).as("nothing is new").hasSize(1);
        fixture.done(1);
        fixture.turn(committer, 1_000);
        assertThat(consumer.unanswered.getLast().offset(ID)).isEqualTo(4);
    }

    @Test
    @DisplayName("B51 a wake-up that comes too late for a poll, and ends the call that commits, stops nothing")
    void lateWakeUp() {
        consumer.refusals.add(new WakeupException());
        sendOne();
        assertThat(consumer.unanswered.getLast().offset(ID)).isEqualTo(1);
        assertThat(fixture.machine.counts.failedCommits.sum()).isZero();
    }

    @Test
    @DisplayName("B51 what the call that commits throws is a failed commit, which is made again where that may help")
    void refusedAtOnce() {
        consumer.refusals.add(new TimeoutException("no coordinator"));
        fixture.done(1);
        fixture.turn(committer, 0);
        fixture.turn(committer, 1_000);
        assertThat(consumer.commits).isEmpty();
        assertThat(fixture.machine.counts.failedCommits.sum()).isEqualTo(1);
        fixture.turn(committer, 100);
        assertThat(consumer.unanswered.getLast().offset(ID)).isEqualTo(1);
        assertThat(fixture.fatal).isEmpty();
    }

    @Test
    void tellsWhenItIsDue() {
        assertThat(committer.turn(0)).isEqualTo(1_000_000_000);
        assertThat(committer.turn(400_000_000)).isEqualTo(600_000_000);
        assertThat(committer.turn(1_000_000_000)).as("one is made").isEqualTo(100_000_000);
        consumer.unanswered.poll().answer(null);
        assertThat(committer.turn(1_010_000_000)).isEqualTo(990_000_000);
    }

    @Test
    @DisplayName("B14 polls are short while a commit is under way, for they take the answer and wait on")
    void answersEndNoPoll() {
        committer.turn(0);
        fixture.done(1);
        assertThat(committer.turn(1_000_000_000)).isEqualTo(100_000_000);
        assertThat(committer.turn(1_010_000_000)).isEqualTo(100_000_000);
        consumer.unanswered.poll().answer(new RebalanceInProgressException("simulated"));
        assertThat(committer.turn(1_060_000_000)).as("made again").isEqualTo(40_000_000);
    }

    @Test
    @DisplayName("B14 one commit at a time: the next waits for the answer")
    void oneAtATime() {
        sendOne();
        fixture.done(5);
        fixture.turn(committer, 10_000);
        assertThat(consumer.commits).hasSize(1);
        consumer.unanswered.poll().answer(null);
        fixture.turn(committer, 0);
        assertThat(consumer.commits).hasSize(2);
    }

    @Test
    @DisplayName("B14 a failed commit is made again within 100 ms, even with no new records")
    void failedIsMadeAgain() {
        sendOne();
        consumer.unanswered.poll().answer(new RetriableCommitFailedException("coordinator moved"));
        assertThat(fixture.partition.committed).isNull();
        fixture.turn(committer, 99);
        assertThat(consumer.commits).hasSize(1);
        fixture.turn(committer, 1);
        assertThat(consumer.commits).hasSize(2);
        consumer.unanswered.poll().answer(null);
        assertThat(fixture.partition.committed).isEqualTo(new Progress(1, ""));
        assertThat(fixture.machine.counts.failedCommits.sum()).isEqualTo(1);
        assertThat(fixture.machine.counts.commits.sum()).isEqualTo(1);
    }

    @Test
    @DisplayName("B14 a commit that is never answered is made again, and its late answer means nothing")
    void unansweredIsMadeAgain() {
        sendOne();
        HandConsumer.Sent lost = consumer.unanswered.poll();
        fixture.turn(committer, CommitterFixture.TIMEOUT_MILLIS - 1);
        assertThat(consumer.commits).hasSize(1);
        fixture.done(1);
        fixture.turn(committer, 1);
        assertThat(consumer.commits).hasSize(2);
        lost.answer(null);
        assertThat(fixture.partition.committed)
                .as("the old commit says less than the new one")
                .isNull();
        lost.answer(new TimeoutException());
        consumer.unanswered.poll().answer(null);
        assertThat(fixture.partition.committed).isEqualTo(new Progress(2, ""));
    }

    @ParameterizedTest
    @MethodSource
    @DisplayName("B15 a commit that a rebalance overtakes ends nothing and marks nothing clean")
    void overtaken(Exception failure) {
        sendOne();
        consumer.unanswered.poll().answer(failure);
        assertThat(fixture.fatal).isEmpty();
        assertThat(fixture.partition.committed).isNull();
        fixture.turn(committer, 100);
        assertThat(consumer.commits).hasSize(2);
    }

    static Stream<Exception> overtaken() {
        return Stream.of(
                new RebalanceInProgressException(),
                new CommitFailedException(),
                new StaleMemberEpochException("the member has moved on"),
                new RetriableCommitFailedException(new CoordinatorLoadInProgressException("loading")));
    }

    @Test
    @DisplayName("B50 a refusal that no repetition can mend stops the consumer with the reason")
    void refused() {
        sendOne();
        var refusal = GroupAuthorizationException.forGroupId("shop");
        consumer.unanswered.poll().answer(refusal);
        assertThat(fixture.fatal)
                .singleElement()
                .satisfies(failure -> assertThat(failure)
                        .isInstanceOf(BrokerException.class)
                        .hasMessage("a commit was refused: the user may not READ group shop: grant it, or set"
                                + " retryAuthorization to wait for that")
                        .hasCause(refusal));
    }

    @Test
    @DisplayName("B7 metadata that the broker refuses is halved until it fits")
    void shrinks() {
        fixture.everySecondDone(2_000);
        fixture.turn(committer, 0);
        fixture.turn(committer, 1_000);
        int full = consumer.unanswered.getLast().metadata(ID).length();
        assertThat(full).isGreaterThan(100);
        int refused = 0;
        while (consumer.unanswered.getLast().metadata(ID).length() > 100) {
            consumer.unanswered.removeLast().answer(new OffsetMetadataTooLarge("too large"));
            fixture.turn(committer, 100);
            assertThat(++refused).isLessThan(10);
            assertThat(consumer.unanswered).hasSize(1);
        }
        consumer.unanswered.removeLast().answer(null);
        assertThat(fixture.fatal).isEmpty();
        assertThat(fixture.partition.committed.offset()).isZero();
        assertThat(fixture.partition.committed.metadata().length()).isBetween(1, 100);
    }

    @Test
    @DisplayName("B32 what is given up is committed and confirmed before; a commit on its way is superseded")
    void flushSupersedes() {
        sendOne();
        HandConsumer.Sent onItsWay = consumer.unanswered.poll();
        fixture.done(1);
        committer.flush(List.of(fixture.partition));
        assertThat(fixture.partition.committed).isEqualTo(new Progress(2, ""));
        onItsWay.answer(null);
        assertThat(fixture.partition.committed).isEqualTo(new Progress(2, ""));
    }

    @Test
    @DisplayName("B57 commits that are not confirmed are told, until one is")
    void trouble() {
        assertThat(fixture.commits.trouble()).isEmpty();
        sendOne();
        consumer.unanswered.poll().answer(new RetriableCommitFailedException("again"));
        fixture.turn(committer, 7_000);
        assertThat(fixture.commits.trouble())
                .hasValue("no commit was confirmed for 7 s"
                        + " (org.apache.kafka.clients.consumer.RetriableCommitFailedException: again): check the"
                        + " brokers; a crash now would repeat that much");
        consumer.unanswered.poll().answer(null);
        assertThat(fixture.commits.trouble()).isEmpty();
    }

    @Test
    @DisplayName("B16 one stuck record and 10 M done after it commit in less than 1 ms")
    void costDoesNotGrowWithTheSpan() {
        fixture.append(1);
        fixture.machine.startLane(fixture.track());
        long offset = 1;
        for (int chunk = 0; chunk < 10; chunk++) {
            long from = offset;
            int size = 1_000_000;
            fixture.partition.append(new Chunk(new MadeOnDemand(from, size)), new OffsetAndMetadata(from + size));
            CursorRun run = Machine.claim(fixture.track());
            for (int i = 1; i < size; i++) {
                if (!fixture.track().glide(from + i - 1, from + i)) {
                    assertThat(fixture.track().finish(run, false)).isTrue();
                }
            }
            assertThat(fixture.track().finish(run, false)).isFalse();
            offset += size;
        }
        fixture.turn(committer, 0);
        long best = Long.MAX_VALUE;
        for (int i = 0; i < 50; i++) {
            fixture.host.pass(1_000);
            long start = System.nanoTime();
            committer.turn(fixture.host.nowNanos);
            best = Math.min(best, System.nanoTime() - start);
            HandConsumer.Sent sent = consumer.unanswered.poll();
            assertThat(sent.offset(ID)).isZero();
            assertThat(sent.metadata(ID).length()).isLessThan(10);
            sent.answer(new RetriableCommitFailedException("so that it is made again"));
        }
        assertThat(best).as("nanoseconds").isLessThan(1_000_000);
    }

    /** Records that exist while they are looked at. */
    private static final class MadeOnDemand extends java.util.AbstractList<ConsumerRecord<byte[], byte[]>> {
        private final long from;
        private final int size;

        MadeOnDemand(long from, int size) {
            this.from = from;
            this.size = size;
        }

        @Override
        public ConsumerRecord<byte[], byte[]> get(int index) {
            return new ConsumerRecord<>("orders", 0, from + index, null, null);
        }

        @Override
        public int size() {
            return size;
        }
    }

    @Test
    @DisplayName("B102 what has not changed is committed again, long before a broker forgets it")
    void refreshes() {
        sendOne();
        consumer.unanswered.poll().answer(null);
        fixture.turn(committer, CommitterFixture.REFRESH.toMillis() - 1);
        assertThat(consumer.commits).hasSize(1);
        fixture.turn(committer, CommitterFixture.INTERVAL_MILLIS);
        assertThat(consumer.commits).hasSize(2);
        assertThat(consumer.unanswered.getLast().offset(ID)).isEqualTo(1);
        consumer.unanswered.poll().answer(new RetriableCommitFailedException("again"));
        fixture.turn(committer, 100);
        assertThat(consumer.commits).as("until it is confirmed").hasSize(3);
        consumer.unanswered.poll().answer(null);
        fixture.turn(committer, CommitterFixture.REFRESH.toMillis() - 1);
        assertThat(consumer.commits).hasSize(3);
    }

    private void sendOne() {
        fixture.done(1);
        fixture.turn(committer, 0);
        fixture.turn(committer, 1_000);
        assertThat(consumer.commits).hasSize(1);
    }
}
