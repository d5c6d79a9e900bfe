package dev.laneway.engine.commit;

import dev.laneway.BrokerException;
import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.runtime.EventCounts;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.runtime.ReadableDuration;
import dev.laneway.engine.track.Assignment;
import dev.laneway.engine.track.Partition;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidCommitOffsetSizeException;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.StaleMemberEpochException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What every committer needs: which progress is new, how it is sent, and what an answer means. The owner only. */
public final class CommitSender {
    private static final Logger log = LoggerFactory.getLogger(CommitSender.class);
    private final Host host;
    private final org.apache.kafka.clients.consumer.Consumer<byte[], byte[]> consumer;
    private final Assignment assignment;
    private final BlockingCalls calls;
    private final EventCounts counts;
    private final BrokerRetries retries;
    private final Duration limit;
    private final CommitRefresh refresh;
    private final CommitSplitter requests;
    private Duration lastLimit;
    private final MembershipFreshness membership;
    private final Consumer<Throwable> fail;
    private boolean again;
    private int metadataLimit;
    private final CommitTrouble trouble;
    /** Whether a commit that is waited for is sent once, see {@link SingleAttemptCommit}. */
    private final boolean once;

    public CommitSender(
            Host host,
            org.apache.kafka.clients.consumer.Consumer<byte[], byte[]> consumer,
            Assignment assignment,
            BlockingCalls calls,
            EventCounts counts,
            Duration limit,
            Duration refresh,
            boolean once,
            int metadataLimit,
            BrokerRetries retries,
            Consumer<Throwable> fail) {
        this.host = host;
        this.trouble = new CommitTrouble(host);
        this.consumer = consumer;
        this.assignment = assignment;
        this.calls = calls;
        this.counts = counts;
        this.limit = limit;
        this.lastLimit = limit;
        this.refresh = new CommitRefresh(host, assignment, refresh);
        this.requests = new CommitSplitter(host, assignment);
        this.once = once;
        this.metadataLimit = metadataLimit;
        this.membership = new MembershipFreshness(once);
        this.retries = retries;
        this.fail = fail;
    }

    Assignment assignment() {
        return assignment;
    }

    public MembershipFreshness membership() {
        return membership;
    }

    /** How long a last commit may take. */
    Duration lastLimit() {
        return lastLimit;
    }

    /** Stops the consumer. */
    void stop(Throwable cause) {
        fail.accept(cause);
    }

    /** The progress that the broker has not confirmed, or not for long. */
    Map<Partition, Progress> news(Collection<Partition> partitions) {
        Map<Partition, Progress> news = new LinkedHashMap<>(); // Ordered, so that a seed replays.
        for (Partition partition : partitions) {
            Progress progress = partition.held.progress(metadataLimit);
            boolean due = !progress.equals(partition.committed) || refresh.isDue(partition);
            if (due && !partition.isOfDeletedTopic && !requests.isPaused(partition)) {
                news.put(partition, progress);
            }
        }
        if (news.isEmpty() && partitions.size() == assignment.all().size()) {
            trouble.ends(); // A failed commit may be answered when its partitions have gone.
        }
        return news;
    }

    /**
     * Sends progress in as many requests as it takes. What is stored is confirmed.
     *
     * @param counts whether answers count still
     * @param answered called when all of it is answered, with a failure if there was any
     */
    void sendAsync(Map<Partition, Progress> news, BooleanSupplier counts, Consumer<@Nullable Exception> answered) {
        List<Map<Partition, Progress>> all = requests.of(news);
        CommitOutcome round = new CommitOutcome(all.size(), failure -> {
            if (failure == null) {
                trouble.ends(); // What is not stored now is not due now.
            }
            answered.accept(failure);
        });
        for (Map<Partition, Progress> request : all) {
            Map<TopicPartition, OffsetAndMetadata> offsets = CommitSplitter.offsets(request);
            CommitCall.send(consumer, offsets, this.counts.telling(offsets, (_, failure) -> {
                if (counts.getAsBoolean()) {
                    round.answered(failure == null ? null : learn(request, failure));
                    if (failure == null) {
                        confirmed(request);
                    }
                    round.endIfOver();
                }
            }));
        }
    }

    /** Learns from a request's failure; null where nothing is to be made again before its time. */
    private @Nullable Exception learn(Map<Partition, Progress> request, Exception failure) {
        if (CommitSplitter.isUnknown(failure)) {
            return requests.unknown(request) ? null : failure;
        }
        if (CommitSplitter.isTooLarge(failure, request)) {
            boolean less = requests.split(request) || shrink(CommitSplitter.SETTING, failure);
            return less ? new RetriableCommitFailedException(failure) : failure;
        }
        return failure;
    }

