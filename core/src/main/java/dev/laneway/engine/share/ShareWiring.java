package dev.laneway.engine.share;

import dev.laneway.CommitMode;
import dev.laneway.Options;
import dev.laneway.engine.MemberCore;
import dev.laneway.engine.MemberShare;
import dev.laneway.engine.commit.BlockingCalls;
import dev.laneway.engine.config.DeliveryLimit;
import dev.laneway.engine.config.RecordBudget;
import dev.laneway.engine.config.ShareConfig;
import dev.laneway.engine.config.TopicSelection;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.track.Chunk;
import dev.laneway.engine.track.Partition;
import dev.laneway.engine.track.Track;
import dev.laneway.engine.track.TrackDiagnostics;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;

/**
 * The parts of one member of a share group, wired once, here. Immutable.
 *
 * @param intervalNanos how often what is done is acknowledged
 */
public record ShareWiring(
        MemberCore core,
        TopicSelection.Topics subscription,
        ShareConsumer<byte[], byte[]> client,
        BlockingCalls calls,
        DeliveryLimit deliveryLimit,
        long intervalNanos,
        Duration maxPollInterval) {

    /** What Kafka's configuration says, and what differs between members. Immutable. */
    public record Plan(
            MemberShare share, TopicSelection.Topics subscription, ShareConfig config, DeliveryLimit deliveryLimit) {}

    public static ShareWiring of(
            Host host,
            Options options,
            Plan plan,
            HandlerSpec handling,
            ShareConsumer<byte[], byte[]> client,
            Supplier<? extends Producer<byte[], byte[]>> producers) {
        MemberCore core = MemberCore.of(
                host,
                options,
                new MemberCore.Plan(
                        plan.share(),
                        plan.subscription(),
                        plan.config().kafka(),
                        options.limits().stallLimit(),
                        RecordBudget.fixed(plan.config().maxPollRecords())),
                handling,
                client::wakeup,
                null,
                producers,
                id -> OptionalLong.empty());
        return new ShareWiring(
                core,
                plan.subscription(),
                client,
                new BlockingCalls(
                        host,
                        options.limits().brokerLimit(),
                        options.limits().retryAuthorization(),
                        core.inbox()::orClose),
                plan.deliveryLimit(),
                interval(options.commit()),
                plan.config().maxPollInterval());
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
        Track track = core.track(id, start, null);
        track.ledger.keepRejected();
        Partition partition = new Partition(id, track, new TrackDiagnostics(track, core.host()), start);
        partition.append(new Chunk(records), Partition.behind(records.getLast()));
        track.ripen(Long.MAX_VALUE); // No more will come to fill a batch.
        track.signalBelow(0);
        return new AcquiredRecords(partition, track, records, last);
    }
}
