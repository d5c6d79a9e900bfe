package dev.laneway.engine;

import static dev.laneway.engine.Records.ORDERS_0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Backoff;
import dev.laneway.FailurePolicy;
import dev.laneway.Options;
import dev.laneway.Outcome;
import dev.laneway.engine.commit.BrokerRetries;
import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.track.Assignment;
import dev.laneway.engine.track.Track;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Turns of a whole member in which the group changes. */
class EngineTest {
    /** A stage that cannot be cancelled: its work goes on. */
    private static final class Work extends CompletableFuture<Outcome> {
        @Override
        public boolean cancel(boolean mayInterrupt) {
            return false;
        }

        void ends() {
            complete(Outcome.done());
        }
    }

    private final List<Long> started = new ArrayList<>();
    private final Map<Long, Work> running = new HashMap<>();
    private final List<String> twiceAtOnce = new ArrayList<>();

    private HandEngine member() {
        return new HandEngine(Options.DEFAULTS, (record, context) -> {
            started.add(record.offset());
            Work work = new Work();
            Work beside = running.put(record.offset(), work);
            if (beside != null && !beside.isDone()) {
                twiceAtOnce.add("orders-0@" + record.offset());
            }
            return work;
        });
    }

    @Test
    @DisplayName("B30 a poll that fails is followed by a pause, whether polling goes on or ends with it")
    void failedPoll() {
        HandEngine member = member();
        member.assign(ORDERS_0).turn();
        for (KafkaException failure :
                List.of(new TimeoutException("no answer"), new NoOffsetForPartitionException(ORDERS_0))) {
            member.consumer.setPollException(failure);
            long before = member.host.nowNanos;
            member.engine.step();
            assertThat(member.host.nowNanos - before)
                    .as("%s", failure)
                    .isGreaterThanOrEqualTo(BrokerRetries.PAUSE_NANOS);
        }
    }

    @Test
    @DisplayName("B36 revoked and assigned again in one poll: what was done is not repeated, what was not is not lost")
    void revokedAndAssignedInOnePoll() {
        HandEngine member = member();
        member.assign(ORDERS_0).polled(Records.chunk(0, "abcdef")).turn();
        assertThat(started).containsExactly(0L, 1L, 2L, 3L, 4L, 5L);
        List.of(0L, 1L, 3L).forEach(offset -> running.get(offset).ends());
        // Within the drain limit: the handlers end while the revocation waits for them, inside the poll.
        member.host.onPark = () -> {
            running.values().forEach(Work::ends);
            member.host.runWorkers();
        };
        member.consumer.schedulePollTask(() -> member.assign().assign(ORDERS_0).polled(Records.chunk(6, "gh")));
        member.turn();
        assertThat(started).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
        running.values().forEach(Work::ends);
        member.turn();
        assertThat(member.partition(ORDERS_0).track.progress(4096)).isEqualTo(new Progress(8, ""));
        assertThat(member.parts.core().counts().late.sum()).isZero();
    }

    @Test
    @DisplayName("B36 B19 handlers that outlive the drain limit: the next assignment waits for them, then runs what was"
            + " not done")
    void outlivedByHandlers() {
        HandEngine member = member();
        member.assign(ORDERS_0).polled(Records.chunk(0, "abcdef")).turn();
        List.of(0L, 1L, 3L).forEach(offset -> running.get(offset).ends());
        long before = member.host.nowNanos;
        member.consumer.schedulePollTask(() -> member.assign().assign(ORDERS_0).polled(Records.chunk(2, "cdef")));
        member.turn();
        assertThat(Duration.ofNanos(member.host.nowNanos - before))
                .as("B33: up to the limit and not longer")
                .isBetween(HandEngine.DRAIN_LIMIT, HandEngine.DRAIN_LIMIT.plusSeconds(4));
        assertThat(started)
                .as("2, 4 and 5 still run for the earlier assignment")
                .hasSize(6);
        assertThat(member.partition(ORDERS_0).track.ledger.records()).isPositive();

        running.values().forEach(Work::ends);
        member.turn();
        assertThat(started.subList(6, started.size())).containsExactly(2L, 4L, 5L);
        assertThat(member.parts.core().counts().late.sum()).isEqualTo(3);
        running.values().forEach(Work::ends);
        member.turn();
        assertThat(member.partition(ORDERS_0).track.progress(4096)).isEqualTo(new Progress(6, ""));
        assertThat(twiceAtOnce).isEmpty();
    }

    @Test
    @DisplayName("B3 a map is not believed where the log has been written anew since, and the next commit says so")
    void logThatWasWrittenAnew() {
        HandEngine first = member();
        first.assign(ORDERS_0).polled(Records.chunk(ORDERS_0, 0, "abcdef", 4)).turn();
        List.of(0L, 2L, 3L, 5L).forEach(offset -> running.get(offset).ends());
        first.turn().assign();
        OffsetAndMetadata left = first.consumer.commits.getLast().get(ORDERS_0);
        assertThat(left.offset()).isEqualTo(1);
        assertThat(left.leaderEpoch()).hasValue(4);

        started.clear();
        HandEngine second = member();
        second.consumer.commitSync(Map.of(ORDERS_0, left), Duration.ofSeconds(1));
        second.assign(ORDERS_0)
                .polled(Records.chunk(ORDERS_0, 1, "bc", 4))
                .polled(Records.chunk(ORDERS_0, 3, "xyz", 5))
                .turn();
        assertThat(started).as("2 is done, 3 and 5 are other records now").containsExactly(1L, 3L, 4L, 5L);
        running.values().forEach(Work::ends);
        second.turn().assign();
        assertThat(second.consumer.commits.getLast())
                .containsEntry(ORDERS_0, new OffsetAndMetadata(6, Optional.of(5), ""));
    }

