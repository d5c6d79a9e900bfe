package dev.laneway.stream;

import java.util.concurrent.Flow;

/** The subscription of a refused subscriber: rule 1.4 requires one before the error. */
final class SubscriptionRefusal implements Flow.Subscription {
    private static final SubscriptionRefusal NOTHING = new SubscriptionRefusal();

    private SubscriptionRefusal() {}

    static void to(Flow.Subscriber<?> subscriber, Throwable why) {
        subscriber.onSubscribe(NOTHING);
        subscriber.onError(why);
    }

    @Override
    public void request(long elements) {
        // Only the error is sent.
    }

    @Override
    public void cancel() {
        // Nothing to end.
    }
}
