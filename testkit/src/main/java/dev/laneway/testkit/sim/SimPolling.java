package dev.laneway.testkit.sim;

import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/** One pass of a consumer's poll: callbacks, membership, automatic commits, positions, records, in this order. */
final class SimPolling {
    private final SimBroker broker;
    private final SimConsumerConfig config;
    private final SimSubscription subscription;
    private final SimBlocking blocking;
    private final SimFetcher fetcher;
    private final SimPositions positions;
    private final @Nullable Group group;
    private long nextAutoCommitNanos;

    /** The parts that exist only with a {@code group.id}. */
    record Group(String id, SimMember member, SimCommits commits) {}

    SimPolling(
            SimBroker broker,
            SimConsumerConfig config,
            SimSubscription subscription,
            SimBlocking blocking,
            SimFetcher fetcher,
            SimPositions positions,
            @Nullable Group group) {
        this.broker = broker;
        this.config = config;
        this.subscription = subscription;
        this.blocking = blocking;
        this.fetcher = fetcher;
        this.positions = positions;
        this.group = group;
        this.nextAutoCommitNanos = SimClock.saturatedAdd(broker.clock().nanoTime(), config.autoCommitNanos());
    }

    /** Whether a pass could do or return something now. */
    boolean hasNews() {
        boolean groupNews =
                group != null && (group.commits.hasNews() || (subscription.isGroupManaged() && group.member.hasNews()));
        return groupNews || fetcher.hasNews() || positions.hasNews() || blocking.isWoken();
    }

    /** One pass without waiting; null if there is nothing to return. */
    @Nullable
    ConsumerRecords<byte[], byte[]> once() {
        if (group != null) {
            group.commits.runCallbacks();
            if (subscription.isGroupManaged()) {
                group.member.poll();
            }
            autoCommitIfDue(group);
        }
        positions.update();
        fetcher.receive();
        ConsumerRecords<byte[], byte[]> records = fetcher.collect();
        if (records == null) {
            fetcher.send();
            fetcher.receive();
            records = fetcher.collect();
        }
        if (records != null) {
            // The next fetch is in flight while the application processes this one.
            fetcher.send();
        }
        return records;
    }

    private void autoCommitIfDue(Group present) {
        if (config.autoCommit() && broker.clock().nanoTime() >= nextAutoCommitNanos) {
            nextAutoCommitNanos = SimClock.saturatedAdd(broker.clock().nanoTime(), config.autoCommitNanos());
            present.commits.async(subscription.allConsumed(), null);
        }
    }

    /** The automatic commit before partitions are given up. As in Kafka its failure is ignored. */
    void autoCommitNow() {
        if (!config.autoCommit() || group == null) {
            return;
        }
        try {
            group.commits.sync(subscription.allConsumed(), SimTimes.nanos(config.apiTimeout()));
        } catch (KafkaException e) {
            broker.trace()
                    .event("auto-commit-failed", config.clientId(), e.getClass().getSimpleName());
        }
    }
}
