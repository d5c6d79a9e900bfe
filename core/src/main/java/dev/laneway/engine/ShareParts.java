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
record ShareParts(
        Host host,
        Options options,
        Subscription.Topics subscription,
        Supplier<? extends ShareConsumer<byte[], byte[]>> clients,
        AtomicReference<@Nullable ShareConsumer<byte[], byte[]>> polled,
        Assignment assignment,
        Wake wake,
        Inbox inbox,
        Lifecycle lifecycle,
        Conditions conditions,
        Counts counts,
        Timers timers,
        Scheduler scheduler,
        Patience patience,
        Calls calls,
        StallDetector overseer,
        Outbox outbox,
        DeliveryLimit deliveryLimit,
        Reporter reporter,
        AtomicLong epochs,
        int batchSize,
        long intervalNanos,
        Duration brokerLimit,
        Duration maxPollInterval) {

    /** What Kafka's configuration says, and what differs between members. Immutable. */
    record Plan(
            String member,
            int concurrency,
            Subscription.Topics subscription,
            String group,
            int maxPollRecords,
            Duration maxPollInterval,
            Duration metadataAge,
            DeliveryLimit deliveryLimit) {}

    static ShareParts of(
            Host host,
            Options options,
            Plan plan,
            HandlerSpec handling,
            Supplier<? extends ShareConsumer<byte[], byte[]>> clients,
            Supplier<? extends Producer<byte[], byte[]>> producers) {
        AtomicReference<@Nullable ShareConsumer<byte[], byte[]>> polled = new AtomicReference<>();
        Assignment assignment = new Assignment();
        Wake wake = new Wake(host, () -> {
            ShareConsumer<byte[], byte[]> waiting = polled.get();
            if (waiting != null) {
                waiting.wakeup();
            }
        });
        Inbox inbox = new Inbox(wake);
        Lifecycle lifecycle = new Lifecycle();
        Conditions conditions = new Conditions(host, options.healthLimit());
        Counts counts = new Counts();
        Meter meter = new Meter(host, plan.concurrency());
        UnreadableRecords unreadable = new UnreadableRecords(conditions);
        Attempt attempt = new Attempt(host, options, plan.member(), handling, unreadable);
        BatchAttempt<?, ?> batches =
                handling instanceof HandlerSpec.Batch<?, ?> batch ? new BatchAttempt<>(batch, unreadable) : null;
        Outbox outbox = new Outbox(producers, plan.group());
        Scheduler scheduler = new Scheduler(host, options.ordering(), plan.concurrency(), wake, counts, meter, self -> {
            AttemptSettlement settlement =
                    new AttemptSettlement(host, options, attempt, unreadable, outbox, inbox, self, counts, meter);
            return () -> new Worker(self, attempt, batches, settlement, meter, inbox);
        });
        StallDetector overseer =
                new StallDetector(assignment, meter, options, options.stallLimit(), counts, conditions);
        return new ShareParts(
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
                new Patience("a poll", options.retryAuthorization(), plan.subscription(), plan.metadataAge(), host),
                new Calls(host, options.brokerLimit(), options.retryAuthorization(), inbox::orClose),
                overseer,
                outbox,
                plan.deliveryLimit(),
                new Reporter(
                        id -> OptionalLong.empty(),
                        assignment,
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
    Handful handful(TopicPartition id, List<ConsumerRecord<byte[], byte[]>> records, boolean last) {
        long start = records.getFirst().offset();
        Track track = new Track(id, epochs.incrementAndGet(), start, null, options, batchSize, scheduler, counts);
        track.ledger.keepRejected();
        Partition partition = new Partition(id, track, new TrackDiagnostics(track, host), start);
        partition.append(new Chunk(records), records.getLast().offset() + 1);
        track.ripen(Long.MAX_VALUE); // No more will come to fill a batch.
        track.signalBelow(0);
        return new Handful(partition, track, records, last);
    }
}
