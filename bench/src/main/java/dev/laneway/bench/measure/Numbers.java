package dev.laneway.bench.measure;

import java.util.concurrent.Flow;

/** Publishes the numbers from 0 on, on request. For one subscriber, which requests from one thread. */
public final class Numbers implements Flow.Publisher<Long> {
    private final long end;

    public Numbers(long end) {
        this.end = end;
    }

    @Override
    public void subscribe(Flow.Subscriber<? super Long> subscriber) {
        subscriber.onSubscribe(new Counting(subscriber, end));
    }

    private static final class Counting implements Flow.Subscription {
        private final Flow.Subscriber<? super Long> subscriber;
        private final long end;
        private long next;
        private long demand;
        private boolean running;
        private boolean cancelled;

        Counting(Flow.Subscriber<? super Long> subscriber, long end) {
            this.subscriber = subscriber;
            this.end = end;
        }

        /** May be called within onNext: then it only adds demand, which the running loop serves. */
        @Override
        public void request(long more) {
            synchronized (this) {
                demand = demand + more < 0 ? Long.MAX_VALUE : demand + more;
                if (running) {
                    return;
                }
                running = true;
            }
            while (true) {
                long upTo;
                synchronized (this) {
                    if (demand == 0 || cancelled || next >= end) {
                        running = false;
                        break;
                    }
                    upTo = Math.min(end, next + demand);
                    demand -= upTo - next;
                }
                while (next < upTo && !isCancelled()) {
                    subscriber.onNext(next++);
                }
            }
            if (next >= end && !isCancelled()) {
                cancel();
                subscriber.onComplete();
            }
        }

        private synchronized boolean isCancelled() {
            return cancelled;
        }

        @Override
        public synchronized void cancel() {
            cancelled = true;
        }
    }
}
