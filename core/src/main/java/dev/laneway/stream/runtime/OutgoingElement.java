package dev.laneway.stream.runtime;

import dev.laneway.SendFailedException;
import dev.laneway.engine.handle.OversizedOutput;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * One element that is being sent. The drain sends it, the producer's thread answers, and the drain reads the answer.
 * Tens of thousands exist at once, so the usual element, of one record, is a single small object.
 */
public abstract sealed class OutgoingElement<T> {
    public final T element;
    public final long bytes;

    private volatile boolean acknowledged;
    /** Whether its answer starts the drain. */
    private volatile boolean awaited;

    private volatile @Nullable Exception failure;

    // Only the drain touches these.
    public int attempts;
    /** How many attempts failed, without those that failed because of another element. */
    public int failures;
    /** Whether it waits to be sent again. */
    boolean again;
    /** The failure with which it was given up. */
    public @Nullable SendFailedException refusal;
    /** Whether that failure ends the stream. */
    public boolean stops;
    /** Records with the same one stay in order: their key, or the partition that they name. */
    record Key(
            String topic,
            @Nullable Integer partition,
            @Nullable ByteBuffer bytes) {
        /** Null for a record without an order. */
        static @Nullable Key of(ProducerRecord<byte[], byte[]> record) {
            byte[] key = record.key();
            if (key == null) {
                return record.partition() == null ? null : new Key(record.topic(), record.partition(), null);
            }
            return new Key(record.topic(), null, ByteBuffer.wrap(key));
        }
    }

    private OutgoingElement(T element, long bytes) {
        this.element = element;
        this.bytes = bytes;
    }

    /**
     * Makes one.
     *
     * @param answered called once for each attempt, on any thread, when every record was acknowledged or refused
     */
    public static <T> OutgoingElement<T> of(
            T element,
            List<ProducerRecord<byte[], byte[]>> records,
            long bytes,
            Consumer<OutgoingElement<T>> answered) {
        return records.size() == 1
                ? new Single<>(element, records.getFirst(), bytes, answered)
                : new Multi<>(element, records, bytes, answered);
    }

    /** How much of the budget of records it takes. */
    public abstract int weight();

    /** Sends what is not acknowledged, in order. Returns whether the thread was interrupted; the flag is cleared. */
    public abstract boolean send(Producer<byte[], byte[]> producer);

    /**
     * Adds the keys of records that are not acknowledged, and treats acknowledged records behind them as not
     * acknowledged too. Returns whether there were any.
     */
    abstract boolean reopen(Set<Key> lost);

    /** Where the records are, when every one is acknowledged. */
    public abstract List<RecordMetadata> metadata();

    /** The position of a record that was refused. */
    public abstract int refused();

    /** Whether every record is acknowledged. */
    public final boolean isAcknowledged() {
        return acknowledged;
    }

    /** Why a record was refused; null if none was. */
    public final @Nullable Exception failure() {
        return failure;
    }

    /** Makes its answer start the drain. Returns whether the answer has already come. The drain only. */
    public final boolean await() {
        awaited = true;
        return isAnswered();
    }

    /** Whether it is acknowledged or given up. The drain only. */
    public final boolean isAnswered() {
        return acknowledged || refusal != null;
    }

    /** Whether its answer starts the drain. */
    public final boolean isAwaited() {
        return awaited;
    }

    /** A new attempt. */
    final void begin() {
        attempts++;
        if (failure != null) {
            failure = null;
        }
    }

    final void refuse(Exception cause) {
        failure = cause;
    }

    final void end() {
        acknowledged = failure == null;
    }

    /** Marks it as not acknowledged, so that it is sent again. */
    final void unacknowledge() {
        acknowledged = false;
        awaited = false;
    }

    /** Passes a record to the producer, also if the thread was interrupted for another reason. */
    private static boolean hand(
            Producer<byte[], byte[]> producer, ProducerRecord<byte[], byte[]> record, Callback callback) {
        boolean interrupted = Thread.interrupted();
        while (true) {
            try {
                var _ = producer.send(record, callback); // The callback tells what the future would.
                return interrupted;
            } catch (InterruptException stray) {
                interrupted = true;
                Thread.interrupted(); // Kafka sets the flag again.
            }
        }
    }

