package dev.laneway.dashboard;

import dev.laneway.LanewayObserver;
import dev.laneway.dashboard.Frame.Details;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Lets a page show single records: how long they wait and take, which are unfinished for longest, after how many
 * attempts, with which failure. Give it to the consumer and to its page:
 *
 * <pre>{@code
 * RecordWatch records = new RecordWatch();
 * Laneway laneway = Laneway.consumer(config).subscribe("orders").observer(records).process(handler);
 * Dashboard.of(laneway).records(records).start();
 * }</pre>
 *
 * <p>It costs an entry in a map while an attempt runs, and readings of the clock; where attempts follow each other
 * without a pause it looks at 1 in 64. Handlers of batches are not watched. Of one consumer. Thread-safe.
 */
public final class RecordWatch implements LanewayObserver.Factory {
    private final List<AttemptTrail> trails = new CopyOnWriteArrayList<>();
    private volatile boolean showsStacks;

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
        for (AttemptTrail trail : trails) {
            latencies.addAll(trail.latencies());
            unfinished.addAll(trail.unfinished(showsStacks));
        }
        return new Details(latencies, unfinished);
    }
}
