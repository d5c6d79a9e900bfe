package dev.laneway.engine;

import dev.laneway.BrokerException;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.StaleMemberEpochException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What every committer needs: which progress is new, how it is sent, and what an answer means. The owner only. */
final class Commits {
    private static final Logger log = LoggerFactory.getLogger(Commits.class);

    private static final long NOT_FAILING = Long.MIN_VALUE;

    private final Host host;
    private final org.apache.kafka.clients.consumer.Consumer<byte[], byte[]> consumer;
    private final Assignment assignment;
    private final Calls calls;
    private final Counts counts;
    private final Patience patience;
    private Duration lastLimit;
    private final Consumer<Throwable> fail;
    private boolean rebalancing;
    private int metadataLimit = OffsetMap.DEFAULT_LIMIT;
    private volatile long failingSinceNanos = NOT_FAILING;

    Commits(
            Host host,
            org.apache.kafka.clients.consumer.Consumer<byte[], byte[]> consumer,
            Assignment assignment,
            Calls calls,
            Counts counts,
            Duration lastLimit,
            Patience patience,
            Consumer<Throwable> fail) {
        this.host = host;
        this.consumer = consumer;
        this.assignment = assignment;
        this.calls = calls;
        this.counts = counts;
        this.lastLimit = lastLimit;
        this.patience = patience;
        this.fail = fail;
    }

    Assignment assignment() {
        return assignment;
    }

    /** How long a last commit may take. */
    Duration lastLimit() {
        return lastLimit;
    }

    /** Stops the consumer. */
    void stop(Throwable cause) {
        fail.accept(cause);
    }

    /** The progress that the broker has not confirmed. */
    Map<Partition, Progress> news(Collection<Partition> partitions) {
        Map<Partition, Progress> news = new LinkedHashMap<>(); // Ordered, so that a seed replays.
        for (Partition partition : partitions) {
            Progress progress = partition.held.progress(metadataLimit);
            if (!progress.equals(partition.committed)) {
                news.put(partition, progress);
            }
        }
        return news;
    }

    void sendAsync(Map<Partition, Progress> news, OffsetCommitCallback callback) {
        consumer.commitAsync(offsets(news), callback);
    }

    /**
     * Commits the progress of these partitions and waits. False when the group has moved on: the partitions are another
     * member's, who will repeat what is not committed.
     *
     * @param last whether they are being given up: then silence is not a failure, the next owner repeats more
     */
    boolean sendSync(Collection<Partition> partitions, boolean last) {
        rebalancing = false;
        while (true) {
            Map<Partition, Progress> news = news(partitions);
            try {
                boolean confirmed = news.isEmpty() || commitSync(offsets(news), last);
                if (confirmed && !news.isEmpty()) {
                    confirmed(news);
                }
                return confirmed;
            } catch (OffsetMetadataTooLarge tooLarge) {
                shrink(tooLarge); // Again, with less. No metadata at all is never too large.
            }
        }
    }

    /** Commits these offsets and waits; see {@link #sendSync}. */
    boolean commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, boolean last) {
        rebalancing = false;
        try {
            if (last) {
                calls.within("the last commit of a revoked partition", lastLimit, left -> commit(offsets, left));
            } else {
                calls.within("the commit", left -> commit(offsets, left));
            }
            patience.answered();
            return true;
        } catch (BrokerException silence) {
            if (!last) {
                throw silence;
            }
            counts.failedCommits.increment();
            log.warn(
                    "{} could not be committed in time; their next owner repeats what is not",
                    offsets.keySet(),
                    silence);
        } catch (RebalanceInProgressException refused) {
            rebalancing = true;
            counts.failedCommits.increment();
            log.info("{} cannot be committed while the group rebalances", offsets.keySet());
        } catch (CommitFailedException moved) {
            counts.failedCommits.increment();
            log.warn(
                    "{} could not be committed since the group has moved on; their next owner repeats what is not",
                    offsets.keySet(),
                    moved);
        } catch (OffsetMetadataTooLarge tooLarge) {
            throw tooLarge;
        } catch (AuthenticationException | AuthorizationException refused) {
            failed(refused);
        }
        return false;
    }

    /**
     * Whether the latest commit that was waited for was refused since the group rebalances. The partitions may still be
     * this member's: after polls that have brought the rebalance to its end the commit may be made.
     */
    boolean isRebalancing() {
        return rebalancing;
    }

    /** The time that the last commits may take from now on. */
    void limitLast(Duration limit) {
        lastLimit = limit;
    }

    private Boolean commit(Map<TopicPartition, OffsetAndMetadata> offsets, Duration left) {
        consumer.commitSync(offsets, left);
        return true;
    }

    /** Since when no commit was confirmed although one was due, in words; empty when all is well. Any thread. */
    Optional<String> trouble() {
        long since = failingSinceNanos;
        return since == NOT_FAILING
                ? Optional.empty()
                : Optional.of("no commit was confirmed for "
                        + Duration.ofNanos(host.nanoTime() - since).toSeconds()
                        + " s: check the brokers; a crash now would repeat that much");
    }

    void confirmed(Map<Partition, Progress> news) {
        counts.commits.increment();
        failingSinceNanos = NOT_FAILING;
        patience.answered();
        news.forEach((partition, progress) -> partition.committed = progress);
    }

    /** A transaction was aborted. Nothing of it was written, so it is written again but for what says never. */
    void aborted(Exception cause) {
        if (cause instanceof OffsetMetadataTooLarge tooLarge) {
            failed(tooLarge);
            return;
        }
        for (Throwable at = cause; at != null; at = at.getCause()) {
            if (at instanceof AuthorizationException || at instanceof AuthenticationException) {
                failed((ApiException) at);
                return;
            }
        }
        failing();
        log.warn("a transaction was aborted and is written again: {}", cause.toString());
    }

    private void failing() {
        counts.failedCommits.increment();
        if (failingSinceNanos == NOT_FAILING) {
            failingSinceNanos = host.nanoTime();
        }
    }

    /** What a failed commit means; it is made again by whoever sent it. */
    void failed(Exception failure) {
        failing();
        switch (failure) {
            case OffsetMetadataTooLarge tooLarge -> shrink(tooLarge);
            case RetriableException retriable -> log.info("a commit failed and is made again: {}", failure.toString());
            case CommitFailedException _, RebalanceInProgressException _, StaleMemberEpochException _ ->
                log.info("a commit came too late for its generation: {}", failure.toString());
            case RuntimeException refused -> patience.failed(refused).ifPresent(fail);
            default -> fail.accept(new BrokerException("the commit was refused: mend the cause and restart", failure));
        }
    }

    /** The most characters of metadata that the brokers are known to take. */
    int metadataLimit() {
        return metadataLimit;
    }

    private void shrink(OffsetMetadataTooLarge failure) {
        metadataLimit /= 2;
        log.error(
                "the broker refused a commit's metadata: offset.metadata.max.bytes is lower than {}. Laneway now"
                        + " writes at most {} characters, so a restart may repeat more records; raise"
                        + " offset.metadata.max.bytes on the brokers",
                metadataLimit * 2,
                metadataLimit,
                failure);
    }

    static Map<TopicPartition, OffsetAndMetadata> offsets(Map<Partition, Progress> news) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new LinkedHashMap<>();
        news.forEach((partition, progress) -> offsets.put(partition.id, partition.offset(progress)));
        return offsets;
    }
}
