package dev.laneway.stream;

import dev.laneway.FailurePolicy;
import dev.laneway.SendFailedException;
import dev.laneway.engine.handle.SendFault;
import dev.laneway.stream.runtime.GrowingQueue;
import dev.laneway.stream.runtime.OutgoingElement;
import dev.laneway.stream.runtime.ResendQueue;
import dev.laneway.stream.runtime.SettledCount;
import dev.laneway.stream.runtime.StageRuntime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stage behind every {@link KafkaSink}: sends each element and emits its result when the broker has acknowledged
 * it, in order. For elements that are sent again see {@link ResendQueue}.
 *
 * <p><b>Threads.</b> Sending may block, for metadata or for room in the producer's buffer, and answers come on the
 * producer's own thread, which must not block. So the drain runs on a virtual thread: on the one that brings an
 * element, if it is virtual, else on a new one.
 *
 * <p><b>Limits.</b> Only a few elements wait to be sent, since their size is not known yet. Sent elements count against
 * the budgets of records and bytes until they are acknowledged. As much again may be acknowledged and wait for an
 * earlier element or for demand, so that one slow partition does not stop the others at once. An element larger than a
 * budget passes alone.
 *
 * <p><b>Wake-ups.</b> Hundreds of answers come at once, so only those that the drain waits for start it.
 */
final class SinkStage<T, K, V, R> extends Operator<T, R> {
    private static final int PREFETCH = 256;
    /**
     * The drain sends again when a 64th of the budget is free. The producer's thread answers thousands in a row, and
     * the drain should send meanwhile: an eighth reached 0.84 of a bare loop, a 64th 0.97.
     */
    private static final int ROOM = 64;

    private static final Logger log = LoggerFactory.getLogger(SinkStage.class);

    private final ProducerSettings<K, V> settings;
    private final ElementShape<T, K, V, R> shape;
    private final StageRuntime machine;
    private final int prefetch;
    private final Queue<T> arrived = new ConcurrentLinkedQueue<>();
    /** Elements that came while the drain requested them; they precede those that arrived since. The drain only. */
    private final GrowingQueue<T> answers = new GrowingQueue<>();

    private final Queue<OutgoingElement<T>> refused = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();
    private final Consumer<OutgoingElement<T>> answered = this::answered;
    private final SettledCount settled = new SettledCount();
    private final @Nullable ClassLoader loader = Thread.currentThread().getContextClassLoader();

    private volatile @Nullable Producer<byte[], byte[]> producer;
    /** Whether the sink has given up its own producer; later failures of that one mean nothing. */
    private volatile boolean brokenOff;

    // Only the drain touches these.
    private final GrowingQueue<OutgoingElement<T>> shipments = new GrowingQueue<>();
    private final ResendQueue<T> repetition;
    private @Nullable OutgoingElement<T> next;
    /** Of the shipments. */
    private long records;

    private long bytes;
    /** All records that were ever sent. */
    private long shippedRecords;

    private long shippedBytes;
    /** The settled records as of the last look; each look reads what another thread writes. */
    private long seenRecords;

    private long seenBytes;
    /** The thread of the drain, while it runs. */
    private @Nullable Thread drain;

    private int taken;
    private boolean stopping;
    private boolean interrupted;
    private long retried;
    private long skipped;

    SinkStage(ProducerSettings<K, V> settings, ElementShape<T, K, V, R> shape, StageRuntime machine) {
        this.settings = settings;
        this.shape = shape;
        this.machine = machine;
        this.prefetch = Math.min(PREFETCH, settings.maxInFlightRecords());
        this.repetition = new ResendQueue<>(machine.alarm(), this::signal);
    }

    /** Completes after the end, when the sink's own producer is closed. */
    CompletionStage<@Nullable Void> closed() {
        return closed;
    }

    @Override
    void run(Runnable drain) {
        machine.threads().execute(drain);
    }

    @Override
    public void onNext(T element) {
        Objects.requireNonNull(element, "element");
        if (isOver()) {
            return;
        }
        Thread thread = Thread.currentThread();
        if (thread.equals(drain) && arrived.isEmpty()) {
            answers.add(element);
            signalHere();
            return;
        }
        arrived.add(element);
        if (thread.isVirtual()) {
            signalHere();
        } else {
            signal();
        }
    }

    @Override
    void start() {
        producer = settings.open();
        pull(prefetch);
    }

    @Override
    void step() {
        drain = Thread.currentThread();
        try {
            work();
        } finally {
            drain = null;
            if (interrupted) {
                interrupted = false;
                Thread.currentThread().interrupt(); // It may be a thread of the user's.
            }
        }
    }

