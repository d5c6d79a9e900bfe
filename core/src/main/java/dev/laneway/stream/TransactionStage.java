package dev.laneway.stream;

import dev.laneway.FailurePolicy;
import dev.laneway.SendFailedException;
import dev.laneway.StreamException;
import dev.laneway.engine.handle.AckHandle;
import dev.laneway.stream.runtime.CompletionStages;
import dev.laneway.stream.runtime.GrowingQueue;
import dev.laneway.stream.runtime.StageRuntime;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stage behind {@link KafkaSink#transactional}: serialises each envelope and hands it to the source's consumer with
 * the acknowledgement of its record. The owner thread writes both in one transaction, and tells the element when that
 * is committed or its partition was given up.
 *
 * <p><b>Limits.</b> Two batches may wait for their commit, one being written and one that fills, up to the byte limit.
 * A transaction is requested when a batch is full or no more may be requested. What a transaction leaves out, because
 * its commit's map has no room for it, no longer counts against the limits: the elements it waits for may still have to
 * pass through here.
 *
 * <p><b>Threads.</b> The owner thread must not block, so the drain runs on a virtual thread: on the one that brings an
 * element, if it is virtual, else on a new one.
 */
final class TransactionStage<K, V, P extends Acknowledgeable> extends Operator<Envelope<K, V, P>, P> {
    private static final Logger log = LoggerFactory.getLogger(TransactionStage.class);
    private static final int PREFETCH = 256;

    private enum State {
        WAITS,
        WRITTEN,
        DROPPED
    }

    /** One element, from when it is handed over until it is emitted. */
    private final class Element implements AckHandle.Receipt {
        final P passThrough;
        final long bytes;
        private volatile State state = State.WAITS;
        /** Whether it counts against the limits. The drain only. */
        boolean counts = true;

        Element(P passThrough, long bytes) {
            this.passThrough = passThrough;
            this.bytes = bytes;
        }

        @Override
        public void written() {
            state = State.WRITTEN;
            signal();
        }

        @Override
        public void dropped() {
            state = State.DROPPED;
            signal();
        }
    }

    private final TransactionSettings<K, V> settings;
    private final StageRuntime machine;
    private final int prefetch;
    private final Queue<Envelope<K, V, P>> arrived = new ConcurrentLinkedQueue<>();
    /** Commits that were requested and are not confirmed. */
    private final AtomicInteger asked = new AtomicInteger();

    // Only the drain touches these.
    private final GrowingQueue<Element> elements = new GrowingQueue<>();
    /** The assignments of elements that were handed over since the last commit was requested. */
    private Set<AckHandle> assignments = new LinkedHashSet<>();

    private long counted;
    private long bytes;
    private int unasked;
    /** Elements that were requested from upstream and have not come. */
    private long outstanding;

    private long skipped;

    TransactionStage(TransactionSettings<K, V> settings, StageRuntime machine) {
        this.settings = settings;
        this.machine = machine;
        this.prefetch = Math.min(PREFETCH, settings.maxBatch());
    }

    @Override
    void run(Runnable drain) {
        machine.threads().execute(drain);
    }

    @Override
    public void onNext(Envelope<K, V, P> element) {
        Objects.requireNonNull(element, "element");
        if (isOver()) {
            return;
        }
        arrived.add(element);
        if (Thread.currentThread().isVirtual()) {
            signalHere();
        } else {
            signal();
        }
    }

    @Override
    void start() {
        more();
    }

    /** Requests more elements, as far as there is room. */
    private void more() {
        long room = Math.min(prefetch, 2L * settings.maxBatch() - counted) - outstanding;
        if (!isFull() && (room >= Math.max(1, prefetch / 4) || (room > 0 && outstanding == 0))) {
            outstanding += room;
            pull(room);
        }
    }

    @Override
    void step() {
        boolean last = isCompleted();
        for (Envelope<K, V, P> next = arrived.poll(); next != null && !isOver(); next = arrived.poll()) {
            outstanding--;
            handOver(next);
            // Here, not after the loop: more elements may come while one is handed over, and a batch must not exceed
            // its size.
            if (unasked >= settings.maxBatch()) {
                ask();
            }
        }
        passOn();
        if (isOver()) {
            return;
        }
        if (unasked > 0 && (last || isFull())) {
            ask();
        } else if (isFull() && asked.get() == 0) {
            leaveBehind();
        }
        if (last && elements.isEmpty() && asked.get() == 0) {
            complete();
        } else {
            more();
        }
    }

    private boolean isFull() {
        return counted >= 2L * settings.maxBatch() || bytes >= settings.maxBytes();
    }

    // ---------------------------------------------------------------- to the consumer

    private void handOver(Envelope<K, V, P> envelope) {
        List<ProducerRecord<byte[], byte[]>> outputs = new ArrayList<>();
        long size = 0;
        for (ProducerRecord<K, V> record : envelope.records()) {
            try {
                ProducerRecord<byte[], byte[]> raw =
                        ProducerSettings.serialize(settings.keySerializer(), settings.valueSerializer(), record);
                size += ProducerSettings.bytes(raw);
                outputs.add(raw);
            } catch (RuntimeException unserialisable) {
                SendFailedException refusal = new SendFailedException(record, 1, unserialisable);
                if (!(settings.onFailure().forFailure(unserialisable).last() instanceof FailurePolicy.Last.Skip)) {
                    fail(refusal);
                    return;
                }
                if (isRare(++skipped)) {
                    log.warn("skipped an element that cannot be sent (the {}th of this sink)", skipped, refusal);
                }
                outputs.clear();
                size = 0;
                break;
            }
        }
        Element element = new Element(envelope.passThrough(), size);
        elements.add(element);
        counted++;
        bytes += size;
        unasked++;
        switch (envelope.passThrough()) {
            case CommittableRecord<?, ?> record ->
                emit(record.delivered(), record.record().offset(), outputs, element);
            case Committable<?> committable -> emit(committable.offset(), outputs, element);
            case Offset offset -> emit(offset, outputs, element);
            case OffsetBatch batch ->
                throw new StreamException("a transactional sink got " + batch
                        + " in one envelope, which may be written in several transactions: give each record an"
                        + " envelope of its own");
        }
    }

    private void emit(Offset offset, List<ProducerRecord<byte[], byte[]>> outputs, Element element) {
        emit(offset.delivered(), offset.offset(), outputs, element);
    }

    private void emit(AckHandle delivered, long offset, List<ProducerRecord<byte[], byte[]>> outputs, Element element) {
        assignments.add(delivered);
        delivered.emits(offset, outputs, element);
    }

    private void ask() {
        asked.incrementAndGet();
        unasked = 0;
        Set<AckHandle> all = assignments;
        assignments = new LinkedHashSet<>();
        var _ = CompletableFuture.allOf(all.stream()
                        .map(assignment -> assignment.commit().toCompletableFuture())
                        .toArray(CompletableFuture<?>[]::new))
                .whenComplete((nothing, failure) -> {
                    Throwable cause = CompletionStages.unwrapped(failure);
                    if (cause != null) {
                        abort(cause);
                        return;
                    }
                    asked.decrementAndGet();
                    signal();
                });
    }

    /**
     * A requested transaction has not written everything that waits, and it is not known when the rest will be written.
     */
    private void leaveBehind() {
        for (int i = 0; i < elements.size(); i++) {
            Element element = elements.get(i);
            if (element.counts && element.state == State.WAITS) {
                uncount(element);
            }
        }
    }

    private void uncount(Element element) {
        element.counts = false;
        counted--;
        bytes -= element.bytes;
    }

    // ---------------------------------------------------------------- from the consumer

    /** Emits finished elements, in order. */
    private void passOn() {
        for (Element head = elements.peek(); head != null && !isOver(); head = elements.peek()) {
            State state = head.state;
            if (state == State.WAITS || (state == State.WRITTEN && !hasDemand())) {
                return;
            }
            elements.remove();
            if (head.counts) {
                uncount(head);
            }
            if (state == State.WRITTEN) {
                emit(head.passThrough);
            }
        }
    }

    @Override
    void release() {
        arrived.clear();
        while (!elements.isEmpty()) {
            elements.remove();
        }
        assignments = new LinkedHashSet<>();
    }
}
