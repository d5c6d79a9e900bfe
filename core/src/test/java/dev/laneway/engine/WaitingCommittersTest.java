package dev.laneway.engine;

import static dev.laneway.engine.commit.CommitterFixture.ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.BrokerException;
import dev.laneway.CommitMode;
import dev.laneway.engine.commit.AsyncCommitter;
import dev.laneway.engine.commit.AtMostOnceCommitter;
import dev.laneway.engine.commit.Committer;
import dev.laneway.engine.commit.CommitterFixture;
import dev.laneway.engine.commit.SyncCommitter;
import dev.laneway.engine.offsets.DecodedMetadata;
import dev.laneway.engine.offsets.OffsetMap;
import dev.laneway.engine.offsets.OffsetMapTest;
import dev.laneway.engine.offsets.OffsetWindow;
import dev.laneway.engine.offsets.Progress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.errors.CoordinatorLoadInProgressException;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Commits that wait for the answer: those of the sync and the ahead mode, and the last one of a partition. */
class WaitingCommittersTest {
    private final CommitterFixture fixture = new CommitterFixture();
    private final HandConsumer consumer = fixture.consumer;
    private final SyncCommitter sync = new SyncCommitter(fixture.commits, 1_000_000_000);
    private final AtMostOnceCommitter ahead = new AtMostOnceCommitter(fixture.commits);

    private Committer unexpected(CommitMode.ExactlyOnce mode) {
        throw new AssertionError("not asked for: " + mode);
    }

    @Test
    void eachModeHasItsCommitter() {
        Duration second = Duration.ofSeconds(1);
        assertThat(Committer.of(CommitMode.async(second), fixture.commits, 1, this::unexpected))
                .isInstanceOf(AsyncCommitter.class);
        assertThat(Committer.of(CommitMode.sync(second), fixture.commits, 1, this::unexpected))
                .isInstanceOf(SyncCommitter.class);
        assertThat(Committer.of(CommitMode.ahead(), fixture.commits, 1, this::unexpected))
                .isInstanceOf(AtMostOnceCommitter.class);
    }

    @Test
    void syncCommitsOncePerIntervalWhatIsNew() {
        fixture.done(2);
        fixture.turn(sync, 0);
        fixture.turn(sync, 999);
        assertThat(consumer.commits).isEmpty();
        fixture.turn(sync, 1);
        assertThat(offsets()).containsExactly(2L);
        assertThat(fixture.partition.committed).isEqualTo(new Progress(2, ""));
        fixture.turn(sync, 1_000);
        assertThat(offsets()).as("nothing is new").containsExactly(2L);
        assertThat(sync.turn(fixture.host.nowNanos + 400_000_000)).isEqualTo(600_000_000);
    }

    @Test
    @DisplayName("B102 what was committed ahead is committed again as it was, whatever is done of it")
    void aheadRefreshes() {
        fixture.turn(ahead, 0);
        ahead.beforeDispatch(Map.of(ID, new OffsetAndMetadata(7)));
        fixture.append(7);
        fixture.turn(ahead, CommitterFixture.REFRESH.toMillis() - 1);
        assertThat(offsets()).containsExactly(7L);
        fixture.turn(ahead, 1_000);
        assertThat(offsets()).containsExactly(7L, 7L);
        fixture.turn(ahead, 2_000);
        assertThat(offsets()).containsExactly(7L, 7L);
    }

    @ParameterizedTest
    @MethodSource
    @DisplayName("B15 a commit that a loading coordinator ends is made again at once; after a wake-up it is waited for")
    void madeAgain(RuntimeException failure) {
        fixture.done(1);
        (failure instanceof WakeupException ? consumer.waits : consumer.failures).add(failure);
        sync.flush(List.of(fixture.partition));
        assertThat(offsets())
                .hasSize(failure instanceof WakeupException ? 1 : 2)
                .containsOnly(1L);
        assertThat(fixture.partition.committed).isEqualTo(new Progress(1, ""));
    }

    static Stream<RuntimeException> madeAgain() {
        return Stream.of(new WakeupException(), new CoordinatorLoadInProgressException("loading"));
    }

    @ParameterizedTest
    @MethodSource
    @DisplayName("B15 a commit that a rebalance overtakes marks nothing clean and ends nothing")
    void overtaken(RuntimeException failure) {
        fixture.done(1);
        consumer.failures.add(failure);
        fixture.turn(sync, 0);
        fixture.turn(sync, 1_000);
        assertThat(fixture.partition.committed).isNull();
        assertThat(fixture.machine.counts.failedCommits.sum()).isEqualTo(1);
        fixture.turn(sync, 1_000);
        assertThat(fixture.partition.committed).isEqualTo(new Progress(1, ""));
    }

