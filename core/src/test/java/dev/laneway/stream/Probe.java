package dev.laneway.stream;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A subscriber that a test controls; notes what it gets, and violations of the specification. Thread-safe. */
public final class Probe<T> implements Flow.Subscriber<T> {
    private final long first;
    private final Consumer<T> onNext;
    private final List<T> elements = new CopyOnWriteArrayList<>();
    private final List<String> violations = new CopyOnWriteArrayList<>();
    private final AtomicInteger inside = new AtomicInteger();
    private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();
    private final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();
    private long requested;

    public Probe(long first, Consumer<T> onNext) {
        this.first = first;
        this.onNext = onNext;
    }

    /** Requests this many at once, and more when the test says so. */
    public static <T> Probe<T> asking(long first) {
        return new Probe<>(first, element -> {});
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
        enter("onSubscribe");
        subscription.complete(given);
        if (first > 0) {
            request(first);
        }
        inside.decrementAndGet();
    }

    @Override
    public void onNext(T element) {
        enter("onNext");
        synchronized (this) {
            if (elements.size() >= requested) {
                violations.add("onNext beyond the demand of " + requested);
            }
        }
        if (end.isDone()) {
            violations.add("onNext after the end");
        }
        elements.add(element);
        try {
            onNext.accept(element);
        } catch (RuntimeException thrown) {
            violations.add("the test's own onNext threw " + thrown);
            throw thrown;
        }
        inside.decrementAndGet();
    }

    @Override
    public void onError(Throwable failure) {
        enter("onError");
        if (!end.completeExceptionally(failure)) {
            violations.add("onError after the end");
        }
        inside.decrementAndGet();
    }

    @Override
    public void onComplete() {
        enter("onComplete");
        if (!end.complete(null)) {
            violations.add("onComplete after the end");
        }
        inside.decrementAndGet();
    }

    private void enter(String signal) {
        if (inside.incrementAndGet() > 1 && !signal.equals("onNext")) {
            violations.add(signal + " beside another signal");
        }
        if (!signal.equals("onSubscribe") && !subscription.isDone()) {
            violations.add(signal + " before onSubscribe");
        }
    }

    public void request(long more) {
        synchronized (this) {
            requested = requested + more < 0 ? Long.MAX_VALUE : requested + more;
        }
        subscription.join().request(more);
    }

    public void cancel() {
        subscription.join().cancel();
    }

    public List<T> elements() {
        return new ArrayList<>(elements);
    }

    public int size() {
        return elements.size();
    }

    /** How the stream ended, when it has. */
    public CompletableFuture<@Nullable Void> end() {
        return end;
    }

    public List<String> violations() {
        return violations;
    }
}