    private void work() {
        boolean last = isCompleted();
        boolean goesOn = true;
        while (goesOn && !isOver()) {
            // First: a record that the producer refuses at once stops the stream before the next one is sent.
            judge();
            repeat();
            goesOn = ship();
            goesOn |= confirm();
        }
        if (isOver()) {
            return;
        }
        if (last && next == null && shipments.isEmpty()) {
            complete();
            return;
        }
        if (taken >= Math.max(1, prefetch / 4)) {
            pull(taken);
            taken = 0;
        }
        await(last);
    }

    // ---------------------------------------------------------------- to the broker

    /** Sends the next element, if there is one and it has room. */
    private boolean ship() {
        if (repetition.isOn()) {
            return false;
        }
        if (next == null && !stopping) {
            T element = answers.peek();
            if (element == null) {
                element = arrived.poll();
            } else {
                answers.remove();
            }
            if (element != null) {
                taken++;
                next = pack(element);
            }
        }
        OutgoingElement<T> shipment = next;
        if (shipment == null || !fits(shipment)) {
            return false;
        }
        next = null;
        records += shipment.weight();
        bytes += shipment.bytes;
        shippedRecords += shipment.weight();
        shippedBytes += shipment.bytes;
        shipments.add(shipment);
        if (shipment.refusal == null) {
            send(shipment);
        } else {
            settled.add(shipment.weight(), shipment.bytes);
        }
        return true;
    }

    private void send(OutgoingElement<T> shipment) {
        interrupted |= shipment.send(Objects.requireNonNull(producer));
    }

    private boolean fits(OutgoingElement<T> shipment) {
        if (shipments.isEmpty()) {
            return true;
        }
        if (!fitsBehind(shipment)) {
            return false;
        }
        if (!fitsBeside(shipment)) {
            seenRecords = settled.records();
            seenBytes = settled.bytes();
        }
        return fitsBeside(shipment);
    }

    /** Whether it fits into the budgets together with what is in flight. */
    private boolean fitsBeside(OutgoingElement<T> shipment) {
        return shippedRecords - seenRecords + shipment.weight() <= settings.maxInFlightRecords()
                && shippedBytes - seenBytes + shipment.bytes <= settings.maxInFlightBytes();
    }

    /** Whether it fits into the budgets together with what waits to be emitted. */
    private boolean fitsBehind(OutgoingElement<T> shipment) {
        return records + shipment.weight() <= 2L * settings.maxInFlightRecords()
                && (bytes + shipment.bytes) / 2 <= settings.maxInFlightBytes();
    }

    /** Whether it is smaller than the budgets, so that it need not wait until everything else is settled. */
    private boolean isWithinLimits(OutgoingElement<T> shipment) {
        return shipment.weight() <= settings.maxInFlightRecords() && shipment.bytes <= settings.maxInFlightBytes();
    }

    private OutgoingElement<T> pack(T element) {
        List<ProducerRecord<K, V>> unpacked = shape.records(element);
        List<ProducerRecord<byte[], byte[]>> packed = new ArrayList<>(unpacked.size());
        long size = 0;
        try {
            for (ProducerRecord<K, V> record : unpacked) {
                ProducerRecord<byte[], byte[]> raw = settings.serialize(record);
                size += ProducerSettings.bytes(raw);
                packed.add(raw);
            }
        } catch (RuntimeException unserialisable) {
            OutgoingElement<T> refusal = OutgoingElement.of(element, List.of(), 0, answered);
            giveUp(refusal, unpacked.get(packed.size()), unserialisable, true);
            return refusal;
        }
        return OutgoingElement.of(element, packed, size, answered);
    }

    /** Usually on the producer's own thread, so it must be quick. */
    private void answered(OutgoingElement<T> shipment) {
        boolean news = true;
        Exception failure = shipment.failure();
        if (failure != null) {
            breakOff(failure);
            refused.add(shipment);
        } else {
            news = settled.add(shipment.weight(), shipment.bytes) || shipment.isAwaited();
        }
        if (news) {
            signal();
        }
    }

    // ---------------------------------------------------------------- from the broker

    /** Emits results, in order. Returns whether there was one. */
    private boolean confirm() {
        boolean any = false;
        OutgoingElement<T> head = shipments.peek();
        while (head != null && !isOver()) {
            SendFailedException refusal = head.refusal;
            if (refusal != null && head.stops) {
                fail(refusal);
                return true;
            }
            if ((refusal == null && !head.isAcknowledged()) || !hasDemand()) {
                break;
            }
            shipments.remove();
            records -= head.weight();
            bytes -= head.bytes;
            emit(refusal == null ? shape.sent(head) : shape.refused(head.element, refusal));
            any = true;
            head = shipments.peek();
        }
        return any;
    }

