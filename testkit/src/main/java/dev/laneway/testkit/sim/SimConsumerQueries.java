package dev.laneway.testkit.sim;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/** The parts of a consumer, and its methods that only query. */
abstract class SimConsumerQueries extends SimConsumerBase {
    final SimBroker broker;
    final SimConsumerConfig config;
    final SimConnection data;
    final SimConnection coordinator;
    final SimSubscription subscription = new SimSubscription();
    final SimBlocking blocking;
    final SimFetcher fetcher;
    final SimLookups lookups;

    SimConsumerQueries(SimBroker broker, SimConsumerConfig config) {
        super(config.apiTimeout());
        this.broker = broker;
        this.config = config;
        // As in Kafka, data and coordinator have a connection each: a fetch that waits for data delays no commit.
        this.data = new SimConnection(broker, config.clientId(), config.requestTimeoutNanos());
        this.coordinator = new SimConnection(broker, config.clientId(), config.requestTimeoutNanos());
        this.blocking = new SimBlocking(broker);
        this.fetcher = new SimFetcher(broker, config, data, subscription);
        this.lookups = new SimLookups(broker, config, data, coordinator, blocking);
    }

    @Override
    public OptionalLong currentLag(TopicPartition partition) {
        return locked(() -> subscription.get(partition).lag());
    }

    @Override
    public Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(Map<TopicPartition, Long> times, Duration timeout) {
        times.forEach((partition, time) -> {
            if (time < 0) {
                throw new IllegalArgumentException("The target time for partition " + partition + " is " + time
                        + ". The target time cannot be negative.");
            }
        });
        return locked(() -> lookups.forTimes(times, timeout));
    }

    @Override
    public Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> partitions, Duration timeout) {
        return locked(() -> lookups.beginnings(partitions, timeout));
    }

    @Override
    public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions, Duration timeout) {
        return locked(() -> lookups.ends(partitions, timeout));
    }

    @Override
    public List<PartitionInfo> partitionsFor(String topic, Duration timeout) {
        return locked(() -> SimLeader.partitionInfos(broker, topic));
    }

    @Override
    public Map<String, List<PartitionInfo>> listTopics(Duration timeout) {
        return locked(() -> {
            Map<String, List<PartitionInfo>> topics = new LinkedHashMap<>();
            broker.topicNames().forEach(topic -> topics.put(topic, SimLeader.partitionInfos(broker, topic)));
            return topics;
        });
    }

    @Override
    public Map<MetricName, ? extends Metric> metrics() {
        return SimMetrics.of(
                "consumer-fetch-manager-metrics",
                config.clientId(),
                Map.of(
                        "bytes-consumed-total", fetcher.bytesConsumed(),
                        "records-consumed-total", fetcher.recordsConsumed(),
                        "fetch-total", fetcher.fetches()));
    }
}
