package dev.laneway.bench.measure;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/** Limits the records in flight, and keeps the first failure. Thread-safe. */
public final class Acknowledged implements Callback {
    private final Semaphore inFlight;
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

    public Acknowledged(int inFlight) {
        this.inFlight = new Semaphore(inFlight);
    }

    /** Waits until one more may be sent. */
    public void await() throws InterruptedException {
        inFlight.acquire();
    }

    /** Waits until no record is in flight. */
    public void awaitAll(int most, long time, TimeUnit unit) throws InterruptedException {
        if (!inFlight.tryAcquire(most, time, unit)) {
            throw new IllegalStateException("not all records were acknowledged in time");
        }
        inFlight.release(most);
    }

    @Override
    public void onCompletion(@Nullable RecordMetadata metadata, @Nullable Exception failed) {
        inFlight.release();
        if (failed != null) {
            failure.compareAndSet(null, failed);
        }
    }

    /** Throws when a record was refused. */
    public void check() {
        Exception failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("a record was not acknowledged", failed);
        }
    }
}
