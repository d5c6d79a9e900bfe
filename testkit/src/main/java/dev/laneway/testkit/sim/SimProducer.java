package dev.laneway.testkit.sim;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * A producer of the simulated cluster: idempotent, in order, with transactions. Acknowledgements and their callbacks
 * come when the clock moves, never inside {@code send}, just as the real ones come from another thread. Records sent
 * while the cluster is away are kept and sent again, in order, until {@code delivery.timeout.ms} is over.
 *
 * <p>A fault on {@link SimOp#PRODUCE} is the final result of that record, after all retries. A lost request or answer
 * is a {@link TimeoutException} after {@code delivery.timeout.ms}.
 *
 * <p>Made by {@link SimBroker#producer}. Thread contract: the simulation's.
 */
public final class SimProducer implements Producer<byte[], byte[]> {
    private final SimBroker broker;
    private final SimProducerConfig config;
    private final SimConnection connection;
    private final SplittableRandom random;
    private final SimTransactionState transaction;
    private final java.util.ArrayDeque<Send> unsent = new java.util.ArrayDeque<>();
    private @Nullable SimTimer retry;
    private long underWay;
    private long sent;
    private boolean closed;

    /** A record in flight. */
    private record Send(
            TopicPartition partition,
            SimLog.SimRecord data,
            long deadlineNanos,
            SimTransactions.@Nullable Producer owner,
            Delivery result,
            @Nullable Callback callback) {}

    /** A future whose {@code get} lets the simulation go on, as a blocked thread would. */
    private static final class Delivery extends CompletableFuture<RecordMetadata> {
        private final SimWait wait;

        Delivery(SimWait wait) {
            this.wait = wait;
        }

        @Override
        public RecordMetadata get() throws InterruptedException, ExecutionException {
            if (!wait.await(this::isDone, Duration.ofNanos(Long.MAX_VALUE))) {
                throw new IllegalStateException(
                        "the record will never be acknowledged: nothing is left to happen in the simulation");
            }
            return super.get();
        }

        @Override
        public RecordMetadata get(long timeout, TimeUnit unit)
                throws InterruptedException, ExecutionException, java.util.concurrent.TimeoutException {
            if (!wait.await(this::isDone, Duration.ofNanos(unit.toNanos(timeout)))) {
                throw new java.util.concurrent.TimeoutException();
            }
            return super.get();
        }
    }

    SimProducer(SimBroker broker, SimProducerConfig config, SplittableRandom random) {
        this.broker = broker;
        this.config = config;
        this.random = random;
        this.connection = new SimConnection(broker, config.clientId(), config.deliveryTimeoutNanos());
        this.transaction = new SimTransactionState(config.transactionalId());
    }

    /**
     * The producer's process dies: records that did not reach the cluster are lost, and an open transaction stays open
     * until it times out.
     */
    public void kill() {
        closed = true;
        connection.cut(true);
        unsent.clear();
        broker.trace().event("killed", config.clientId());
    }

    // Sending

    @Override
    public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record) {
        return sendOrFail(record, null);
    }

    @Override
    public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, Callback callback) {
        return sendOrFail(record, callback);
    }

    private Future<RecordMetadata> sendOrFail(ProducerRecord<byte[], byte[]> record, @Nullable Callback callback) {
        requireOpen();
        SimTransactions.Producer owner = transaction.sender();
        Delivery result = new Delivery(broker.waiting());
        int partitions = broker.partitionsOf(List.of(record.topic())).size();
        SimLog.SimRecord data = new SimLog.SimRecord(
                record.timestamp() == null ? broker.clock().millis() : record.timestamp(),
                record.key(),
                record.value(),
                record.headers());
        ApiException refused = null;
        if (partitions == 0) {
            refused = new TimeoutException("Topic " + record.topic() + " not present in metadata after "
                    + config.maxBlock().toMillis() + " ms.");
        } else if (data.sizeBytes() > config.maxRequestSize()) {
            refused = new RecordTooLargeException(
                    "The message is " + data.sizeBytes() + " bytes when serialized which is larger than "
                            + config.maxRequestSize() + ", which is the value of the max.request.size configuration.");
        }
        if (refused != null) {
            // As in Kafka these are known at once, and the callback runs inside send.
            transaction.sendFailed(refused);
            finish(new Send(new TopicPartition(record.topic(), -1), data, 0, owner, result, callback), null, refused);
            return result;
        }
        TopicPartition partition = new TopicPartition(record.topic(), choose(record, partitions));
        long deadline = SimClock.saturatedAdd(broker.clock().nanoTime(), config.deliveryTimeoutNanos());
        underWay++;
        Send send = new Send(partition, data, deadline, owner, result, callback);
        if (unsent.isEmpty()) {
            transmit(send);
        } else {
            unsent.add(send);
        }
        return result;
    }

    private int choose(ProducerRecord<byte[], byte[]> record, int partitions) {
        if (record.partition() != null) {
            if (record.partition() >= partitions) {
                throw new IllegalArgumentException(
                        "partition is " + record.partition() + ", but " + record.topic() + " has " + partitions);
            }
            return record.partition();
        }
        byte[] key = record.key();
        return key == null ? random.nextInt(partitions) : Utils.toPositive(Utils.murmur2(key)) % partitions;
    }

    private void transmit(Send send) {
        sent++;
        connection.<Long>ask(
                SimOp.PRODUCE,
                () -> {
                    long offset = send.owner == null
                            ? broker.append(send.partition, send.data)
                            : broker.transactions().append(send.owner, send.partition, send.data);
                    broker.trace().event("appended", send.partition, offset);
                    return offset;
                },
                (offset, error) -> answered(send, offset, error));
    }

    private void answered(Send send, @Nullable Long offset, @Nullable RuntimeException error) {
        boolean away = error instanceof DisconnectException && !(error instanceof SimConnection.TimedOut);
        if (away && broker.clock().nanoTime() < send.deadlineNanos) {
            unsent.add(send);
            if (retry == null || !retry.isPending()) {
                retry = broker.clock().schedule(Math.max(1, config.retryBackoffNanos()), this::retryAll);
            }
            return;
        }
        RuntimeException outcome = error instanceof DisconnectException
                ? new TimeoutException("Expiring a record for " + send.partition + ": delivery.timeout.ms has passed")
                : error;
        // Not inside send: real acknowledgements come from another thread.
        broker.clock().schedule(0, () -> {
            underWay--;
            transaction.sendFailed(outcome);
            finish(send, offset, outcome);
        });
    }

    private void retryAll() {
        List<Send> again = List.copyOf(unsent);
        unsent.clear();
        again.forEach(this::transmit);
    }

    @SuppressWarnings("NullAway") // Kafka passes null for "no error", but is not annotated so
    private static void finish(Send send, @Nullable Long offset, @Nullable RuntimeException error) {
        if (error == null && offset != null) {
            RecordMetadata metadata = new RecordMetadata(
                    send.partition, offset, 0, send.data.timestamp, size(send.data.key), size(send.data.value));
            send.result.complete(metadata);
            if (send.callback != null) {
                send.callback.onCompletion(metadata, null);
            }
        } else {
            send.result.completeExceptionally(error);
            if (send.callback != null) {
                send.callback.onCompletion(new RecordMetadata(send.partition, -1, -1, -1, -1, -1), error);
            }
        }
    }

    private static int size(byte @Nullable [] bytes) {
        return bytes == null ? -1 : bytes.length;
    }

    @Override
    public void flush() {
        requireOpen();
        broker.waiting().await(() -> underWay == 0, Duration.ofNanos(Long.MAX_VALUE));
    }

    // Transactions

    @Override
    public void initTransactions() {
        requireOpen();
        String id = transaction.requireId();
        transaction.initialized(
                ask(SimOp.TRANSACTION, () -> broker.transactions().init(id, config.transactionTimeoutNanos())));
    }

    @Override
    public void beginTransaction() {
        requireOpen();
        transaction.begin();
    }

    @Override
    public void sendOffsetsToTransaction(Map<TopicPartition, OffsetAndMetadata> offsets, ConsumerGroupMetadata group) {
        requireOpen();
        SimTransactions.Producer self = transaction.requireOpen();
        if (offsets.isEmpty()) {
            return;
        }
        Map<TopicPartition, OffsetAndMetadata> copy = new LinkedHashMap<>(offsets);
        SimMembers.Identity who = new SimMembers.Identity(
                group.memberId(), group.generationId(), group.groupInstanceId().orElse(null));
        transaction.guard(() -> ask(SimOp.TRANSACTION_OFFSETS, () -> {
            broker.transactions().commitOffsets(self, group.groupId(), who, copy);
            return true;
        }));
    }

    @Override
    public void commitTransaction() {
        requireOpen();
        SimTransactions.Producer self = transaction.requireOpen();
        flush();
        transaction.throwIfFailed();
        transaction.end(
                "commitTransaction",
                () -> ask(SimOp.TRANSACTION, () -> {
                    broker.transactions().end(self, true);
                    return true;
                }));
    }

    @Override
    public void abortTransaction() {
        requireOpen();
        SimTransactions.Producer self = transaction.requireAbortable();
        broker.waiting().await(() -> underWay == 0, Duration.ofNanos(Long.MAX_VALUE));
        transaction.end(
                "abortTransaction",
                () -> ask(SimOp.TRANSACTION, () -> {
                    broker.transactions().end(self, false);
                    return true;
                }));
    }

    /** Sends a request and waits for the answer, repeats after retriable errors, for at most {@code max.block.ms}. */
    private <R> R ask(SimOp op, Supplier<R> question) {
        long deadline = SimClock.saturatedAdd(broker.clock().nanoTime(), SimTimes.nanos(config.maxBlock()));
        while (true) {
            CompletableFuture<R> answer = connection.ask(op, question);
            broker.waiting()
                    .await(
                            answer::isDone,
                            Duration.ofNanos(
                                    Math.max(0, deadline - broker.clock().nanoTime())));
            RuntimeException failure = SimFutures.failure(answer);
            if (answer.isDone() && failure == null) {
                return answer.resultNow();
            }
            if (failure != null && !(failure instanceof RetriableException)) {
                throw failure;
            }
            if (broker.clock().nanoTime() >= deadline) {
                throw new TimeoutException(
                        "Timeout expired after " + config.maxBlock().toMillis() + "ms while awaiting " + op);
            }
            broker.waiting().await(() -> false, Duration.ofNanos(config.retryBackoffNanos()));
        }
    }

    // The rest

    @Override
    public List<PartitionInfo> partitionsFor(String topic) {
        return SimLeader.partitionInfos(broker, topic);
    }

    @Override
    public Map<MetricName, ? extends Metric> metrics() {
        return SimMetrics.of("producer-metrics", config.clientId(), Map.of("record-send-total", sent));
    }

    /** Telemetry is off in the simulation, so there is no such id; Kafka's client says the same. */
    @Override
    public Uuid clientInstanceId(Duration timeout) {
        throw new IllegalStateException("Telemetry is not enabled. Set config `enable.metrics.push` to `true`.");
    }

    /** Does nothing: there is no telemetry. */
    @Override
    public void registerMetricForSubscription(KafkaMetric metric) {}

    /** Does nothing: there is no telemetry. */
    @Override
    public void unregisterMetricFromSubscription(KafkaMetric metric) {}

    @Override
    public void close() {
        close(Duration.ofNanos(Long.MAX_VALUE));
    }

    /**
     * Waits for acknowledgements for at most this time, and aborts an open transaction that is not being ended, as
     * Kafka's producer does.
     */
    @Override
    public void close(Duration timeout) {
        if (closed) {
            return;
        }
        long deadline = SimClock.saturatedAdd(broker.clock().nanoTime(), SimTimes.nanos(timeout));
        broker.waiting().await(() -> underWay == 0, timeout);
        if (transaction.isOpen() && !transaction.isEnding()) {
            SimTransactions.Producer self = transaction.requireAbortable();
            CompletableFuture<Boolean> aborted = connection.ask(SimOp.TRANSACTION, () -> {
                broker.transactions().end(self, false);
                return true;
            });
            broker.waiting()
                    .await(
                            aborted::isDone,
                            Duration.ofNanos(
                                    Math.max(0, deadline - broker.clock().nanoTime())));
        }
        closed = true;
        broker.trace().event("closed", config.clientId());
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("Cannot perform operation after producer has been closed");
        }
    }
}
