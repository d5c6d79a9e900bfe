package dev.laneway.engine;

import dev.laneway.CommitMode;
import dev.laneway.Options;
import dev.laneway.RebalanceListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.jspecify.annotations.Nullable;

/** The parts of one member, wired once, here. Immutable. */
record MemberWiring(
        Host host,
        Options options,
        TopicSelection subscription,
        RebalanceListener listener,
        Consumer<byte[], byte[]> consumer,
        Assignment assignment,
        WakeSignal wake,
        Inbox inbox,
        MemberLifecycle lifecycle,
        HealthConditions conditions,
        BrokerContact contact,
        ListenerCall listenerCall,
        EventCounts counts,
        Scheduler scheduler,
        FlowControl flow,
        BlockingCalls calls,
        CommitSender commits,
        Committer committer,
        BrokerRetries patience,
        StartOffsets starts,
        @Nullable ExternalOffsets elsewhere,
        StallDetector overseer,
        Outbox outbox,
        StreamOutlet outlet,
        SnapshotReporter reporter,
        long drainLimitNanos,
        long lingerNanos) {

    /**
     * What differs between members, and what Kafka's configuration says. Immutable.
     *
     * @param reset {@code auto.offset.reset}; something else where the caller's clients are not described so far
     */
    record Plan(
            String member,
            int concurrency,
            TopicSelection subscription,
            @Nullable String group,
            int maxPollRecords,
            long maxPartitionFetchBytes,
            long fetchMaxBytes,
            Duration fetchMaxWait,
            Duration drainLimit,
            Duration maxPollInterval,
            Duration metadataAge,
            boolean consumerProtocol,
            String reset,
            RecordBudget records) {}

    /** Wires a member whose producers, transactional or not, all come from one place. */
    static MemberWiring of(
            Host host,
            Options options,
            Plan plan,
            HandlerSpec handling,
            RebalanceListener listener,
            Consumer<byte[], byte[]> consumer,
            Supplier<? extends Producer<byte[], byte[]>> producers) {
        return of(host, options, plan, handling, listener, consumer, producers, number -> producers.get());
    }

    /**
     * Wires a member.
     *
     * @param transactional makes the transactional producer of a number, from 0 on
     */
    static MemberWiring of(
            Host host,
            Options options,
            Plan plan,
            HandlerSpec handling,
            RebalanceListener listener,
            Consumer<byte[], byte[]> consumer,
            Supplier<? extends Producer<byte[], byte[]>> producers,
            IntFunction<? extends Producer<byte[], byte[]>> transactional) {
        Assignment assignment = new Assignment();
        WakeSignal wake = new WakeSignal(host, consumer::wakeup);
        Inbox inbox = new Inbox(wake);
        MemberLifecycle lifecycle = new MemberLifecycle();
        HealthConditions conditions = new HealthConditions(host, options.healthLimit());
        EventCounts counts = new EventCounts();
        UtilisationMeter meter = new UtilisationMeter(host, plan.concurrency());
        UnreadableRecords unreadable = new UnreadableRecords(conditions);
        Attempt attempt = new Attempt(host, options, plan.member(), handling, unreadable);
        BatchAttempt<?, ?> batches =
                handling instanceof HandlerSpec.Batch<?, ?> batch ? new BatchAttempt<>(batch, unreadable) : null;
        Outbox outbox = new Outbox(producers, plan.group());
        // The scheduler makes workers, and a worker's settlement gives work back to the scheduler.
        Scheduler scheduler = new Scheduler(host, options.ordering(), plan.concurrency(), counts, meter, self -> {
            AttemptSettlement settlement =
                    new AttemptSettlement(host, options, attempt, unreadable, outbox, inbox, self, counts, meter);
            return search -> new Worker(self, search, attempt, batches, settlement, meter, inbox);
        });
        Duration limit = min(options.brokerLimit(), plan.maxPollInterval().dividedBy(3));
        BlockingCalls calls = new BlockingCalls(host, limit, options.retryAuthorization(), inbox::orClose);
        CommitSender commits = new CommitSender(
                host,
                consumer,
                assignment,
                calls,
                counts,
                limit,
                options.commitRefresh(),
                plan.consumerProtocol(),
                handling.hasOwnMetadata() ? 0 : OffsetMap.DEFAULT_LIMIT,
                patience("a commit", host, options, plan),
                failure -> inbox.add(new Event.Failed(failure)));
        Committer committer = committer(
                handling,
                options.commit(),
                commits,
                wake,
                limit.toNanos(),
                mode -> new TransactionalCommitter(
                        host,
                        wake,
                        inbox,
                        consumer,
                        commits,
                        calls,
                        counts,
                        new UndeliverableOutputs(host, options.failurePolicy(), outbox, inbox, counts),
                        couriers(host, wake, outbox.outgoing(), mode.producers(), transactional),
                        mode.interval()));
        StartOffsets starts = new StartOffsets(
                host,
                consumer,
                assignment,
                options,
                conditions,
                commits,
                maker(host, options, handling, scheduler, wake, counts, conditions, committer),
                !(plan.subscription() instanceof TopicSelection.Partitions),
                plan.reset());
        ExternalOffsets elsewhere = null;
        if (handling instanceof HandlerSpec.Streaming streaming) {
            starts.serve(streaming.kind());
            if (streaming.offsetsOnAssign() != null) {
                elsewhere = new ExternalOffsets(streaming.offsetsOnAssign(), consumer, starts, inbox, conditions);
            }
        }
        StallDetector overseer = new StallDetector(
                assignment,
                meter,
                options,
                handling instanceof HandlerSpec.Streaming
                        ? min(options.stallLimit(), plan.maxPollInterval())
                        : options.stallLimit(),
                counts,
                conditions);
        // At-most-once takes one poll at a time: less than a poll as budget does that.
        RecordBudget records = options.commit() instanceof CommitMode.Ahead ? RecordBudget.fixed(1) : plan.records();
        RecordReserve reserve = new RecordReserve(records, scheduler::hasIdleWorkers);
        FlowControl flow = new FlowControl(
                host,
                consumer,
                assignment,
                reserve,
                options.bufferBytes(),
                plan.maxPollRecords(),
                plan.maxPartitionFetchBytes(),
                plan.fetchMaxBytes(),
                plan.fetchMaxWait().toNanos(),
                commits::metadataLimit,
                plan.consumerProtocol());
        return new MemberWiring(
                host,
                options,
                plan.subscription(),
                listener,
                consumer,
                assignment,
                wake,
                inbox,
                lifecycle,
                conditions,
                new BrokerContact(
                        host,
                        conditions,
                        consumer::metrics,
                        plan.fetchMaxWait().toNanos(),
                        !(plan.subscription() instanceof TopicSelection.Partitions)),
                new ListenerCall(),
                counts,
                scheduler,
                handling instanceof HandlerSpec.Streaming && records.most() > 1 ? flow.independent() : flow,
                calls,
                commits,
                committer,
                patience("a poll", host, options, plan),
                starts,
                elsewhere,
                overseer,
                outbox,
                handling instanceof HandlerSpec.Streaming streaming ? streaming.outlet() : NoOutlet.OUTLET,
                new SnapshotReporter(
                        consumer::currentLag,
                        assignment,
                        overseer,
                        scheduler,
                        counts,
                        meter,
                        lifecycle,
                        reserve,
                        options.bufferBytes()),
                plan.drainLimit().toNanos(),
                handling instanceof HandlerSpec.Batch<?, ?> batch
                        ? batch.linger().toNanos()
                        : -1);
    }

    private static Committer committer(
            HandlerSpec handling,
            CommitMode mode,
            CommitSender commits,
            WakeSignal wake,
            long timeoutNanos,
            Function<CommitMode.ExactlyOnce, Committer> transactional) {
        if (handling instanceof HandlerSpec.Streaming streaming) {
            return switch (streaming.kind()) {
                case PLAIN -> new NoCommitter();
                case AT_MOST_ONCE -> new AtMostOnceCommitter(commits);
                case COMMITTABLE, NOTED ->
                    new OnDemandCommitter(commits, wake, timeoutNanos, streaming.commitInterval());
                case TRANSACTIONAL -> Committer.of(mode, commits, timeoutNanos, transactional);
            };
        }
        return Committer.of(mode, commits, timeoutNanos, transactional);
    }

    private static PartitionStart.Maker maker(
            Host host,
            Options options,
            HandlerSpec handling,
            ReadyQueue queue,
            WakeSignal wake,
            EventCounts counts,
            HealthConditions conditions,
            Committer committer) {
        AtomicLong epochs = new AtomicLong();
        if (handling instanceof HandlerSpec.Streaming streaming) {
            return (id, start, done) -> {
                StreamFeed feed = new StreamFeed(
                        id, epochs.incrementAndGet(), start, done, streaming, wake, counts, conditions, committer::ask);
                return new Partition(id, feed, new FeedDiagnostics(feed), start);
            };
        }
        int batchSize = handling instanceof HandlerSpec.Batch<?, ?> batch ? batch.size() : 0;
        return (id, start, done) -> {
            Track track = new Track(id, epochs.incrementAndGet(), start, done, options, batchSize, queue, wake, counts);
            return new Partition(id, track, new TrackDiagnostics(track, host), start);
        };
    }

    private static List<TransactionWriter> couriers(
            Host host,
            WakeSignal wake,
            OutgoingTopics outgoing,
            int count,
            IntFunction<? extends Producer<byte[], byte[]>> producers) {
        return IntStream.range(0, count)
                .mapToObj(number -> new TransactionWriter(host, wake, outgoing, () -> producers.apply(number)))
                .toList();
    }

    private static BrokerRetries patience(String what, Host host, Options options, Plan plan) {
        return new BrokerRetries(what, options.retryAuthorization(), plan.subscription(), plan.metadataAge(), host);
    }

    private static Duration min(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }
}
