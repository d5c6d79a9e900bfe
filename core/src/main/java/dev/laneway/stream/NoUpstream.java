package dev.laneway.stream;

import java.util.concurrent.Flow;

/** What a stage is subscribed to that is a source itself. */
enum NoUpstream implements Flow.Subscription {
    HERE;

    /** A source of what the stage delivers. */
    static <R> Source<R> source(Operator<Object, R> stage, SourceControl control) {
        return new Source<>(
                subscriber -> {
                    stage.within(control);
                    stage.onSubscribe(HERE);
                    stage.subscribe(subscriber);
                },
                control);
    }

    @Override
    public void request(long elements) {
        // Demand is looked at, not passed on.
    }

    @Override
    public void cancel() {
        // The stage ends what it delivers from.
    }
}