    private static final class Single<T> extends OutgoingElement<T> implements Callback {
        private final ProducerRecord<byte[], byte[]> record;
        private final Consumer<OutgoingElement<T>> answered;
        private @Nullable RecordMetadata metadata;

        Single(T element, ProducerRecord<byte[], byte[]> record, long bytes, Consumer<OutgoingElement<T>> answered) {
            super(element, bytes);
            this.record = record;
            this.answered = answered;
        }

        @Override
        public int weight() {
            return 1;
        }

        @Override
        public boolean send(Producer<byte[], byte[]> producer) {
            begin();
            try {
                return hand(producer, record, this);
            } catch (RuntimeException thrown) {
                onCompletion(null, thrown);
                return false;
            }
        }

        @Override
        boolean reopen(Set<Key> lost) {
            Key key = Key.of(record);
            if (key == null) {
                return false;
            }
            if (!isAcknowledged()) {
                lost.add(key);
                return false;
            }
            if (!lost.contains(key)) {
                return false;
            }
            unacknowledge();
            return true;
        }

        @Override
        public void onCompletion(@Nullable RecordMetadata where, @Nullable Exception cause) {
            if (cause != null) {
                refuse(OversizedOutput.told(record, where, cause));
            } else {
                metadata = where; // What is written below publishes it.
            }
            end();
            answered.accept(this);
        }

        @Override
        public List<RecordMetadata> metadata() {
            return List.of(Objects.requireNonNull(metadata));
        }

        @Override
        public int refused() {
            return 0;
        }
    }

    private static final class Multi<T> extends OutgoingElement<T> {
        private final List<ProducerRecord<byte[], byte[]>> records;
        private final Consumer<OutgoingElement<T>> answered;
        /** The answers by position; null for a record that is not acknowledged. */
        private final @Nullable RecordMetadata[] metadata;

        private final AtomicInteger unanswered = new AtomicInteger();
        private volatile int refused;

        Multi(
                T element,
                List<ProducerRecord<byte[], byte[]>> records,
                long bytes,
                Consumer<OutgoingElement<T>> answered) {
            super(element, bytes);
            this.records = records;
            this.answered = answered;
            this.metadata = new RecordMetadata[records.size()];
        }

        @Override
        public int weight() {
            return Math.max(1, records.size());
        }

        @Override
        public boolean send(Producer<byte[], byte[]> producer) {
            begin();
            boolean interrupted = false;
            // One more than there are records, so that no answer counts as the last before the loop has ended.
            unanswered.set(1);
            for (int i = 0; i < metadata.length; i++) {
                if (metadata[i] == null) {
                    unanswered.incrementAndGet();
                    interrupted |= send(producer, i);
                }
            }
            answer(-1, null, null);
            return interrupted;
        }

        @Override
        boolean reopen(Set<Key> lost) {
            boolean any = false;
            for (int i = 0; i < metadata.length; i++) {
                Key key = Key.of(records.get(i));
                if (key != null && metadata[i] == null) {
                    lost.add(key);
                } else if (key != null && lost.contains(key)) {
                    metadata[i] = null;
                    any = true;
                }
            }
            if (any) {
                unacknowledge();
            }
            return any;
        }

        private boolean send(Producer<byte[], byte[]> producer, int position) {
            try {
                return hand(producer, records.get(position), (where, cause) -> answer(position, where, cause));
            } catch (RuntimeException thrown) {
                answer(position, null, thrown);
                return false;
            }
        }

        private void answer(int position, @Nullable RecordMetadata where, @Nullable Exception cause) {
            if (cause != null) {
                refused = position;
                refuse(OversizedOutput.told(records.get(position), where, cause));
            } else if (position >= 0) {
                metadata[position] = where; // What is written below publishes it.
            }
            if (unanswered.decrementAndGet() == 0) {
                end();
                answered.accept(this);
            }
        }

        @Override
        public List<RecordMetadata> metadata() {
            return Arrays.stream(metadata).map(Objects::requireNonNull).toList();
        }

        @Override
        public int refused() {
            return refused;
        }
    }
}
