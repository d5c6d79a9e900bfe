package dev.laneway.engine;

import dev.laneway.CommitMode;
import dev.laneway.Options;
import dev.laneway.Ordering;
import dev.laneway.RebalanceListener;
import dev.laneway.engine.commit.AtMostOnceCommitter;
import dev.laneway.engine.commit.BlockingCalls;
import dev.laneway.engine.commit.BrokerRetries;
import dev.laneway.engine.commit.CommitSender;
import dev.laneway.engine.commit.Committer;
import dev.laneway.engine.commit.NoCommitter;
import dev.laneway.engine.commit.OnDemandCommitter;
import dev.laneway.engine.commit.TransactionWriter;
import dev.laneway.engine.commit.TransactionalCommitter;
import dev.laneway.engine.config.KafkaConfig;
import dev.laneway.engine.config.RecordBudget;
import dev.laneway.engine.config.TopicSelection;
import dev.laneway.engine.handle.FeedDiagnostics;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.engine.handle.NoOutlet;
import dev.laneway.engine.handle.OutgoingTopics;
import dev.laneway.engine.handle.StreamFeed;
import dev.laneway.engine.handle.StreamOutlet;
import dev.laneway.engine.handle.UndeliverableOutputs;
import dev.laneway.engine.offsets.OffsetMap;
import dev.laneway.engine.refill.LogRefill;
import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.runtime.ListenerCall;
import dev.laneway.engine.start.ExternalOffsets;
import dev.laneway.engine.start.PartitionStart;
import dev.laneway.engine.start.StartOffsets;
import dev.laneway.engine.track.Event;
import dev.laneway.engine.track.Partition;
import dev.laneway.engine.track.Track;
import dev.laneway.engine.track.TrackDiagnostics;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.jspecify.annotations.Nullable;

