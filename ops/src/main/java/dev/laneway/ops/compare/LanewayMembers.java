package dev.laneway.ops.compare;

import dev.laneway.ops.check.Cause;
import dev.laneway.ops.check.CheckResult;
import dev.laneway.ops.check.Confidence;
import dev.laneway.ops.check.Threshold;
import dev.laneway.ops.scale.ArrivalTrend;
import dev.laneway.ops.scale.Decision;
import dev.laneway.ops.scale.GroupShape;
import dev.laneway.ops.scale.RestoreLoad;
import dev.laneway.ops.scale.ScalingDecider;
import dev.laneway.ops.scale.ScalingMetrics;
import dev.laneway.ops.scale.ScalingOption;
import dev.laneway.ops.scale.ScalingPolicy;
import dev.laneway.ops.scale.ScalingState;
import dev.laneway.ops.scale.ScalingVerdict;
import dev.laneway.ops.scale.SourceLoad;
import dev.laneway.ops.simulate.Controller;
import dev.laneway.ops.simulate.DetailedController;
import dev.laneway.ops.simulate.GroupDetail;
import dev.laneway.ops.simulate.Tick;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * This project's policy: the very function that decides in production, given what it would be told there. Used by one
 * thread.
 */
final class LanewayMembers implements DetailedController {
    /** The usual policy with the goal, as an autoscaler runs it that nobody has told anything else. */
    static final Settings USUAL = new Settings(
            60,
            ScalingPolicy.USUAL
                    .with(ScalingOption.LATENCY_GOAL, LoadCases.GOAL_SECONDS)
                    .with(ScalingOption.REPLICAS_MAX, LoadCases.MOST_MEMBERS));

    private static final double LOOK_SECONDS = 5;
    /** Who is busiest is seen over a longer time: in a minute, chance makes some member busier than others. */
    private static final double SKEW_SECONDS = 300;

    /** A policy, and the seconds over which its rates are measured. */
    record Settings(double windowSeconds, ScalingPolicy policy) {}

    private final Settings settings;
    private final LoadCase load;
    private final Readings readings = new Readings(SKEW_SECONDS);
    private final List<Decision> decisions = new ArrayList<>();
    private ScalingState state = ScalingState.NEW;
    private int members;

    LanewayMembers(Settings settings, LoadCase load) {
        this.settings = settings;
        this.load = load;
    }

    @Override
    public Controller.Decision decide(Tick tick, GroupDetail detail) {
        if (!Clock.strikes(tick, LOOK_SECONDS)) {
            return new Controller.Decision(tick.requestedMembers(), tick.concurrency());
        }
        readings.add(tick, detail);
        if (tick.isMoving() || tick.members() != members) {
            members = tick.members();
            readings.restart(); // What others did says nothing of these members.
        }
        Readings.Rates rates = readings.over(settings.windowSeconds);
        if (rates.seconds() <= 0) {
            return new Controller.Decision(tick.requestedMembers(), tick.concurrency());
        }
        ScalingMetrics metrics = metrics(
                tick,
                rates,
                readings.over(SKEW_SECONDS),
                readings.trend(settings.windowSeconds),
                readings.longestWaitSeconds(),
                load);
        Decision decision = ScalingDecider.decide(state, metrics, settings.policy);
        state = decision.next();
        if (decision.isChange()) {
            decisions.add(decision);
        }
        return new Controller.Decision(
                decision.isChange() ? decision.to().members() : tick.requestedMembers(), tick.concurrency());
    }

    /** What was changed, in the order of time. */
    List<Decision> decisions() {
        return List.copyOf(decisions);
    }

    /** What a measuring program would tell the policy. */
    static ScalingMetrics metrics(
            Tick tick,
            Readings.Rates rates,
            Readings.Rates longer,
            ArrivalTrend trend,
            double longestWait,
            LoadCase load) {
        int partitions = rates.partitions();
        double cpu = rates.process() * load.cpuSeconds() / tick.members();
        boolean isStateful = load.restoreSeconds() > 0;
        return ScalingMetrics.of(
                        Math.round(tick.seconds() * 1_000),
                        GroupShape.of(tick.members()),
                        List.of(SourceLoad.of("records", partitions, rates.allLag(), rates.allAppend(), rates.process())
                                .withRisenRate(trend.risenRate())
                                .withLongestWait(longestWait)),
                        busiest(tick.members(), rates, longer))
                .withMeanBusyShare(Math.min(1, rates.busy() / tick.members()))
                .withRising(trend.isRising())
                .withSettled(!tick.isMoving(), tick.isMoving() && isStateful)
                .withPressure(Math.min(1, cpu), null)
                .withRestore(isStateful ? new RestoreLoad(partitions, 0, 0, 0, load.restoreSeconds()) : null)
                .withVerdict(verdict(rates, rates.busy() / tick.members() - cpu));
    }

    private static double busiest(int members, Readings.Rates rates, Readings.Rates longer) {
        double skew = longer.busy() <= 0 ? 1 : longer.busiest() * members / longer.busy();
        return Math.min(1, rates.busy() / members * skew);
    }

    /** What the check says of it, by its rules C5 and C9. */
    private static @Nullable ScalingVerdict verdict(Readings.Rates rates, double waitingShare) {
        if (waitingShare > Threshold.EXTERNAL_SHARE.usual()) {
            return limited(Cause.EXTERNAL_CALL, Confidence.MEDIUM, "look at that service first");
        }
        double lag = rates.allLag();
        int hottest = rates.hottest();
        boolean isHot = rates.append(hottest) > Threshold.SKEW.usual() * rates.allAppend() / rates.partitions();
        boolean holdsUp = rates.furthestBehind() == hottest
                && rates.lag(hottest) > lag * Threshold.LAG_SHARE.usual()
                && rates.allGrown() > 0;
        return isHot && holdsUp ? limited(Cause.SKEW, Confidence.HIGH, "choose keys that spread") : null;
    }

    private static ScalingVerdict limited(Cause cause, Confidence confidence, String remedy) {
        return new ScalingVerdict(CheckResult.Outcome.LIMITED, cause, remedy, confidence);
    }
}