    static Stream<RuntimeException> overtaken() {
        return Stream.of(new RebalanceInProgressException(), new CommitFailedException());
    }

    @Test
    @DisplayName("B33 the last commit of a revoked partition waits no longer than its limit, and ends nothing")
    void lastCommitIsBounded() {
        fixture.done(1);
        silence();
        long start = fixture.host.nowNanos;
        sync.flush(List.of(fixture.partition));
        assertThat(fixture.host.nowNanos - start).isBetween(5_000_000_000L, 5_200_000_000L);
        assertThat(fixture.partition.committed).isNull();
        assertThat(fixture.machine.counts.failedCommits.sum()).isEqualTo(1);
    }

    @Test
    @DisplayName("B57 a broker that answers no commit ends the sync mode with option, value and remedy")
    void brokerLimit() {
        fixture.done(1);
        silence();
        fixture.turn(sync, 0);
        fixture.host.pass(1_000);
        assertThatThrownBy(() -> sync.turn(fixture.host.nowNanos))
                .isInstanceOf(BrokerException.class)
                .hasMessageStartingWith("the commit had no answer within brokerLimit 10 s (")
                .hasMessageEndingWith(" attempts): check the brokers, or raise brokerLimit")
                .hasCauseInstanceOf(TimeoutException.class);
    }

    @Test
    @DisplayName("B7 metadata that the broker refuses is cut until it fits, also when a partition is given up")
    void smallerMap() {
        fixture.everySecondDone(2_000);
        consumer.failures.add(new OffsetMetadataTooLarge("too large"));
        consumer.failures.add(new OffsetMetadataTooLarge("too large"));
        consumer.failures.add(new OffsetMetadataTooLarge("too large"));
        consumer.failures.add(new OffsetMetadataTooLarge("too large"));
        consumer.failures.add(new OffsetMetadataTooLarge("too large"));
        consumer.failures.add(new OffsetMetadataTooLarge("too large"));
        sync.flush(List.of(fixture.partition));
        assertThat(consumer.commits).hasSize(7);
        OffsetAndMetadata last = consumer.commits.getLast().get(ID);
        assertThat(last.offset()).isZero();
        assertThat(last.metadata().length()).isBetween(1, OffsetMap.DEFAULT_LIMIT >> 6);
        assertThat(fixture.partition.committed)
                .as("what the broker has, no more")
                .isEqualTo(new Progress(0, last.metadata()));
    }

    @Test
    @DisplayName("B7 a broker that takes no metadata at all gets the offset")
    void noMap() {
        fixture.append(2);
        fixture.machine.startLane(fixture.track());
        fixture.machine.handle(fixture.track(), 1);
        for (int i = 0; i < 13; i++) {
            consumer.failures.add(new OffsetMetadataTooLarge("too large"));
        }
        sync.flush(List.of(fixture.partition));
        assertThat(consumer.commits.getLast().get(ID)).isEqualTo(new OffsetAndMetadata(0));
        assertThat(fixture.partition.committed).isEqualTo(new Progress(0, ""));
    }

    @Test
    @DisplayName("B7 metadata that is refused however little it is ends the consumer, and the commit")
    void neverSmallEnough() {
        fixture.done(1);
        for (int i = 0; i < 1_000; i++) {
            consumer.failures.add(new OffsetMetadataTooLarge("too large"));
        }
        sync.flush(List.of(fixture.partition));
        assertThat(consumer.commits).hasSizeLessThan(20);
        assertThat(fixture.fatal)
                .singleElement()
                .asInstanceOf(InstanceOfAssertFactories.THROWABLE)
                .hasMessageContaining("offset.metadata.max.bytes");
    }

    @Test
    @DisplayName("B14 sync, consumer protocol: a commit that failed is made again soon, not an interval later")
    void syncAgain() {
        SyncCommitter minutes = new SyncCommitter(fixture.commits(true), 120_000_000_000L);
        fixture.done(1);
        fixture.turn(minutes, 0);
        consumer.failures.add(new RetriableCommitFailedException(new CoordinatorLoadInProgressException("loading")));
        fixture.turn(minutes, 120_000);
        assertThat(fixture.partition.committed).isNull();
        assertThat(minutes.turn(fixture.host.nowNanos)).isLessThanOrEqualTo(100_000_000);
    }

    @Test
    @DisplayName("B17 ahead: what a poll returned is committed before any of it may be processed")
    void aheadCommitsPositions() {
        assertThat(ahead.turn(0)).isEqualTo(Long.MAX_VALUE);
        assertThat(ahead.beforeDispatch(Map.of(ID, new OffsetAndMetadata(7)))).isTrue();
        assertThat(offsets()).containsExactly(7L);
    }

