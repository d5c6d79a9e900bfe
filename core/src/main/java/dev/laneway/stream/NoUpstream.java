package dev.laneway.stream;

import java.util.concurrent.Flow;

/** The upstream subscription of a stage that is itself a source. */
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
        // The stage itself serves the demand.
    }

    @Override
    public void cancel() {
        // The stage itself ends what it delivers from.
    }
}
