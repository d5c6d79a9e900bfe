package dev.laneway.engine.start;

import dev.laneway.Health;
import dev.laneway.engine.commit.CommitCall;
import dev.laneway.engine.commit.CommitSender;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.runtime.Host;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.StaleMemberEpochException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits the starts that a start position has given, before any record is read: whoever comes next goes on there, and
 * does not look again. The owner only.
 */
final class StartCommits {
    private static final Logger log = LoggerFactory.getLogger(StartCommits.class);
    private static final long PAUSE_NANOS = 100_000_000;
    /** While an answer is on its way, polls are that short. */
    private static final long UNDER_WAY_NANOS = 10_000_000;

    private static final HealthConditions.Subject SUBJECT =
            new HealthConditions.Subject(Health.Cause.NO_START, "start", "commit");

    private final Host host;
    private final org.apache.kafka.clients.consumer.Consumer<byte[], byte[]> consumer;
    private final CommitSender commits;
    private final HealthConditions conditions;
    /** Gets those that are committed, between turns. */
    private final Consumer<PartitionStart> taker;
    /** Gets those whose commit was not confirmed, between turns; they wait on. */
    private final Consumer<List<PartitionStart>> doubter;

    private final List<PartitionStart> waiting = new ArrayList<>();
    private final List<PartitionStart> confirmed = new ArrayList<>();
    private final List<PartitionStart> refused = new ArrayList<>();
    private boolean underWay;
    private long dueNanos;

    StartCommits(
            Host host,
            org.apache.kafka.clients.consumer.Consumer<byte[], byte[]> consumer,
            CommitSender commits,
            HealthConditions conditions,
            Consumer<PartitionStart> taker,
            Consumer<List<PartitionStart>> doubter) {
        this.host = host;
        this.consumer = consumer;
        this.commits = commits;
        this.conditions = conditions;
        this.taker = taker;
        this.doubter = doubter;
        this.dueNanos = host.nanoTime();
    }

    void add(PartitionStart start) {
        waiting.add(start);
    }

    void forget(PartitionStart start) {
        waiting.remove(start);
        confirmed.remove(start);
        refused.remove(start);
        if (waiting.isEmpty()) {
            conditions.end(SUBJECT);
        }
    }

    /** Nothing is starting any more. */
    void rest() {
        conditions.end(SUBJECT);
    }

    long untilDue(long nowNanos, long otherwise) {
        if (underWay || !confirmed.isEmpty() || !refused.isEmpty()) {
            return UNDER_WAY_NANOS;
        }
        return waiting.isEmpty() ? otherwise : Math.max(UNDER_WAY_NANOS, dueNanos - nowNanos);
    }

    /**
     * Sends what waits, once a poll has told that the partitions are this member's, and gives on what is confirmed.
     *
     * @param together which of those that wait may be committed now
     */
    void turn(UnaryOperator<List<PartitionStart>> together) {
        List<PartitionStart> taken = List.copyOf(confirmed);
        confirmed.clear();
        taken.forEach(taker);
        List<PartitionStart> doubtful = List.copyOf(refused);
        refused.clear();
        doubter.accept(doubtful);
        if (underWay
                || waiting.isEmpty()
                || host.nanoTime() - dueNanos < 0
                || !commits.membership().isCurrent()) {
            return;
        }
        List<PartitionStart> sent = together.apply(waiting);
        if (sent.isEmpty()) {
            return;
        }
        Map<TopicPartition, OffsetAndMetadata> offsets = new LinkedHashMap<>();
        sent.forEach(start -> offsets.put(start.id, new OffsetAndMetadata(start.offset)));
        underWay = true;
        CommitCall.send(consumer, offsets, (answered, failure) -> answered(sent, failure));
    }

    private void answered(List<PartitionStart> sent, @Nullable Exception failure) {
        underWay = false;
        if (failure == null) {
            log.info(
                    "the group starts at {}",
                    sent.stream().map(start -> start.id + "@" + start.offset).toList());
            conditions.end(SUBJECT);
            // What was given up meanwhile does not wait any more.
            sent.stream().filter(waiting::contains).forEach(confirmed::add);
            waiting.removeAll(sent);
            return;
        }
        dueNanos = host.nanoTime() + PAUSE_NANOS;
        List<PartitionStart> left = sent.stream().filter(waiting::contains).toList();
        refused.addAll(left);
        switch (failure) {
            case RetriableException _,
                    CommitFailedException _,
                    RebalanceInProgressException _,
                    StaleMemberEpochException _,
                    UnknownMemberIdException _ ->
                log.info("the starts of {} are committed again: {}", sent, failure.toString());
            default -> commits.failed(failure);
        }
        if (left.isEmpty()) {
            return; // All were given up meanwhile.
        }
        conditions.begin(
                SUBJECT,
                Health.Status.DEGRADED,
                "the starts of " + left.size() + " partitions, " + left.getFirst()
                        + " first, could not be committed (" + failure + "), and none of their records is read before;"
                        + " check the brokers");
    }
}