    @Test
    @DisplayName("B3 a map that reaches beyond the end of the log is not believed: what is written there later is done")
    void mapBeyondTheEnd() {
        HandEngine first = member();
        first.assign(ORDERS_0).polled(Records.chunk(0, "abcdef")).turn();
        List.of(0L, 2L, 3L, 5L).forEach(offset -> running.get(offset).ends());
        first.turn().assign();
        OffsetAndMetadata left = first.consumer.commits.getLast().get(ORDERS_0);
        assertThat(left.metadata()).isNotEmpty();

        started.clear();
        HandEngine second = member();
        second.consumer.commitSync(Map.of(ORDERS_0, left), Duration.ofSeconds(1));
        // It was cut, and nothing was written since.
        second.assign(3, ORDERS_0).polled(Records.chunk(1, "bcdef")).turn();
        assertThat(started).containsExactly(1L, 2L, 3L, 4L, 5L);
    }

    @Test
    @DisplayName("B3 B113 a log that is cut again and again before a commit keeps nothing that the first cut took away")
    void cutAgainAndAgain() {
        HandEngine first = member();
        first.assign(ORDERS_0).polled(Records.chunk(0, "abcdefghij")).turn();
        List.of(0L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L)
                .forEach(offset -> running.get(offset).ends());
        first.turn().assign();
        OffsetAndMetadata left = first.consumer.commits.getLast().get(ORDERS_0);
        assertThat(left.offset()).isEqualTo(1);

        HandEngine second = member();
        second.consumer.commitSync(Map.of(ORDERS_0, left), Duration.ofSeconds(1));
        started.clear();
        second.assign(ORDERS_0).polled(Records.chunk(1, "bcdefghij")).turn();
        assertThat(started).as("what the map says is done").containsExactly(1L);
        for (long cut : List.of(4, 6, 8)) { // Each later cut is of records that were written since the one before.
            second.consumer.seek(ORDERS_0, cut);
            second.polled(Records.chunk(cut, "z")).turn();
            running.values().forEach(Work::ends); // What has begun before the cut.
            started.clear();
            second.turn();
            second.polled(Records.chunk(1, "bcdefghij")).turn();
            assertThat(started).as("cut at %s", cut).containsExactly(1L, 4L, 5L, 6L, 7L, 8L, 9L);
        }
    }

    @Test
    @DisplayName("B46 a retry that is due in an hour keeps nothing of a partition that has gone")
    void retriesOfPartitionsThatHaveGone() {
        HandEngine member = new HandEngine(
                Options.DEFAULTS.withFailurePolicy(FailurePolicy.retry(Backoff.fixed(Duration.ofHours(1)))),
                (record, context) -> {
                    throw new IllegalStateException("no stock");
                });
        int idle = member.turn().parts.core().timers().size();
        member.assign(ORDERS_0).polled(Records.chunk(0, "abc")).turn();
        assertThat(member.parts.core().timers().size()).isEqualTo(idle + 3);
        member.assign();
        assertThat(member.parts.core().timers().size()).isEqualTo(idle);

        // Told too late: the attempt fails before the partition goes, and the owner hears of it afterwards.
        member.assign(ORDERS_0).polled(Records.chunk(0, "abc"));
        member.engine.step();
        member.host.runWorkers();
        member.assign();
        member.turn();
        assertThat(member.parts.core().timers().size()).isEqualTo(idle);
    }

    @Test
    @DisplayName("B46 a delivery that waits to be sent again keeps nothing of a partition that has gone, nor its next"
            + " assignment waiting")
    void deliveriesOfPartitionsThatHaveGone() {
        HandEngine member = new HandEngine(
                Options.DEFAULTS,
                Duration.ofMillis(10),
                (record, context) -> CompletableFuture.completedFuture(
                        Outcome.emit(List.of(new ProducerRecord<>("out", new byte[1])))));
        int idle = member.turn().parts.core().timers().size();
        member.assign(ORDERS_0).polled(Records.chunk(0, "a")).turn();
        assertThat(member.producer.errorNext(new TimeoutException("no answer"))).isTrue();
        member.engine.step();
        assertThat(member.parts.core().timers().size()).isEqualTo(idle + 1);
        Track track = member.partition(ORDERS_0).track;
        member.assign();
        assertThat(track.busy()).isZero();
        assertThat(member.parts.core().timers().size()).isEqualTo(idle);
        member.assign(ORDERS_0).polled(Records.chunk(0, "a")).turn();
        assertThat(member.producer.history()).hasSize(2);
    }

    @Test
    @DisplayName("B40 a partition that has been assigned is among this member's at every moment")
    void assignedAtEveryMoment() {
        HandEngine member = member();
        Assignment assignment = member.parts.core().assignment();
        List<Boolean> seen = new ArrayList<>();
        member.consumer.called = () -> {
            if (!member.consumer.told.isEmpty()) { // It is paused until it is known where it starts.
                seen.add(assignment.ids().contains(ORDERS_0));
            }
        };
        member.assign(ORDERS_0).turn().polled(Records.chunk(0, "a")).turn();
        assertThat(seen).isNotEmpty().doesNotContain(false);
    }
}
