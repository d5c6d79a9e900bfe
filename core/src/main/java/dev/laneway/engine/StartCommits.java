package dev.laneway.engine;

import dev.laneway.Health;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
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

    private static final Conditions.Subject SUBJECT = new Conditions.Subject("start", "commit");

    private final Host host;
    private final org.apache.kafka.clients.consumer.Consumer<byte[], byte[]> consumer;
    private final Commits commits;
    private final Conditions conditions;
    /** Gets those that are committed, between turns. */
    private final Consumer<Start> taker;

    private final List<Start> waiting = new ArrayList<>();
    private final List<Start> confirmed = new ArrayList<>();
    private boolean underWay;
    private long dueNanos;

    StartCommits(
            Host host,
            org.apache.kafka.clients.consumer.Consumer<byte[], byte[]> consumer,
            Commits commits,
            Conditions conditions,
            Consumer<Start> taker) {
        this.host = host;
        this.consumer = consumer;
        this.commits = commits;
        this.conditions = conditions;
        this.taker = taker;
        this.dueNanos = host.nanoTime();
    }

    void add(Start start) {
        waiting.add(start);
    }

    void forget(Start start) {
        waiting.remove(start);
        confirmed.remove(start);
        if (waiting.isEmpty()) {
            conditions.end(SUBJECT);
        }
    }

    long untilDue(long nowNanos, long otherwise) {
        if (underWay || !confirmed.isEmpty()) {
            return UNDER_WAY_NANOS;
        }
        return waiting.isEmpty() ? otherwise : Math.max(UNDER_WAY_NANOS, dueNanos - nowNanos);
    }

    /** Sends what waits, once a poll has told that the partitions are this member's, and gives on what is confirmed. */
    void turn() {
        List<Start> taken = List.copyOf(confirmed);
        confirmed.clear();
        taken.forEach(taker);
        if (underWay
                || waiting.isEmpty()
                || host.nanoTime() - dueNanos < 0
                || !commits.groupNews().isCurrent()) {
            return;
        }
        List<Start> sent = List.copyOf(waiting);
        Map<TopicPartition, OffsetAndMetadata> offsets = new LinkedHashMap<>();
        sent.forEach(start -> offsets.put(start.id, new OffsetAndMetadata(start.offset)));
        underWay = true;
        consumer.commitAsync(offsets, (answered, failure) -> answered(sent, failure));
    }

    private void answered(List<Start> sent, @Nullable Exception failure) {
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
        switch (failure) {
            case RetriableException _,
                    CommitFailedException _,
                    RebalanceInProgressException _,
                    StaleMemberEpochException _,
                    UnknownMemberIdException _ ->
                log.info("the starts of {} are committed again: {}", sent, failure.toString());
            default -> commits.failed(failure);
        }
        conditions.begin(
                SUBJECT,
                Health.Status.DEGRADED,
                "the starts of " + waiting.size() + " partitions, " + sent.getFirst()
                        + " first, could not be committed (" + failure + "), and none of their records is read before;"
                        + " check the brokers");
    }
}