    /**
     * Commits the progress of these partitions and waits. False when the group has moved on: the partitions are another
     * member's, who will repeat what is not committed. False, too, and nothing is sent, where a poll has to tell first
     * whether this is a member still, see {@link MembershipFreshness}.
     *
     * @param last whether they are being given up: then silence is not a failure, the next owner repeats more
     */
    boolean sendSync(Collection<Partition> partitions, boolean last) {
        again = false;
        while (true) {
            Map<Partition, Progress> news = news(partitions);
            if (news.isEmpty()) {
                return true;
            }
            List<Map<Partition, Progress>> all = requests.of(news);
            try {
                if (!commitSync(
                        oneByOne(all), CommitSplitter.names(all), last, (at, failure) -> judge(all.get(at), failure))) {
                    return false;
                }
            } catch (OffsetMetadataTooLarge tooLarge) {
                if (!shrink("offset.metadata.max.bytes", tooLarge)) {
                    return false;
                }
            } catch (InvalidCommitOffsetSizeException stillTooLarge) {
                return false; // The consumer stops.
            }
        }
    }

    /** Whether the request is dealt with: it is stored, or sent again in another form, or not for now. */
    private boolean judge(Map<Partition, Progress> request, @Nullable Exception failure) {
        if (failure == null) {
            confirmed(request);
            return true;
        }
        if (!CommitSplitter.isOwn(failure, request)) {
            return false;
        }
        if (CommitSplitter.isUnknown(failure)) {
            var _ = requests.unknown(request);
        } else if (!requests.split(request) && !shrink(CommitSplitter.SETTING, failure)) {
            throw new InvalidCommitOffsetSizeException("the metadata is too long", failure);
        }
        return true;
    }

    /** What was committed long ago, see {@link CommitRefresh#due}. */
    Map<Partition, Progress> due() {
        Map<Partition, Progress> due = refresh.due(assignment.all());
        if (!due.isEmpty()) {
            due.keySet().removeIf(partition -> partition.isOfDeletedTopic || requests.isPaused(partition));
        }
        return due;
    }

    /** Commits what was committed before once more, and waits. It may fail: there is time for another attempt. */
    void refresh(Map<Partition, Progress> due) {
        List<Map<Partition, Progress>> all = requests.of(due);
        var _ = commitSync(
                oneByOne(all), CommitSplitter.names(all), true, (at, failure) -> judge(all.get(at), failure));
    }

    private List<SingleAttemptCommit> oneByOne(List<Map<Partition, Progress>> all) {
        return all.stream()
                .map(request -> new SingleAttemptCommit(consumer, CommitSplitter.offsets(request), counts))
                .toList();
    }

