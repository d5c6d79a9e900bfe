package dev.laneway.ops.scale;

import java.util.ArrayList;
import java.util.List;

/**
 * Decides again what a log has recorded, with another policy. While it asks for what was there, the recorded metrics
 * are used as they are, so that the policy of the log decides as it did. Once it asks for something else, the metrics
 * of that other group are an estimate: each record costs what it did, tasks take as long to move as the state says, and
 * what is not done waits. Pure.
 */
public final class IncidentReplay {
    private final ScalingPolicy policy;

    private IncidentReplay(ScalingPolicy policy) {
        this.policy = policy;
    }

    /**
     * One decision of the log, and that of the other policy.
     *
     * @param recorded the log's
     * @param replayed that of the other policy
     * @param inputs what it decided on
     * @param isEstimated whether the inputs are an estimate
     */
    public record Step(LogEntry recorded, Decision replayed, ScalingMetrics inputs, boolean isEstimated) {}

    /** Decides anew, in the order of the entries. */
    public static List<Step> of(List<LogEntry> entries, ScalingPolicy policy) {
        return new IncidentReplay(policy).steps(entries);
    }

    private List<Step> steps(List<LogEntry> entries) {
        List<Step> steps = new ArrayList<>();
        ScalingState state =
                entries.isEmpty() ? ScalingState.NEW : entries.getFirst().before();
        OtherGroup other = new OtherGroup();
        for (LogEntry entry : entries) {
            ScalingMetrics inputs = other.metrics(entry.inputs());
            Decision decision = ScalingDecider.decide(state, inputs, policy);
            state = decision.next();
            steps.add(new Step(entry, decision, inputs, other.isOther));
            other.follow(decision, entry, policy);
        }
        return steps;
    }

    /** The group as the other policy would have made it. Used by one thread. */
    private static final class OtherGroup {
        private boolean isOther;
        private GroupShape shape = GroupShape.of(0);
        private GroupShape coming = GroupShape.of(0);
        private long comesMillis;
        private long lastMillis;
        private List<Double> lags = List.of();

        /** Parts from what was recorded at the first change that the log does not have, or has and this does not. */
        void follow(Decision decision, LogEntry entry, ScalingPolicy policy) {
            Decision recorded = entry.decision();
            boolean isSame =
                    decision.action() == recorded.action() && decision.to().equals(recorded.to());
            if (!isOther && isSame) {
                return;
            }
            if (!isOther) {
                isOther = true;
                shape = entry.inputs().shape();
                coming = shape;
                lastMillis = entry.inputs().atMillis();
                lags = entry.inputs().sources().stream().map(SourceLoad::lag).toList();
            }
            if (decision.isChange()) {
                coming = decision.to();
                Decision.Expected expected = decision.expected();
                double seconds = expected == null ? policy.get(ScalingOption.REBALANCE) : expected.etaSeconds();
                comesMillis = entry.inputs().atMillis() + (long) (seconds * 1_000);
            }
        }

        ScalingMetrics metrics(ScalingMetrics recorded) {
            if (!isOther || recorded.sources().size() != lags.size() || recorded.problem() != null) {
                return recorded;
            }
            double seconds = Math.max(0, (recorded.atMillis() - lastMillis) / 1_000.0);
            lastMillis = recorded.atMillis();
            if (recorded.atMillis() >= comesMillis) {
                shape = coming;
            }
            return estimated(recorded, seconds);
        }

        private ScalingMetrics estimated(ScalingMetrics recorded, double seconds) {
            double strength = strength(recorded.shape());
            double process = 0;
            double wanted = 0;
            for (int i = 0; i < lags.size(); i++) {
                SourceLoad source = recorded.sources().get(i);
                process += source.processRate();
                wanted += source.appendRate() + (seconds > 0 ? lags.get(i) / seconds : 0);
            }
            Double busy = recorded.busyShare();
            double used = recorded.shape().members() * (busy == null || busy <= 0.01 ? 1 : Math.min(1, busy));
            double capacity = used <= 0 ? 0 : process / used * strength;
            double share = wanted <= 0 ? 1 : Math.min(1, capacity / wanted);
            List<SourceLoad> loads = new ArrayList<>();
            List<Double> left = new ArrayList<>();
            double done = 0;
            for (int i = 0; i < lags.size(); i++) {
                SourceLoad source = recorded.sources().get(i);
                double rate = (source.appendRate() + (seconds > 0 ? lags.get(i) / seconds : 0)) * share;
                double lag = Math.max(0, lags.get(i) + (source.appendRate() - rate) * seconds);
                done += rate;
                left.add(lag);
                loads.add(new SourceLoad(
                        source.name(),
                        source.partitions(),
                        lag,
                        source.appendRate(),
                        rate,
                        null,
                        source.feeds(),
                        source.risenRate(),
                        null));
            }
            lags = List.copyOf(left);
            Double use = busy == null ? null : capacity <= 0 ? 0 : Math.min(1, done / capacity);
            Double mean = recorded.meanBusyShare();
            return recorded.withLoad(shape, loads, use)
                    .withMeanBusyShare(
                            use != null && mean != null && busy != null && busy > 0
                                    ? (Double) (use * Math.min(1, mean / busy))
                                    : null)
                    .withRising(recorded.isRising());
        }

        /** How many of the recorded members this group is worth. */
        private double strength(GroupShape recorded) {
            double each = 1;
            each *= recorded.concurrency() > 0 && shape.concurrency() > 0
                    ? (double) shape.concurrency() / recorded.concurrency()
                    : 1;
            each *= recorded.threads() > 0 && shape.threads() > 0 ? (double) shape.threads() / recorded.threads() : 1;
            each *= recorded.cores() > 0 && shape.cores() > 0 ? shape.cores() / recorded.cores() : 1;
            return shape.members() * each;
        }
    }
}
