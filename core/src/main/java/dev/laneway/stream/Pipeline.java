package dev.laneway.stream;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The stages of a stream that have not ended. They end each other by signals, but for those whose neighbours have ended
 * before: a stage that finishes what it holds hears of nothing above it. Thread-safe.
 */
final class Pipeline {
    /** The pipeline whose elements are streams, of which this is one. */
    private final @Nullable Pipeline outer;

    /** In the order of their beginning, in which they are ended: a simulated run must repeat. */
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

    /** Ends all stages and those of the streams inside, those that come yet included. */
    void abort(Throwable cause) {
        failure = cause;
        // A copy: each leaves the set when it ends.
        List.of(stages.toArray(new Operator<?, ?>[0])).forEach(stage -> stage.abort(cause));
    }
}
