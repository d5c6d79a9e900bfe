package dev.laneway.engine.handle;

import dev.laneway.engine.runtime.ObservedAttempt;
import dev.laneway.engine.track.DeadLetter;
import dev.laneway.engine.track.OutgoingRecords;
import dev.laneway.engine.track.Track;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.ApiException;
import org.jspecify.annotations.Nullable;

/**
 * Sends what records emit, and dead letters, through one idempotent producer that is made when it is first needed.
 * Thread-safe.
 */
public final class Outbox {
    /** How long after a producer was given up no other is made. */
    private static final long PAUSE_NANOS = 5_000_000_000L;

    private final Supplier<? extends Producer<byte[], byte[]>> supplier;
    private final @Nullable String group;
    private final OutgoingTopics outgoing = new OutgoingTopics();
    private volatile @Nullable ProbedProducer line;
    private boolean closed;
    /** Why the latest producer was given up; null once another may be made. */
    private @Nullable ApiException refused;

    private long refusedNanos;

    public Outbox(Supplier<? extends Producer<byte[], byte[]>> supplier, @Nullable String group) {
        this.supplier = supplier;
        this.group = group;
    }

    /** What is on its way, by transactions of the member, too. */
    public OutgoingTopics outgoing() {
        return outgoing;
    }

    /** Makes the producer now. */
    public Producer<byte[], byte[]> open() {
        return line().producer();
    }

    /**
     * Makes a producer and ends it: a wrong configuration fails at start. It is not kept, since one that gets no id
     * from the brokers asks for it without a pause, and many never need it.
     */
    public boolean check() {
        supplier.get().close(Duration.ZERO);
        return true;
    }

    private ProbedProducer line() {
        ProbedProducer made = line;
        return made == null ? make() : made;
    }

    private synchronized ProbedProducer make() {
        if (closed) {
            // A handler that outlived the close: nobody would close a producer that were made for it.
            throw new IllegalStateException("the consumer has ended and sends nothing any more");
        }
        ProbedProducer made = line;
        if (made == null && refused != null) {
            throw refused;
        }
        if (made == null) {
            made = new ProbedProducer(supplier.get(), outgoing);
            line = made;
        }
        return made;
    }

    /** Gives up a producer that is of no use any more. What is sent after a pause has another made. The owner only. */
    public void look(long nowNanos) {
        ProbedProducer useless;
        synchronized (this) {
            if (refused != null && nowNanos - refusedNanos >= PAUSE_NANOS) {
                refused = null;
            }
            useless = line;
            if (useless == null || closed || !useless.isUseless()) {
                return;
            }
            refused = useless.reason();
            refusedNanos = nowNanos;
            line = null;
        }
        useless.giveUp();
    }

    /**
     * Sends a delivery. May wait for room in the producer's buffer: that is the back-pressure of a slow broker.
     *
     * @param answered called once, by any thread, when every output was acknowledged or refused
     */
    void send(OutgoingRecords delivery, Consumer<OutgoingRecords> answered) {
        List<ProducerRecord<byte[], byte[]>> outputs = delivery.outputs;
        delivery.attempt++;
        delivery.failure = null;
        // One more than there are outputs, so that no answer is the last before the loop has ended.
        delivery.unanswered.set(outputs.size() + 1);
        delivery.refused = new boolean[outputs.size()];
        for (int i = 0; i < outputs.size(); i++) {
            int position = i;
            ProbedProducer through = null;
            // Whatever set the flag (an interceptor, the pool of the user's executor): the producer would not wait.
            Thread.interrupted();
            try {
                through = line();
                through.send(delivery, outputs.get(i), failure -> answer(delivery, position, failure, answered));
            } catch (RuntimeException failure) {
                answer(delivery, position, through == null ? failure : through.meant(failure), answered);
            }
        }
        Thread.interrupted();
        answer(delivery, -1, null, answered);
    }

    private static void answer(
            OutgoingRecords delivery, int position, @Nullable Exception failure, Consumer<OutgoingRecords> answered) {
        if (failure != null) {
            delivery.refused[position] = true; // Each answer has its own place; the count below publishes it.
            delivery.failure = failure;
        }
        if (delivery.unanswered.decrementAndGet() == 0) {
            delivery.keepRefused();
            answered.accept(delivery);
        }
    }

    /** What a record emits, if anything, and its dead letter; of an attempt that this one listens to. */
    OutgoingRecords deadLetter(
            Track track,
            List<ProducerRecord<byte[], byte[]>> emitted,
            DeadLetter letter,
            @Nullable ObservedAttempt observed) {
        return new OutgoingRecords(track, emitted, letter, group, observed);
    }

    /** Ends the producer, for good; what is not acknowledged by then is given up. */
    public void close(Duration limit) {
        synchronized (this) {
            closed = true;
        }
        ProbedProducer made = line;
        if (made != null) {
            made.producer()
                    .close(limit); // Without the monitor: whoever sends meanwhile is refused by the producer itself.
        }
    }
}
