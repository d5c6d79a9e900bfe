package dev.laneway.ops.compare;

import dev.laneway.ops.simulate.Controller;
import dev.laneway.ops.simulate.DetailedController;
import dev.laneway.ops.simulate.GroupDetail;
import dev.laneway.ops.simulate.Tick;

/**
 * KEDA's Kafka trigger: it reports the lag, and a HorizontalPodAutoscaler scales by it as an average value. At least
 * one replica. Used by one thread.
 */
final class LagReplicas implements DetailedController {
    private final long threshold;
    private final ReplicaBehavior behavior = new ReplicaBehavior(LoadCases.MOST_MEMBERS);

    LagReplicas(long threshold) {
        this.threshold = threshold;
    }

    @Override
    public Controller.Decision decide(Tick tick, GroupDetail detail) {
        int replicas = tick.requestedMembers();
        if (!Clock.strikes(tick, ReplicaBehavior.SYNC_SECONDS)) {
            return new Controller.Decision(replicas, tick.concurrency());
        }
        long[] lags = new long[detail.partitions()];
        for (int partition = 0; partition < lags.length; partition++) {
            lags[partition] = detail.appended(partition) - detail.done(partition);
        }
        long lag = ReplicaFormula.reportedLag(lags, threshold, false, false);
        int wished = ReplicaFormula.byAverageValue(replicas, (double) lag, (double) threshold);
        return new Controller.Decision(behavior.next(tick.seconds(), replicas, wished), tick.concurrency());
    }
}
