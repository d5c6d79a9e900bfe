package dev.laneway.engine;

import dev.laneway.CommitMode;
import dev.laneway.Options;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** The parts of one member of a share group, wired once, here. Immutable. */
record ShareWiring(
        Host host,
        Options options,
        TopicSelection.Topics subscription,
        Supplier<? extends ShareConsumer<byte[], byte[]>> clients,
        AtomicReference<@Nullable ShareConsumer<byte[], byte[]>> polled,
        Assignment assignment,
        WakeSignal wake,
        Inbox inbox,
        MemberLifecycle lifecycle,
        HealthConditions conditions,
        EventCounts counts,
        Timers timers,
        Scheduler scheduler,
        BrokerRetries patience,
        BlockingCalls calls,
        StallDetector overseer,
        Outbox outbox,
        DeliveryLimit deliveryLimit,
        SnapshotReporter reporter,
        AtomicLong epochs,
        int batchSize,
        long intervalNanos,
        Duration brokerLimit,
        Duration maxPollInterval) {

    /** What Kafka's configuration says, and what differs between members. Immutable. */
    record Plan(
            String member,
            int concurrency,
            TopicSelection.Topics subscription,
            String group,
            int maxPollRecords,
            Duration maxPollInterval,
            Duration metadataAge,
            DeliveryLimit deliveryLimit) {}

    static ShareWiring of(
            Host host,
            Options options,
            Plan plan,
            HandlerSpec handling,
            Supplier<? extends ShareConsumer<byte[], byte[]>> clients,
            Supplier<? extends Producer<byte[], byte[]>> producers) {
        AtomicReference<@Nullable ShareConsumer<byte[], byte[]>> polled = new AtomicReference<>();
        Assignment assignment = new Assignment();
        WakeSignal wake = new WakeSignal(host, () -> {
            ShareConsumer<byte[], byte[]> waiting = polled.get();
            if (waiting != null) {
                waiting.wakeup();
            }
        });
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
        Scheduler scheduler = new Scheduler(host, options.ordering(), plan.concurrency(), counts, meter, self -> {
            AttemptSettlement settlement =
                    new AttemptSettlement(host, options, attempt, unreadable, outbox, inbox, self, counts, meter);
            return search -> new Worker(self, search, attempt, batches, settlement, meter, inbox);
        });
        StallDetector overseer =
                new StallDetector(assignment, meter, options, options.stallLimit(), counts, conditions);
        return new ShareWiring(
                host,
                options,
                plan.subscription(),
                clients,
                polled,
                assignment,
                wake,
                inbox,
                lifecycle,
                conditions,
                counts,
                new Timers(),
                scheduler,
                new BrokerRetries(
                        "a poll", options.retryAuthorization(), plan.subscription(), plan.metadataAge(), host),
                new BlockingCalls(host, options.brokerLimit(), options.retryAuthorization(), inbox::orClose),
                overseer,
                outbox,
                plan.deliveryLimit(),
                new SnapshotReporter(
                        id -> OptionalLong.empty(),
                        assignment,
                        overseer,
                        scheduler,
                        counts,
                        meter,
                        lifecycle,
                        RecordReserve.fixed(plan.maxPollRecords()),
                        options.bufferBytes()),
                new AtomicLong(),
                handling instanceof HandlerSpec.Batch<?, ?> batch ? batch.size() : 0,
                interval(options.commit()),
                options.brokerLimit(),
                plan.maxPollInterval());
    }

    private static long interval(CommitMode commit) {
        return switch (commit) {
            case CommitMode.Async(Duration interval) -> interval.toNanos();
            case CommitMode.Sync(Duration interval) -> interval.toNanos();
            case CommitMode.Ahead ahead -> throw new IllegalStateException(ahead + " is refused at start");
            case CommitMode.ExactlyOnce exactlyOnce ->
                throw new IllegalStateException(exactlyOnce + " is refused at start");
        };
    }

    List<String> topics() {
        return subscription.topics();
    }

    /**
     * The track of what one poll has returned of a partition.
     *
     * @param last whether the broker delivers none of these records again
     */
    AcquiredRecords handful(TopicPartition id, List<ConsumerRecord<byte[], byte[]>> records, boolean last) {
        long start = records.getFirst().offset();
        Track track = new Track(id, epochs.incrementAndGet(), start, null, options, batchSize, scheduler, wake, counts);
        track.ledger.keepRejected();
        Partition partition = new Partition(id, track, new TrackDiagnostics(track, host), start);
        partition.append(new Chunk(records), records.getLast().offset() + 1);
        track.ripen(Long.MAX_VALUE); // No more will come to fill a batch.
        track.signalBelow(0);
        return new AcquiredRecords(partition, track, records, last);
    }
}
