package dev.laneway.metrics;

import dev.laneway.LanewayObserver;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Fills the histograms of one consumer, and lets the meters of partitions come and go with them. Of first attempts it
 * times those that {@link TimedAttempts} chooses, and each later one. Thread-safe.
 */
final class MeteredConsumer implements LanewayObserver {
    private static final int MOST_TOPICS = 100;
    private static final int MOST_ERRORS = 50;
    private static final String OTHER = "other";
    private static final String NONE = "none";
    private final Subject subject;
    private final Meters meters;
    private final LongSupplier nanoClock;
    private final LongSupplier milliClock;
    private final ConcurrentMap<TopicPartition, FetchTimes> fetches = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, TopicTimes> times = new ConcurrentHashMap<>();
    private final Set<String> topics = ConcurrentHashMap.newKeySet();
    private final Set<String> errors = ConcurrentHashMap.newKeySet();
    private final TimedAttempts chosen;

    /** The histograms of a topic's attempts, but for those that fail. */
    private record TopicTimes(
            String topic, Meters.Histogram queueWait, Meters.Histogram process, Meters.Histogram latency) {
        static TopicTimes of(String topic, Meters meters) {
            return new TopicTimes(
                    topic,
                    meters.histogram(LanewayMetric.QUEUE_WAIT, topic),
                    meters.histogram(LanewayMetric.PROCESS, topic, NONE),
                    meters.histogram(LanewayMetric.LATENCY, topic));
        }
    }

    /** @param milliClock milliseconds since 1970 */
    MeteredConsumer(Subject subject, Meters meters, LongSupplier nanoClock, LongSupplier milliClock) {
        this.subject = subject;
        this.meters = meters;
        this.nanoClock = nanoClock;
        this.milliClock = milliClock;
        chosen = new TimedAttempts(nanoClock.getAsLong());
    }

    // ---------------------------------------------------------------- attempts

    @Override
    public @Nullable Attempt attemptStarted(ConsumerRecord<byte[], byte[]> record, int attempt, boolean follows) {
        return attempt > 1 || chosen.isChosen(record.offset(), follows) ? timed(record, attempt) : null;
    }

    @Override
    public @Nullable Attempt batchStarted(List<ConsumerRecord<byte[], byte[]>> records) {
        return timed(records.getFirst(), 1);
    }

    private Attempt timed(ConsumerRecord<byte[], byte[]> record, int attempt) {
        long began = nanoClock.getAsLong();
        TopicTimes of = times(record.topic());
        if (attempt == 1) {
            FetchTimes fetched = fetches.get(new TopicPartition(record.topic(), record.partition()));
            if (fetched != null) {
                fetched.at(record.offset()).ifPresent(at -> of.queueWait.record(seconds(began - at)));
            }
        }
        long timestamp = record.timestamp();
        return failure -> {
            double took = seconds(nanoClock.getAsLong() - began);
            if (failure != null) {
                meters.record(LanewayMetric.PROCESS, took, of.topic, error(failure));
                return;
            }
            of.process.record(took);
            if (timestamp >= 0) {
                of.latency.record(Math.max(0, milliClock.getAsLong() - timestamp) / 1e3);
            }
        };
    }

    private TopicTimes times(String topic) {
        TopicTimes known = times.get(topic);
        return known != null
                ? known
                : times.computeIfAbsent(bounded(topics, topic, MOST_TOPICS), name -> TopicTimes.of(name, meters));
    }

    private static double seconds(long nanos) {
        return Math.max(0, nanos) / 1e9;
    }

    private String error(@Nullable Throwable failure) {
        return failure == null ? NONE : bounded(errors, failure.getClass().getName(), MOST_ERRORS);
    }

    /** The value itself, as long as there are not too many. */
    private static String bounded(Set<String> known, String value, int most) {
        if (known.contains(value)) {
            return value;
        }
        synchronized (known) {
            boolean isOne = known.contains(value) || (known.size() < most && known.add(value));
            return isOne ? value : OTHER;
        }
    }

    // ---------------------------------------------------------------- the owner

    @Override
    public void fetched(TopicPartition partition, long firstOffset, long lastOffset, int records) {
        long now = nanoClock.getAsLong();
        chosen.fetched(records, now);
        FetchTimes times = fetches.get(partition);
        if (times != null) {
            times.fetched(firstOffset, lastOffset, now);
        }
        meters.add(LanewayMetric.CONSUMED, records, bounded(topics, partition.topic(), MOST_TOPICS));
    }

    @Override
    public void committed(Map<TopicPartition, OffsetAndMetadata> offsets, Duration took, @Nullable Exception failure) {
        meters.record(LanewayMetric.OPERATION_TIME, Readings.seconds(took), "commit", error(failure));
        offsets.forEach((id, offset) ->
                meters.record(LanewayMetric.MAP_SIZE, offset.metadata().length()));
    }

    @Override
    public void transactionEnded(Collection<TopicPartition> partitions, Duration took, @Nullable Exception failure) {
        String error = error(failure);
        meters.record(LanewayMetric.OPERATION_TIME, Readings.seconds(took), "transaction", error);
        meters.add(LanewayMetric.TRANSACTIONS, 1, error);
    }

    @Override
    public void assigned(Collection<TopicPartition> partitions, Duration took) {
        partitions.forEach(id -> fetches.putIfAbsent(id, new FetchTimes()));
        meters.assigned(List.copyOf(partitions));
        meters.record(LanewayMetric.REBALANCE_TIME, Readings.seconds(took), "assigned");
    }

    @Override
    public void revoked(Collection<TopicPartition> partitions, Duration took) {
        gone(partitions);
        meters.record(LanewayMetric.REBALANCE_TIME, Readings.seconds(took), "revoked");
    }

    @Override
    public void lost(Collection<TopicPartition> partitions, Duration took) {
        Set<TopicPartition> gone = new HashSet<>(partitions);
        // Another member of the same consumer may have got them before this one has learnt that it lost them.
        subject.snapshot().partitions().forEach(other -> gone.remove(other.partition()));
        gone(gone);
        meters.record(LanewayMetric.REBALANCE_TIME, Readings.seconds(took), "lost");
    }

    private void gone(Collection<TopicPartition> partitions) {
        partitions.forEach(fetches::remove);
        meters.gone(List.copyOf(partitions));
    }

    @Override
    public void ended(@Nullable Throwable failure) {
        fetches.clear();
        meters.close();
    }
}
