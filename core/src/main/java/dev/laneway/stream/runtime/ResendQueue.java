package dev.laneway.stream.runtime;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a sink sends again, in order. Until then no new element is sent, and everything in flight is answered first.
 * Acknowledged records behind a refused one of the same key are sent again too, so that a key's records end in order,
 * possibly with duplicates. The drain only.
 */
public final class ResendQueue<T> {
    private final StreamTimer alarm;
    private final Runnable signal;
    private boolean on;
    private long records;
    private long delayNanos;
    private @Nullable Runnable forget;
    private volatile boolean due;
    private long moreRecords;
    private long moreBytes;

    public ResendQueue(StreamTimer alarm, Runnable signal) {
        this.alarm = alarm;
        this.signal = signal;
    }

    /** Whether something waits to be sent again; then nothing else is sent. */
    public boolean isOn() {
        return on;
    }

    /** How many records wait. */
    public long records() {
        return records;
    }

    /** Adds an element to send again, not before the delay has passed. */
    public void add(OutgoingElement<T> shipment, long afterNanos) {
        on = true;
        shipment.again = true;
        records += shipment.weight();
        delayNanos = Math.max(delayNanos, afterNanos);
    }

    /** Whether the delay has started. */
    public boolean isTimed() {
        return forget != null || due;
    }

    /**
     * Called when everything in flight is answered. Returns whether the delay has passed; starts it if it has not
     * started.
     */
    public boolean isDue() {
        if (!due && forget == null) {
            if (delayNanos == 0) {
                due = true;
            } else {
                forget = alarm.in(delayNanos, () -> {
                    due = true;
                    signal.run();
                });
            }
        }
        return due;
    }

    /**
     * Sends again, in order, up to one whose failure ends the stream.
     *
     * @param send sends one
     */
    public void send(GrowingQueue<OutgoingElement<T>> shipments, Consumer<OutgoingElement<T>> send) {
        on = false;
        due = false;
        forget = null;
        delayNanos = 0;
        moreRecords = 0;
        moreBytes = 0;
        Set<OutgoingElement.Key> lost = new HashSet<>();
        for (int i = 0; i < shipments.size(); i++) {
            OutgoingElement<T> shipment = shipments.get(i);
            if (shipment.stops) {
                break;
            }
            if (shipment.refusal != null) {
                continue;
            }
            boolean reopened = shipment.reopen(lost);
            if (shipment.again) {
                shipment.again = false;
                records -= shipment.weight();
            } else if (reopened) {
                moreRecords += shipment.weight();
                moreBytes += shipment.bytes;
            } else {
                continue;
            }
            send.accept(shipment);
        }
    }

    /** How many records {@link #send} sent again although they had been acknowledged. */
    public long moreRecords() {
        return moreRecords;
    }

    public long moreBytes() {
        return moreBytes;
    }

    public void forget() {
        Runnable timed = forget;
        if (timed != null) {
            timed.run();
        }
    }
}