    /** Commits these offsets and waits; see {@link #sendSync}. */
    boolean commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, boolean last) {
        again = false;
        return commitSync(
                List.of(new SingleAttemptCommit(consumer, offsets, counts)),
                HealthConditions.few(offsets.keySet()),
                last,
                (at, failure) -> failure == null);
    }

    /** What is done with the answer to one of several requests; whether it is dealt with. */
    private interface Judge {
        boolean isSettled(int request, @Nullable Exception failure);
    }

    private boolean commitSync(List<SingleAttemptCommit> commits, String names, boolean last, Judge judge) {
        again = last ? membership.isInVain() : !membership.isCurrent();
        if (again) {
            log.info("{} are not committed before a poll has told whose they are", names);
            return false;
        }
        boolean answered = false;
        try {
            RuntimeException unsettled = null;
            try {
                within(last, left -> {
                    if (last
                            && commits.stream().noneMatch(SingleAttemptCommit::isSent)
                            && membership.isOld(host.nanoTime())) {
                        OvertakenCheck.check(consumer, assignment, commits, left);
                    }
                    return once
                            ? SingleAttemptCommit.await(consumer, commits, left)
                            : SingleAttemptCommit.awaitStored(consumer, commits, left);
                });
            } finally {
                for (int i = 0; i < commits.size(); i++) {
                    Exception failure = commits.get(i).failure();
                    if (!judge.isSettled(i, failure)) {
                        unsettled = failure instanceof RuntimeException refused
                                ? refused
                                : new IllegalStateException(failure);
                    }
                }
            }
            if (unsettled != null) {
                throw unsettled;
            }
            answered = true;
            trouble.ends();
            retries.answered();
        } catch (RetriableCommitFailedException unknown) {
            again = true;
            if (last) {
                counts.failedCommits.increment();
            } else {
                failing(unknown);
            }
            if (!last && trouble.lasts(limit)) {
                throw new BrokerException(
                        "no commit was stored within brokerLimit " + ReadableDuration.of(limit)
                                + ": check the brokers, or raise brokerLimit",
                        unknown);
            }
            log.info("{} may not be committed: {}", names, unknown.toString());
        } catch (BrokerException silence) {
            if (!last) {
                throw silence;
            }
            counts.failedCommits.increment();
            log.warn(
                    "{} could not be committed in time; their next owner repeats what is not: {}",
                    names,
                    silence.getMessage());
        } catch (RebalanceInProgressException refused) {
            again = true;
            counts.failedCommits.increment();
            log.info("{} cannot be committed while the group rebalances", names);
        } catch (CommitFailedException | StaleMemberEpochException | UnknownMemberIdException moved) {
            counts.failedCommits.increment();
            log.warn(
                    "{} could not be committed since the group has moved on; their next owner repeats what is not: {}",
                    names,
                    moved.toString());
        } catch (OffsetMetadataTooLarge | InvalidCommitOffsetSizeException tooLarge) {
            answered = true; // Who is told that is a member.
            throw tooLarge;
        } catch (AuthenticationException | AuthorizationException refused) {
            failed(refused);
        } finally {
            if (!answered) {
                membership.waitedInVain();
            }
        }
        return answered;
    }

    private void within(boolean last, Function<Duration, Boolean> call) {
        var _ = last
                ? calls.orClosed("the last commit of a revoked partition", lastLimit, call)
                : calls.within("the commit", call);
    }

    /**
     * Whether the latest commit that was waited for may be made again, once polls have brought a rebalance to its end
     * or told whose the partitions are: they may still be this member's.
     */
    public boolean isToBeMadeAgain() {
        return again;
    }

    /** The same, of transactions: whether those that were waited for last have left something unwritten. */
    void makeAgain(boolean unwritten) {
        again = unwritten;
    }

    /** The time that the last commits may take from now on. */
    public void limitLast(Duration limit) {
        lastLimit = limit;
    }

    /** Since when no commit was confirmed although one was due, in words; empty when all is well. Any thread. */
    public Optional<String> trouble() {
        return trouble.words();
    }

    void confirmed(Map<Partition, Progress> news) {
        counts.commits.increment();
        trouble.ends();
        retries.answered();
        news.forEach(this::confirmed);
        requests.stored(news);
    }

    /** The same of one partition. */
    void confirmed(Partition partition, Progress progress) {
        partition.confirmed(progress);
        refresh.confirmed(partition);
    }

    /** Whether the partition's progress is committed though it is not new, see {@link CommitRefresh}. */
    boolean isDue(Partition partition) {
        return refresh.isDue(partition);
    }

    /** In which requests progress is written. */
    List<Map<TopicPartition, OffsetAndMetadata>> requests(Map<Partition, Progress> progress) {
        return requests.of(progress).stream().map(CommitSplitter::offsets).toList();
    }

    /** A transaction was aborted. Nothing of it was written, so it is written again but for what says never. */
    void aborted(Transaction transaction, Exception cause) {
        if (cause instanceof InvalidCommitOffsetSizeException) {
            failing(cause);
            var _ = requests.split(transaction.progress()) || shrink(CommitSplitter.SETTING, cause);
            return;
        }
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
        failing(cause);
        log.warn("a transaction was aborted and is written again: {}", cause.toString());
    }

    private void failing(Exception latest) {
        trouble.begins(retries.because(latest));
        counts.failedCommits.increment();
    }

    /** What a failed commit means; it is made again by whoever sent it. */
    public void failed(Exception failure) {
        failing(failure);
        switch (failure) {
            case OffsetMetadataTooLarge tooLarge -> {
                var _ = shrink("offset.metadata.max.bytes", tooLarge);
            }
            case RetriableException retriable -> log.info("a commit failed and is made again: {}", failure.toString());
            case CommitFailedException _, RebalanceInProgressException _, StaleMemberEpochException _ ->
                log.info("a commit came too late for its generation: {}", failure.toString());
            case RuntimeException refused -> retries.failed(refused).ifPresent(fail);
            default -> fail.accept(new BrokerException("the commit was refused: mend the cause and restart", failure));
        }
    }

    /** The most characters of metadata that the brokers are known to take. */
    public int metadataLimit() {
        return metadataLimit;
    }

    /**
     * The broker refused that much metadata, by this setting: less from now on, down to none. False, and the consumer
     * stops, where there is no map that could be shorter: then it is a stream's own, or even the offset is too much.
     */
    boolean shrink(String setting, Exception failure) {
        if (metadataLimit == 0) {
            stop(new BrokerException(
                    "the metadata that the stream commits is longer than " + setting + " of the brokers allows:"
                            + " shorten it, or raise that",
                    failure));
            return false;
        }
        metadataLimit /= 2;
        log.error(
                "the broker refused a commit's metadata: {} is too low for {} characters. What Laneway writes there,"
                        + " the map of what is done, has at most {} from now on, so a restart may repeat more records:"
                        + " raise it on the brokers",
                setting,
                metadataLimit * 2,
                metadataLimit,
                failure);
        return true;
    }
}