/** The parts of one member of a consumer group, wired once, here. Immutable. */
public record MemberWiring(
        MemberCore core,
        TopicSelection subscription,
        RebalanceListener listener,
        Consumer<byte[], byte[]> consumer,
        BrokerContact contact,
        ListenerCall listenerCall,
        FlowControl flow,
        BlockingCalls calls,
        CommitSender commits,
        Committer committer,
        StartOffsets starts,
        @Nullable ExternalOffsets elsewhere,
        StreamOutlet outlet,
        long drainLimitNanos,
        long lingerNanos) {

    /**
     * What differs between members, and what Kafka's configuration says. Immutable.
     *
     * @param kafka its {@code auto.offset.reset} is something else where the caller's clients are not described so far
     */
    public record Plan(MemberShare share, TopicSelection subscription, KafkaConfig kafka, Duration drainLimit) {

        /** Whether the group assigns partitions, rather than the user. */
        boolean isSubscribed() {
            return !(subscription instanceof TopicSelection.Partitions);
        }

        private MemberCore.Plan common(Options options, HandlerSpec handling) {
            return new MemberCore.Plan(
                    share,
                    subscription,
                    kafka,
                    handling instanceof HandlerSpec.Streaming
                            ? min(options.limits().stallLimit(), kafka.maxPollInterval())
                            : options.limits().stallLimit(),
                    // At-most-once takes one poll at a time: less than a poll as budget does that.
                    options.commit() instanceof CommitMode.Ahead ? RecordBudget.fixed(1) : kafka.records());
        }
    }

    /**
     * Wires a member.
     *
     * @param refills makes the clients that read spilled records again
     * @param transactional makes the transactional producer of a number, from 0 on
     */
    public static MemberWiring of(
            Host host,
            Options options,
            Plan plan,
            HandlerSpec handling,
            RebalanceListener listener,
            Consumer<byte[], byte[]> consumer,
            Supplier<? extends Consumer<byte[], byte[]>> refills,
            Supplier<? extends Producer<byte[], byte[]>> producers,
            IntFunction<? extends Producer<byte[], byte[]>> transactional) {
        MemberCore core = MemberCore.of(
                host,
                options,
                plan.common(options, handling),
                handling,
                consumer::wakeup,
                refills,
                producers,
                consumer::currentLag);
        Duration limit = min(
                options.limits().brokerLimit(), plan.kafka().maxPollInterval().dividedBy(3));
        BlockingCalls calls =
                new BlockingCalls(host, limit, options.limits().retryAuthorization(), core.inbox()::orClose);
        CommitSender commits = commits(core, plan, handling, consumer, calls, limit);
        Committer committer = committer(
                core,
                handling,
                commits,
                limit,
                mode -> exactlyOnce(core, consumer, commits, calls, mode, transactional));
        StartOffsets starts = starts(core, plan, handling, consumer, commits, committer);
        return new MemberWiring(
                core,
                plan.subscription(),
                listener,
                consumer,
                new BrokerContact(
                        host,
                        core.conditions(),
                        consumer::metrics,
                        plan.kafka().fetchMaxWait().toNanos(),
                        plan.isSubscribed()),
                new ListenerCall("the rebalance listener's"),
                flow(core, plan, handling, consumer, commits),
                calls,
                commits,
                committer,
                starts,
                elsewhere(core, handling, consumer, starts),
                handling instanceof HandlerSpec.Streaming streaming ? streaming.outlet() : NoOutlet.OUTLET,
                plan.drainLimit().toNanos(),
                handling instanceof HandlerSpec.Batch<?, ?> batch
                        ? batch.linger().toNanos()
                        : -1);
    }

    private static CommitSender commits(
            MemberCore core,
            Plan plan,
            HandlerSpec handling,
            Consumer<byte[], byte[]> consumer,
            BlockingCalls calls,
            Duration limit) {
        Options options = core.options();
        return new CommitSender(
                core.host(),
                consumer,
                core.assignment(),
                calls,
                core.counts(),
                limit,
                options.limits().commitRefresh(),
                plan.kafka().isConsumerProtocol(),
                handling.hasOwnMetadata() ? 0 : OffsetMap.DEFAULT_LIMIT,
                new BrokerRetries(
                        "a commit",
                        options.limits().retryAuthorization(),
                        plan.subscription(),
                        plan.kafka().metadataAge(),
                        core.host()),
                failure -> core.inbox().add(new Event.Failed(failure)));
    }

    private static StartOffsets starts(
            MemberCore core,
            Plan plan,
            HandlerSpec handling,
            Consumer<byte[], byte[]> consumer,
            CommitSender commits,
            Committer committer) {
        StartOffsets starts = new StartOffsets(
                core.host(),
                consumer,
                core.assignment(),
                core.options(),
                core.conditions(),
                commits,
                maker(core, handling, committer),
                plan.isSubscribed(),
                core.refill() != null && core.options().ordering() == Ordering.KEY,
                plan.kafka().reset());
        if (handling instanceof HandlerSpec.Streaming streaming) {
            starts.serve(streaming.kind());
        }
        return starts;
    }

    private static FlowControl flow(
            MemberCore core, Plan plan, HandlerSpec handling, Consumer<byte[], byte[]> consumer, CommitSender commits) {
        FlowControl flow = new FlowControl(
                core.host(),
                consumer,
                core.assignment(),
                core.reserve(),
                core.options().bufferBytes(),
                plan.kafka().maxPollRecords(),
                plan.kafka().maxPartitionFetchBytes(),
                plan.kafka().fetchMaxBytes(),
                plan.kafka().fetchMaxWait().toNanos(),
                new MapRoom(
                        commits::metadataLimit,
                        plan.kafka().maxPollRecords(),
                        core.options().whenMapIsFull(),
                        !(handling instanceof HandlerSpec.Streaming)
                                && core.options().commit().repeatsAfterCrash(),
                        core.conditions()),
                plan.kafka().isConsumerProtocol());
        LogRefill refill = core.refill();
        if (refill != null) {
            return flow.refilling(refill.room(), core.conditions());
        }
        return handling instanceof HandlerSpec.Streaming && core.reserve().most() > 1 ? flow.independent() : flow;
    }

    private static @Nullable ExternalOffsets elsewhere(
            MemberCore core, HandlerSpec handling, Consumer<byte[], byte[]> consumer, StartOffsets starts) {
        return handling instanceof HandlerSpec.Streaming streaming && streaming.offsetsOnAssign() != null
                ? new ExternalOffsets(streaming.offsetsOnAssign(), consumer, starts, core.inbox(), core.conditions())
                : null;
    }

    private static Committer committer(
            MemberCore core,
            HandlerSpec handling,
            CommitSender commits,
            Duration timeout,
            Function<CommitMode.ExactlyOnce, Committer> transactional) {
        CommitMode mode = core.options().commit();
        if (handling instanceof HandlerSpec.Streaming streaming) {
            return switch (streaming.kind()) {
                case PLAIN -> new NoCommitter();
                case AT_MOST_ONCE -> new AtMostOnceCommitter(commits);
                case COMMITTABLE, NOTED ->
                    new OnDemandCommitter(commits, core.wake(), timeout.toNanos(), streaming.commitInterval());
                case TRANSACTIONAL -> Committer.of(mode, commits, timeout.toNanos(), transactional);
            };
        }
        return Committer.of(mode, commits, timeout.toNanos(), transactional);
    }

    private static TransactionalCommitter exactlyOnce(
            MemberCore core,
            Consumer<byte[], byte[]> consumer,
            CommitSender commits,
            BlockingCalls calls,
            CommitMode.ExactlyOnce mode,
            IntFunction<? extends Producer<byte[], byte[]>> producers) {
        OutgoingTopics outgoing = core.outbox().outgoing();
        return new TransactionalCommitter(
                core.host(),
                core.wake(),
                core.inbox(),
                consumer,
                commits,
                calls,
                core.counts(),
                new UndeliverableOutputs(
                        core.host(), core.options().failurePolicy(), core.outbox(), core.inbox(), core.counts()),
                IntStream.range(0, mode.producers())
                        .mapToObj(number -> new TransactionWriter(
                                core.host(), core.wake(), outgoing, () -> producers.apply(number)))
                        .toList(),
                mode.interval());
    }

    private static PartitionStart.Maker maker(MemberCore core, HandlerSpec handling, Committer committer) {
        if (handling instanceof HandlerSpec.Streaming streaming) {
            return (id, start, done) -> {
                StreamFeed feed = new StreamFeed(
                        id,
                        core.nextEpoch(),
                        start,
                        done,
                        streaming,
                        core.wake(),
                        core.counts(),
                        core.conditions(),
                        committer::ask);
                return new Partition(id, feed, new FeedDiagnostics(feed), start);
            };
        }
        return (id, start, done) -> {
            Track track = core.track(id, start, done);
            return new Partition(id, track, new TrackDiagnostics(track, core.host()), start);
        };
    }

    private static Duration min(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }
}
