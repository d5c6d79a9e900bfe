package dev.laneway.ops.compare;

import dev.laneway.ops.simulate.Controller;
import dev.laneway.ops.simulate.DetailedController;
import dev.laneway.ops.simulate.GroupDetail;
import dev.laneway.ops.simulate.Tick;

/** A HorizontalPodAutoscaler by processor use. Used by one thread. */
final class CpuReplicas implements DetailedController {
    /** What the metrics server averages over. */
    private static final double WINDOW_SECONDS = 30;

    private final double target;
    private final double cpuSeconds;
    private final Readings readings = new Readings(WINDOW_SECONDS);
    private final ReplicaBehavior behavior = new ReplicaBehavior(LoadCases.MOST_MEMBERS);

    CpuReplicas(double target, double cpuSeconds) {
        this.target = target;
        this.cpuSeconds = cpuSeconds;
    }

    @Override
    public Controller.Decision decide(Tick tick, GroupDetail detail) {
        readings.add(tick, detail);
        Readings.Rates rates = readings.over(WINDOW_SECONDS);
        int replicas = tick.requestedMembers();
        if (!Clock.strikes(tick, ReplicaBehavior.SYNC_SECONDS) || rates.seconds() <= 0) {
            return new Controller.Decision(replicas, tick.concurrency());
        }
        int ready = Math.min(tick.members(), replicas);
        double use = rates.process() * cpuSeconds / tick.members();
        int wished = ReplicaFormula.byUse(ready, replicas - ready, use, target);
        return new Controller.Decision(behavior.next(tick.seconds(), replicas, wished), tick.concurrency());
    }
}
