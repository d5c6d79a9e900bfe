package dev.laneway.ops.compare;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * How fast Kubernetes' HorizontalPodAutoscaler follows what its formula says, by its defaults: upwards at once, in 15
 * seconds by as many replicas again or by 4, whichever is more; downwards to the largest number of the last five
 * minutes. Used by one thread.
 */
final class ReplicaBehavior {
    /** Time between two decisions: the controller manager's default. */
    static final double SYNC_SECONDS = 15;

    private static final double DOWN_SECONDS = 300;
    private static final int LEAST_STEP = 4;

    private final int most;
    private final Deque<Wish> wishes = new ArrayDeque<>();

    /** What the formula said at a time. */
    private record Wish(double seconds, int replicas) {}

    ReplicaBehavior(int most) {
        this.most = most;
    }

    /** The number of replicas from now on; called each {@link #SYNC_SECONDS}. */
    int next(double seconds, int replicas, int wished) {
        wishes.addLast(new Wish(seconds, wished));
        while (wishes.getFirst().seconds < seconds - DOWN_SECONDS) {
            wishes.removeFirst();
        }
        int largest = wishes.stream().mapToInt(Wish::replicas).max().orElse(wished);
        int stable = wished > replicas ? wished : Math.min(replicas, largest);
        int step = Math.max(replicas, LEAST_STEP);
        return Math.clamp(Math.min(stable, replicas + step), 1, most);
    }
}
