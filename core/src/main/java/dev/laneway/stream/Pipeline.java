package dev.laneway.stream;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * The stages of a stream that have not ended. Stages normally end each other by signals, but a stage that still
 * finishes what it holds after its neighbours have ended must be ended from here. Thread-safe.
 */
final class Pipeline {
    /** The pipeline of the outer stream; null if this stream is not an element of another one. */
    private final @Nullable Pipeline outer;

    /** In the order of their start, so that a simulated run repeats exactly. */
    private final Set<Operator<?, ?>> stages = Collections.synchronizedSet(new LinkedHashSet<>());

    private volatile @Nullable Throwable failure;

    Pipeline() {
        this(null);
    }

    Pipeline(@Nullable Pipeline outer) {
        this.outer = outer;
    }

    void add(Operator<?, ?> stage) {
        stages.add(stage);
        if (outer != null) {
            outer.add(stage);
        }
        Throwable cause = failure;
        if (cause != null) {
            stage.abort(cause);
        }
    }

    /** It has ended. */
    void remove(Operator<?, ?> stage) {
        stages.remove(stage);
        if (outer != null) {
            outer.remove(stage);
        }
    }

    /** Which of them can take no more, and why, in words; empty where all can. Never waits. */
    String fullStages() {
        StringJoiner full = new StringJoiner(", ");
        for (Operator<?, ?> stage : stages.toArray(new Operator<?, ?>[0])) {
            String why = stage.fullness();
            if (!why.isEmpty()) {
                full.add(why);
            }
        }
        return full.toString();
    }

    /** Ends all stages, those of inner streams, and those that are added later. */
    void abort(Throwable cause) {
        failure = cause;
        // A copy: each leaves the set when it ends.
        List.of(stages.toArray(new Operator<?, ?>[0])).forEach(stage -> stage.abort(cause));
    }
}