    @Test
    @DisplayName("B17 ahead: what an earlier owner has done beyond the poll stays done")
    void aheadKeepsTheMap() {
        OffsetWindow undone = new OffsetWindow();
        List.of(3L, 4L, 7L, 9L).forEach(undone::add);
        OffsetAndMetadata left = new OffsetAndMetadata(3, Optional.of(5), OffsetMap.encode(ID, 3, undone, 12));
        fixture.partition.restored(left, OffsetMapTest.mapOf(3, left.metadata()));
        OffsetAndMetadata next = new OffsetAndMetadata(5, Optional.of(2), "");
        assertThat(ahead.beforeDispatch(Map.of(ID, next))).isTrue();
        assertThat(offsets()).as("5 and 6 are done").containsExactly(7L);
        assertThat(consumer.commits.getLast().get(ID).leaderEpoch())
                .as("of what was done beyond the poll, else the log seems to have been cut there")
                .hasValue(5);
        DecodedMetadata.Map kept =
                OffsetMapTest.mapOf(7, consumer.commits.getLast().get(ID).metadata());
        assertThat(kept.undone()).containsExactly(7L, 9L);
        assertThat(kept.cursor()).isEqualTo(12);
        assertThat(ahead.beforeDispatch(Map.of(ID, new OffsetAndMetadata(10)))).isTrue();
        assertThat(consumer.commits.getLast()).containsEntry(ID, new OffsetAndMetadata(12, Optional.of(5), ""));
    }

    @Test
    @DisplayName("B7 B17 ahead: where the broker refuses the map nothing is processed, and the next commit says less")
    void aheadWithLessMetadata() {
        OffsetWindow undone = new OffsetWindow();
        for (long offset = 0; offset < 30_000; offset += 2 + offset % 3) {
            undone.add(offset);
        }
        OffsetAndMetadata left = new OffsetAndMetadata(0, OffsetMap.encode(ID, 0, undone, 30_000));
        fixture.partition.restored(left, OffsetMapTest.mapOf(0, left.metadata()));
        consumer.failures.add(new OffsetMetadataTooLarge("too large"));
        assertThat(ahead.beforeDispatch(Map.of(ID, new OffsetAndMetadata(1)))).isFalse();
        assertThat(ahead.beforeDispatch(Map.of(ID, new OffsetAndMetadata(1)))).isTrue();
        assertThat(consumer.commits.getLast().get(ID).metadata())
                .isNotEmpty()
                .hasSizeLessThanOrEqualTo(OffsetMap.DEFAULT_LIMIT / 2);
    }

    @Test
    @DisplayName("B17 ahead: what could not be committed is not processed")
    void aheadRefuses() {
        consumer.failures.add(new CommitFailedException());
        assertThat(ahead.beforeDispatch(Map.of(ID, new OffsetAndMetadata(7)))).isFalse();
    }

    @Test
    @DisplayName("B17 ahead: a partition that is given up in peace commits how far it got, one at work does not")
    void aheadFlushesAtRest() {
        fixture.append(2);
        fixture.machine.handle(fixture.track(), 1);
        ahead.flush(List.of(fixture.partition));
        assertThat(offsets()).containsExactly(1L);
        fixture.machine.startLane(fixture.track());
        ahead.flush(List.of(fixture.partition));
        assertThat(offsets()).containsExactly(1L);
    }

    @Test
    @DisplayName("B17 ahead: what was polled and never begun is given back, though nothing has changed since the start")
    void aheadGivesBack() {
        fixture.partition.committed = new Progress(0, "");
        ahead.beforeDispatch(Map.of(ID, new OffsetAndMetadata(2)));
        fixture.append(2);
        ahead.flush(List.of(fixture.partition));
        assertThat(offsets()).as("else the two would be lost").containsExactly(2L, 0L);
    }

    @Test
    void asyncAndSyncDispatchAtOnce() {
        assertThat(sync.beforeDispatch(Map.of())).isTrue();
        assertThat(fixture.async().beforeDispatch(Map.of())).isTrue();
        assertThat(consumer.commits).isEmpty();
    }

    /** As the consumer does when no broker answers, until long after every limit. */
    private void silence() {
        for (int i = 0; i < 10_000; i++) {
            consumer.failures.add(new TimeoutException("no answer"));
        }
    }

    private List<Long> offsets() {
        return consumer.commits.stream()
                .map(offsets -> offsets.get(ID).offset())
                .toList();
    }
}
