package dev.laneway.stream;

import java.util.concurrent.Flow;

/** How a publisher refuses a subscriber: rule 1.4 asks for a subscription before the error. */
final class SubscriptionRefusal implements Flow.Subscription {
    private static final SubscriptionRefusal NOTHING = new SubscriptionRefusal();

    private SubscriptionRefusal() {}

    static void to(Flow.Subscriber<?> subscriber, Throwable why) {
        subscriber.onSubscribe(NOTHING);
        subscriber.onError(why);
    }

    @Override
    public void request(long elements) {
        // Nothing comes but the error.
    }

    @Override
    public void cancel() {
        // Nothing to end.
    }
}
