package dev.laneway.stream;

import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;

/** Sends the numbers from 0 on, on request. A subscription of a publisher for tests. */
final class Numbers implements Flow.Subscription {
    private final long end;
    private final AtomicLong requested = new AtomicLong();
    private volatile Flow.Subscriber<? super Integer> subscriber;
    private long next;

    Numbers(long end, Flow.Subscriber<? super Integer> subscriber) {
        this.end = end;
        this.subscriber = subscriber;
    }

    static Flow.Publisher<Integer> to(long end) {
        return subscriber -> subscriber.onSubscribe(new Numbers(end, subscriber));
    }

    @Override
    public void request(long elements) {
        Flow.Subscriber<? super Integer> below = subscriber;
        if (below == null) {
            return;
        }
        if (elements <= 0) {
            subscriber = null;
            below.onError(new IllegalArgumentException("request(" + elements + "), against rule 3.9"));
            return;
        }
        if (requested.getAndUpdate(before -> before + elements < 0 ? Long.MAX_VALUE : before + elements) > 0) {
            return;
        }
        long sent = 0;
        do {
            for (long asked = requested.get(); sent < asked && subscriber != null; sent++) {
                if (next == end) {
                    break;
                }
                below.onNext((int) next++);
            }
            if (next == end && subscriber != null) {
                subscriber = null;
                below.onComplete();
            }
        } while (subscriber != null && requested.addAndGet(-sent) > 0 && (sent = 0) == 0);
    }

    @Override
    public void cancel() {
        subscriber = null;
    }
}
