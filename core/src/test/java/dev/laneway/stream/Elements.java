package dev.laneway.stream;

import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Flow;

/** Publishes the elements of a list to one subscriber, on the thread that asks. */
final class Elements<T> implements Flow.Publisher<T> {
    private final List<T> elements;

    Elements(List<T> elements) {
        this.elements = elements;
    }

    @Override
    public void subscribe(Flow.Subscriber<? super T> subscriber) {
        Iterator<T> left = elements.iterator();
        subscriber.onSubscribe(new Flow.Subscription() {
            private long asked;
            private boolean busy;

            @Override
            public void request(long more) {
                asked = asked + more < 0 ? Long.MAX_VALUE : asked + more;
                if (busy) {
                    return;
                }
                busy = true;
                while (asked > 0 && left.hasNext()) {
                    asked--;
                    subscriber.onNext(left.next());
                }
                busy = false;
                if (!left.hasNext()) {
                    subscriber.onComplete();
                }
            }

            @Override
            public void cancel() {
                asked = 0;
            }
        });
    }
}
