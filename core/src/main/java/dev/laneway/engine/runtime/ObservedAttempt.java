package dev.laneway.engine.runtime;

import dev.laneway.LanewayObserver;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * An attempt that observers listen to: the last of them, and those before it. What they throw ends here, and what they
 * are to run around runs once, whatever they do. Thread-safe.
 */
public final class ObservedAttempt {
    private final ObserverCalls calls;
    private final @Nullable ObservedAttempt before;
    private final LanewayObserver.Attempt own;
    /** A stage may complete when its attempt has ended by the limit. */
    private final AtomicBoolean over = new AtomicBoolean();

    ObservedAttempt(ObserverCalls calls, @Nullable ObservedAttempt before, LanewayObserver.Attempt own) {
        this.calls = calls;
        this.before = before;
        this.own = own;
    }

    /** Runs the handler within all of them, the first one outermost. */
    public void run(Runnable handler) {
        ObservedAttempt outer = before;
        if (outer == null) {
            around(handler);
        } else {
            outer.run(() -> around(handler));
        }
    }

    private void around(Runnable handler) {
        SingleRun.within("Attempt.around", own::around, handler, calls);
    }

    /** As {@link LanewayObserver.Attempt#returned}. */
    public void returned() {
        if (before != null) {
            before.returned();
        }
        try {
            own.returned();
        } catch (Throwable failure) {
            calls.failed("Attempt.returned", failure);
        }
    }

    /** As {@link LanewayObserver.Attempt#ended}; only the first call counts. */
    public void ended(@Nullable Throwable cause) {
        if (before != null) {
            before.ended(cause);
        }
        if (over.compareAndSet(false, true)) {
            try {
                own.ended(cause);
            } catch (Throwable failure) {
                calls.failed("Attempt.ended", failure);
            }
        }
    }

    // ---------------------------------------------------------------- what it sends

    /**
     * Sends an output of the attempt, or its dead letter; what the producer throws comes out. The record itself stays
     * as it is: its user may send it again, and Kafka's producer locks the headers of what it is given.
     */
    public void send(
            Producer<byte[], byte[]> producer,
            ConsumerRecord<byte[], byte[]> record,
            ProducerRecord<byte[], byte[]> output,
            Callback answered) {
        Headers headers = new RecordHeaders(output.headers().toArray());
        ProducerRecord<byte[], byte[]> copy = new ProducerRecord<>(
                output.topic(), output.partition(), output.timestamp(), output.key(), output.value(), headers);
        send(record, copy, answered, callback -> {
            var _ = producer.send(copy, callback); // The callback tells what the future would.
        });
    }

    private void send(
            ConsumerRecord<byte[], byte[]> record,
            ProducerRecord<byte[], byte[]> copy,
            Callback answered,
            Consumer<Callback> sender) {
        ObservedAttempt outer = before;
        if (outer == null) {
            sendWithin(record, copy, answered, sender);
        } else {
            outer.send(record, copy, answered, callback -> sendWithin(record, copy, callback, sender));
        }
    }

    private void sendWithin(
            ConsumerRecord<byte[], byte[]> record,
            ProducerRecord<byte[], byte[]> copy,
            Callback answered,
            Consumer<Callback> sender) {
        LanewayObserver.Sending sending = sends(record, copy);
        if (sending == null) {
            sender.accept(answered);
            return;
        }
        Callback told = (metadata, failure) -> {
            sent(sending, failure);
            answered.onCompletion(metadata, failure);
        };
        try {
            SingleRun.within("Sending.around", sending::around, () -> sender.accept(told), calls);
        } catch (RuntimeException notTaken) {
            sent(sending, notTaken);
            throw notTaken;
        }
    }

    private LanewayObserver.@Nullable Sending sends(
            ConsumerRecord<byte[], byte[]> record, ProducerRecord<byte[], byte[]> copy) {
        try {
            return own.sends(record, copy);
        } catch (Throwable failure) {
            calls.failed("Attempt.sends", failure);
            return null;
        }
    }

    private void sent(LanewayObserver.Sending sending, @Nullable Exception answer) {
        try {
            sending.ended(answer);
        } catch (Throwable failure) {
            calls.failed("Sending.ended", failure);
        }
    }
}
