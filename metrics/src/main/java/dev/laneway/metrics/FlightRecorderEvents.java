package dev.laneway.metrics;

import dev.laneway.LanewayObserver;
import dev.laneway.State;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import jdk.jfr.Timespan;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Writes what consumers do into recordings of the JDK's flight recorder, as events with the names of the metrics
 * ({@link LanewayMetric}); attempts from 10 ms on, unless a recording sets another threshold. Costs next to nothing
 * while nobody records. Immutable and thread-safe.
 */
public final class FlightRecorderEvents implements LanewayObserver.Factory {
    private static final String LANEWAY = "Laneway";

    private FlightRecorderEvents() {}

    /** For one consumer or for several. */
    public static FlightRecorderEvents all() {
        return new FlightRecorderEvents();
    }

    /** Called by the consumer. */
    @Override
    public LanewayObserver observe(LanewayObserver.Subject consumer) {
        return new Recorder(consumer.name());
    }

    @Name("messaging.process.duration")
    @Label("Attempt")
    @Description("From the start of an attempt at a record to its end")
    @Category(LANEWAY)
    @Threshold("10 ms")
    @StackTrace(false)
    static final class AttemptEvent extends Event {
        String consumer = "";
        String topic = "";
        int partition;
        long offset;
        int attempt;
        int records;
        String failure = "";
    }

    @Name("laneway.attempts.failed")
    @Label("Failed Attempt")
    @Category(LANEWAY)
    @StackTrace(false)
    static final class FailedEvent extends Event {
        String consumer = "";
        String topic = "";
        int partition;
        long offset;
        int attempt;
        String failure = "";
    }

    @Name("laneway.records.skipped")
    @Label("Skipped Record")
    @Category(LANEWAY)
    @StackTrace(false)
    static final class SkippedEvent extends Event {
        String consumer = "";
        String topic = "";
        int partition;
        long offset;
        String failure = "";
    }

    @Name("laneway.dead.letters")
    @Label("Dead Letter")
    @Category(LANEWAY)
    @StackTrace(false)
    static final class DeadLetterEvent extends Event {
        String consumer = "";
        String topic = "";
        int partition;
        long offset;
        String deadLetterTopic = "";
    }

    @Name("messaging.client.operation.duration")
    @Label("Commit")
    @Description("A commit or a transaction")
    @Category(LANEWAY)
    @StackTrace(false)
    static final class OperationEvent extends Event {
        String consumer = "";
        String operation = "";
        String partitions = "";
        /** The event itself is written when the answer is there. */
        @Timespan(Timespan.NANOSECONDS)
        long took;

        String failure = "";
    }

    @Name("laneway.rebalance.duration")
    @Label("Rebalance")
    @Category(LANEWAY)
    @StackTrace(false)
    static final class RebalanceEvent extends Event {
        String consumer = "";
        String event = "";
        String partitions = "";

        @Timespan(Timespan.NANOSECONDS)
        long took;
    }

    @Name("laneway.records.dropped")
    @Label("Dropped Records")
    @Category(LANEWAY)
    @StackTrace(false)
    static final class DroppedEvent extends Event {
        String consumer = "";
        String topic = "";
        int partition;
        int records;
    }

    @Name("laneway.state")
    @Label("State")
    @Category(LANEWAY)
    @StackTrace(false)
    static final class StateEvent extends Event {
        String member = "";
        String state = "";
    }

    private record Recorder(String consumer) implements LanewayObserver {
        @Override
        public @Nullable Attempt attemptStarted(ConsumerRecord<byte[], byte[]> record, int attempt, boolean follows) {
            return started(record, attempt, 1);
        }

        @Override
        public @Nullable Attempt batchStarted(List<ConsumerRecord<byte[], byte[]>> records) {
            return started(records.getFirst(), 1, records.size());
        }

        private @Nullable Attempt started(ConsumerRecord<byte[], byte[]> record, int attempt, int records) {
            AttemptEvent event = new AttemptEvent();
            if (!event.isEnabled()) {
                return null;
            }
            event.begin();
            return failure -> {
                event.end();
                if (event.shouldCommit()) {
                    event.consumer = consumer;
                    event.topic = record.topic();
                    event.partition = record.partition();
                    event.offset = record.offset();
                    event.attempt = attempt;
                    event.records = records;
                    event.failure = text(failure);
                    event.commit();
                }
            };
        }

        private static String text(@Nullable Throwable failure) {
            return failure == null ? "" : failure.toString();
        }

        @Override
        public void attemptFailed(ConsumerRecord<byte[], byte[]> record, int attempt, Throwable cause) {
            FailedEvent event = new FailedEvent();
            event.consumer = consumer;
            event.topic = record.topic();
            event.partition = record.partition();
            event.offset = record.offset();
            event.attempt = attempt;
            event.failure = text(cause);
            event.commit();
        }

        @Override
        public void skipped(TopicPartition partition, long offset, @Nullable Throwable cause) {
            SkippedEvent event = new SkippedEvent();
            event.consumer = consumer;
            event.topic = partition.topic();
            event.partition = partition.partition();
            event.offset = offset;
            event.failure = text(cause);
            event.commit();
        }

        @Override
        public void deadLettered(TopicPartition partition, long offset, String topic) {
            DeadLetterEvent event = new DeadLetterEvent();
            event.consumer = consumer;
            event.topic = partition.topic();
            event.partition = partition.partition();
            event.offset = offset;
            event.deadLetterTopic = topic;
            event.commit();
        }

        @Override
        public void dropped(TopicPartition partition, int records) {
            DroppedEvent event = new DroppedEvent();
            event.consumer = consumer;
            event.topic = partition.topic();
            event.partition = partition.partition();
            event.records = records;
            event.commit();
        }

        @Override
        public void committed(
                Map<TopicPartition, OffsetAndMetadata> offsets, Duration took, @Nullable Exception failure) {
            operation("commit", offsets.keySet(), took, failure);
        }

        @Override
        public void transactionEnded(
                Collection<TopicPartition> partitions, Duration took, @Nullable Exception failure) {
            operation("transaction", partitions, took, failure);
        }

        private void operation(
                String operation, Collection<TopicPartition> partitions, Duration took, @Nullable Exception failure) {
            OperationEvent event = new OperationEvent();
            if (event.isEnabled()) {
                event.consumer = consumer;
                event.operation = operation;
                event.partitions = partitions.toString();
                event.took = took.toNanos();
                event.failure = text(failure);
                event.commit();
            }
        }

        @Override
        public void assigned(Collection<TopicPartition> partitions, Duration took) {
            rebalance("assigned", partitions, took);
        }

        @Override
        public void revoked(Collection<TopicPartition> partitions, Duration took) {
            rebalance("revoked", partitions, took);
        }

        @Override
        public void lost(Collection<TopicPartition> partitions, Duration took) {
            rebalance("lost", partitions, took);
        }

        private void rebalance(String what, Collection<TopicPartition> partitions, Duration took) {
            RebalanceEvent event = new RebalanceEvent();
            event.consumer = consumer;
            event.event = what;
            event.partitions = partitions.toString();
            event.took = took.toNanos();
            event.commit();
        }

        @Override
        public void stateChanged(String member, State state) {
            StateEvent event = new StateEvent();
            event.member = member;
            event.state = state.name();
            event.commit();
        }
    }
}
