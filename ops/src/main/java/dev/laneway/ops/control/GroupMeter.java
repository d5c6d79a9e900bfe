package dev.laneway.ops.control;

import dev.laneway.ops.scale.ScalingMetrics;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Measures a group. Used by the thread of one loop. */
public interface GroupMeter extends AutoCloseable {
    /**
     * Measures now, as far as that works.
     *
     * @param view what the actor sees
     */
    Reading read(ActorView view);

    /** Members have been asked for, or sent away, just now: what the group does to take that in is no fault of it. */
    default void changed() {}

    @Override
    void close();

    /**
     * The latest that is known. Immutable.
     *
     * @param metrics the latest metrics, perhaps of an earlier time; null before the first
     * @param ageNanos how old they are, by a clock that does not leap
     * @param troubles what could not be measured now and why, in sentences
     */
    record Reading(@Nullable ScalingMetrics metrics, long ageNanos, List<String> troubles) {
        /** Copies the list. */
        public Reading {
            troubles = List.copyOf(troubles);
        }
    }
}
