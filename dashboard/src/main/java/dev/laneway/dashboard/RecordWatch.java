package dev.laneway.dashboard;

import dev.laneway.LanewayObserver;
import dev.laneway.dashboard.Frame.Details;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Lets a page show single records: how long they wait and take, which are unfinished for longest, after how many
 * attempts, with which failure; which keys are busiest, and what became dead letters. Give it to the consumer and to
 * its page:
 *
 * <pre>{@code
 * RecordWatch records = new RecordWatch();
 * Laneway laneway = Laneway.consumer(config).subscribe("orders").observer(records).process(handler);
 * Dashboard.of(laneway).records(records).start();
 * }</pre>
 *
 * <p>It costs two entries in maps for an attempt, and readings of the clock; beyond 20,000 attempts a second it looks
 * at 1 in 64. Handlers of batches are not watched. Of one consumer. Thread-safe.
 */
public final class RecordWatch implements LanewayObserver.Factory {
    private final List<AttemptTrail> trails = new CopyOnWriteArrayList<>();
    private volatile boolean showsStacks;
    private volatile boolean showsKeys;
    private volatile boolean showsHeaders;

    /** Nothing is known until a consumer is started with it. */
    public RecordWatch() {}

    /**
     * Shows where the worker of a record is that is unfinished for a second or more: the names of classes and methods,
     * which everybody then reads who may read the page. Default: not shown.
     */
    public RecordWatch showStacks() {
        showsStacks = true;
        return this;
    }

    /** Shows busy keys themselves, as text or hexadecimal digits. Default: the first 64 bits of their SHA-256. */
    public RecordWatch showKeys() {
        showsKeys = true;
        return this;
    }

    /**
     * Shows the values of all headers of dead letters, the failure's message and stack among them. Default: those of
     * Laneway's own that hold nothing of a record, and the names of the others.
     */
    public RecordWatch showHeaders() {
        showsHeaders = true;
        return this;
    }

    @Override
    public LanewayObserver observe(LanewayObserver.Subject consumer) {
        AttemptTrail trail = new AttemptTrail(System::nanoTime, System::currentTimeMillis);
        trails.clear(); // A consumer that is started again has a trail of its own.
        trails.add(trail);
        return trail;
    }

    Details details() {
        List<Frame.Latency> latencies = new ArrayList<>();
        List<Frame.Unfinished> unfinished = new ArrayList<>();
        List<Frame.BusyKey> keys = new ArrayList<>();
        List<Frame.DeadLetter> letters = new ArrayList<>();
        for (AttemptTrail trail : trails) {
            latencies.addAll(trail.latencies());
            unfinished.addAll(trail.unfinished(showsStacks));
            keys.addAll(trail.busyKeys(showsKeys));
            letters.addAll(trail.deadLetters(showsHeaders));
        }
        return new Details(latencies, unfinished, keys, letters);
    }
}