    /** Decides what happens to elements that the producer has given up. */
    private void judge() {
        for (OutgoingElement<T> shipment = refused.poll(); shipment != null; shipment = refused.poll()) {
            Exception cause = Objects.requireNonNull(shipment.failure());
            boolean own = SendFault.isOf(cause);
            boolean passes = SendFault.mayPass(cause);
            if (passes) {
                shipment.failures++;
            }
            if (passes && shipment.failures < settings.attempts(cause)) {
                again(shipment, cause);
            } else if (brokenOff && !own && !passes) {
                repetition.add(shipment, 0); // Its producer was given up because of another element.
            } else {
                giveUp(shipment, shape.records(shipment.element).get(shipment.refused()), cause, own);
                settled.add(shipment.weight(), shipment.bytes);
            }
        }
    }

    /**
     * Gives up the sink's own producer before it sends anything behind the record that failed: what waits in it is
     * refused and sent again by a new one. Usually on the producer's own thread.
     */
    private void breakOff(Exception failure) {
        Producer<byte[], byte[]> mine = producer;
        if (mine != null
                && settings.producer() == null
                && SendFault.mayPass(failure)
                && settings.attempts(failure) > 1
                && !brokenOff) {
            brokenOff = true;
            mine.close(Duration.ZERO);
        }
    }

    /** Sends refused elements again, when everything is answered and their delay has passed. */
    private void repeat() {
        if (!repetition.isOn() || onTheirWay() > 0 || !repetition.isDue()) {
            return;
        }
        Producer<byte[], byte[]> before = producer;
        if (brokenOff && before != null) {
            producer = settings.reopen(before, loader);
            brokenOff = false;
        }
        repetition.send(shipments, this::send);
        shippedRecords += repetition.moreRecords();
        shippedBytes += repetition.moreBytes();
    }

    private long onTheirWay() {
        return shippedRecords - settled.records() - repetition.records();
    }

    private void again(OutgoingElement<T> shipment, Exception cause) {
        Duration delay = settings.pause(cause, shipment.failures, machine.random());
        if (isRare(++retried)) {
            log.warn(
                    "attempt {} to send failed; next in {} (the {}th of this sink)",
                    shipment.attempts,
                    delay,
                    retried,
                    cause);
        }
        repetition.add(shipment, delay.toNanos());
    }

    /** @param own whether the record itself is at fault; only then the element may be skipped */
    private void giveUp(OutgoingElement<T> shipment, ProducerRecord<K, V> record, Exception cause, boolean own) {
        FailurePolicy applies = settings.onFailure().forFailure(cause);
        shipment.refusal = new SendFailedException(record, Math.max(1, shipment.attempts), cause);
        if (own && applies.last() instanceof FailurePolicy.Last.Skip) {
            if (isRare(++skipped)) {
                log.warn("skipped an element that cannot be sent (the {}th of this sink)", skipped, shipment.refusal);
            }
        } else {
            shipment.stops = true;
            // The stream ends here, so later elements are not sent.
            stopping = true;
        }
    }

    // ---------------------------------------------------------------- until there is more to do

    /** Decides which answers start the drain again. */
    private void await(boolean last) {
        if (repetition.isOn()) {
            if (repetition.isTimed()) {
                settled.awaitNothing();
            } else if (settled.await(shippedRecords - repetition.records())) {
                signal();
            }
            return;
        }
        OutgoingElement<T> blocked = next;
        boolean forRoom = blocked != null && fitsBehind(blocked) && isWithinLimits(blocked);
        boolean forTheHead = hasDemand() && (shape.isAwaited() || last || (blocked != null && !forRoom));
        OutgoingElement<T> head = forTheHead ? shipments.peek() : null;
        long onTheirWay = shippedRecords - settled.records();
        boolean come = false;
        if (onTheirWay == 0 || !(forRoom || last)) {
            settled.awaitNothing();
        } else {
            // Room for a part is enough: the rest is still in flight.
            long part = forRoom ? Math.max(1, onTheirWay / ROOM) : onTheirWay;
            come = settled.await(shippedRecords - onTheirWay + part);
        }
        // Checked last, because its answer may have been the last one in flight. To wait for the end, only the last
        // answer matters.
        come |= head != null && ((shape.isAwaited() || !last) ? head.await() : head.isAnswered());
        if (come || (blocked != null && forRoom && fits(blocked))) {
            signal(); // The answer came between the look and the wish.
        }
    }

    @Override
    void release() {
        repetition.forget();
        shipments.clear();
        arrived.clear();
        answers.clear();
        next = null;
        settled.awaitNothing();
        Producer<byte[], byte[]> mine = producer;
        if (mine == null) {
            closed.complete(null);
        } else {
            producer = null;
            machine.threads().execute(() -> close(mine));
        }
    }

    /** May block until records in flight are answered. */
    private void close(Producer<byte[], byte[]> mine) {
        try {
            settings.close(mine);
            closed.complete(null);
        } catch (Throwable failure) {
            log.warn("the producer of a sink did not close", failure);
            closed.completeExceptionally(failure);
        }
    }
}
