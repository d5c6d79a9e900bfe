package dev.laneway.ops.scale;

import dev.laneway.ops.check.Cause;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * More: first what limits the group, since most of that no further member mends; then more work at the same time in the
 * members that are there, which moves nothing; then more members.
 */
final class UpwardStep {
    private static final double MOST_GROWTH = 2;

    private final DecisionDraft draft;
    private final GroupShape shape;
    private final int members;
    private final @Nullable Cause limit;

    /** Members that the load needs, if each source could use as many as it needs. */
    private double need;

    /** The same, but for each source no more than its partitions can use. */
    private double reachable;

    private UpwardStep(DecisionDraft draft) {
        this.draft = draft;
        shape = draft.metrics.shape();
        members = draft.members;
        ScalingVerdict verdict = draft.metrics.verdict();
        limit = verdict == null ? null : verdict.limit();
        int slots = Math.max(1, shape.threads());
        for (int i = 0; i < draft.targets.size(); i++) {
            double each = draft.targets.get(i).needMembers();
            int partitions = draft.metrics.sources().get(i).partitions();
            need += each;
            reachable += partitions == 0 ? each : Math.min(each, Math.ceil((double) partitions / slots));
        }
        draft.raw = rawMembers(need);
    }

    static Decision of(DecisionDraft draft) {
        return new UpwardStep(draft).decide();
    }

    private Decision decide() {
        Long frozen = draft.state.frozenMillis;
        if (frozen != null && draft.now < frozen) {
            return draft.refuse(
                    ScalingRule.FROZEN,
                    draft.policy.whole(ScalingOption.EFFECT_STEPS)
                            + " steps in a row had no effect: run laneway check to see what limits the group",
                    frozen);
        }
        Decision vetoed = limit == null ? null : vetoed(limit);
        if (vetoed != null) {
            return vetoed;
        }
        Decision inner = limit == Cause.CPU ? null : innerStep();
        if (inner != null) {
            return inner;
        }
        if (limit == Cause.TOO_FEW_PARTITIONS || (reachable <= members && need > members)) {
            return tooFewPartitions();
        }
        return moreMembers();
    }

    /** What more members would not help against; null if they might. */
    private @Nullable Decision vetoed(Cause cause) {
        return switch (cause) {
            case THROTTLED, SLOW_ACKS, KAFKA_BOUND -> notHelped(ScalingRule.KAFKA_BOUND, cause);
            case EXTERNAL_CALL -> {
                Double slowdown = draft.metrics.slowdown();
                boolean isFlat = slowdown != null && slowdown <= draft.policy.get(ScalingOption.SLOWDOWN);
                Decision inner = isFlat ? innerStep() : null;
                yield inner != null ? inner : notHelped(ScalingRule.EXTERNAL_CALL, cause);
            }
            case SMALL_HEAP, GC, READ_MEMORY, WRITE_MEMORY -> moreMemory(cause);
            case DISK -> notHelped(ScalingRule.DISK_BOUND, cause);
            case HOT_KEY, SKEW -> notHelped(ScalingRule.SKEWED, cause);
            default -> null;
        };
    }

    private Decision notHelped(ScalingRule rule, Cause cause) {
        return draft.refuse(rule, cause.words() + ", so that more members would not help: " + remedy(), null);
    }

    private String remedy() {
        return Objects.requireNonNull(draft.metrics.verdict()).words();
    }

    private Decision moreMemory(Cause cause) {
        long most = (long) draft.policy.get(ScalingOption.MEMORY_MAX);
        double quota = draft.policy.get(ScalingOption.QUOTA_MEMORY);
        long room = quota > 0 && members > 0 ? Math.min(most, (long) (quota / members)) : most;
        long bytes = Math.min(room, (long) (shape.memoryBytes() * draft.policy.get(ScalingOption.RESIZE)));
        if (shape.memoryBytes() == 0 || bytes <= shape.memoryBytes()) {
            String why = cause.words() + ", so that memory helps and more members are the dear way to get it: "
                    + remedy()
                    + (most == 0
                            ? "; with memory.max.bytes the policy may do that"
                            : "; memory.max.bytes or the quota allows no more");
            return draft.refuse(ScalingRule.MEMORY_BOUND, why, null);
        }
        return resize(shape.withMemoryBytes(bytes), ScalingRule.MORE_MEMORY, cause.words());
    }

    private Decision resize(GroupShape to, ScalingRule way, String why) {
        ChangeCost cost =
                ChangeCost.of(members, members, draft.metrics.restore(), draft.policy.get(ScalingOption.REBALANCE));
        // By how much that helps is not known: what is needed is what is hoped for.
        return draft.change(
                Decision.Action.RESIZE,
                to,
                ScalingDecider.expected(draft, Math.max(members, need), cost),
                RuleNote.of(way, why));
    }

    /** More at the same time in the members that are there; null if that cannot be, or is not allowed. */
    private @Nullable Decision innerStep() {
        int mostConcurrency = draft.policy.whole(ScalingOption.CONCURRENCY_MAX);
        int mostThreads = draft.policy.whole(ScalingOption.THREADS_MAX);
        boolean hasConcurrency = shape.concurrency() > 0 && mostConcurrency > shape.concurrency();
        boolean hasThreads = shape.threads() > 0 && mostThreads > shape.threads();
        if (!hasConcurrency && !hasThreads) {
            return null;
        }
        Double cpu = draft.metrics.cpuShare();
        Double slowdown = draft.metrics.slowdown();
        double mostCpu = draft.policy.get(ScalingOption.CPU_MAX);
        if (cpu == null || cpu >= mostCpu) {
            draft.hold(
                    hasConcurrency ? ScalingRule.RAISE_CONCURRENCY : ScalingRule.RAISE_THREADS,
                    cpu == null
                            ? "processor use is not known"
                            : "processors are " + Num.percent(cpu) + " busy, not below " + Num.percent(mostCpu),
                    null);
            return null;
        }
        if (slowdown != null && slowdown > draft.policy.get(ScalingOption.SLOWDOWN)) {
            draft.hold(
                    hasConcurrency ? ScalingRule.RAISE_CONCURRENCY : ScalingRule.RAISE_THREADS,
                    "another service takes " + Num.of(slowdown) + " times as long as in calm",
                    null);
            return null;
        }
        double growth = Math.min(MOST_GROWTH, Math.min(need / Math.max(1, members), mostCpu / Math.max(0.01, cpu)));
        if (hasConcurrency) {
            int to = Math.min(mostConcurrency, Num.ceil(shape.concurrency() * growth));
            if (to > shape.concurrency()) {
                return tune(
                        shape.withConcurrency(to), (double) to / shape.concurrency(), ScalingRule.RAISE_CONCURRENCY);
            }
        }
        if (hasThreads) {
            int to = Math.min(mostThreads, Num.ceil(shape.threads() * growth));
            to = shape.cores() > 0 ? Math.min(to, (int) (2 * shape.cores())) : to;
            int tasks = UsefulCounts.of(draft.metrics).tasks();
            to = tasks > 0 ? Math.min(to, tasks / Math.max(1, members)) : to;
            if (to > shape.threads()) {
                return tune(shape.withThreads(to), (double) to / shape.threads(), ScalingRule.RAISE_THREADS);
            }
        }
        return null;
    }

    private Decision tune(GroupShape to, double growth, ScalingRule way) {
        ChangeCost cost = new ChangeCost(0, 0, 0);
        return draft.change(
                Decision.Action.TUNE,
                to,
                ScalingDecider.expected(draft, members * growth, cost),
                RuleNote.of(way, "processors have room for it, and no process starts"));
    }

    private Decision tooFewPartitions() {
        Decision larger = largerMembers();
        int tasks = UsefulCounts.of(draft.metrics).tasks();
        return larger != null
                ? larger
                : draft.refuse(
                        ScalingRule.TOO_FEW_PARTITIONS,
                        (tasks == 0 ? "there are too few partitions" : "there are " + tasks + " partitions or tasks")
                                + ", so that more members would not help: add partitions, process by key in parallel,"
                                + " or give each member more processors",
                        null);
    }

    /** Larger members where there cannot be more, if processors are what limits them. */
    private @Nullable Decision largerMembers() {
        double most = draft.policy.get(ScalingOption.CORES_MAX);
        double quota = draft.policy.get(ScalingOption.QUOTA_CORES);
        double room = quota > 0 && members > 0 ? Math.min(most, quota / members) : most;
        double cores = Math.min(room, shape.cores() * draft.policy.get(ScalingOption.RESIZE));
        boolean isCpu = limit == Cause.CPU
                || (limit == Cause.TOO_FEW_PARTITIONS
                        && draft.metrics.cpuShare() != null
                        && draft.metrics.cpuShare() >= draft.policy.get(ScalingOption.CPU_MAX));
        if (!isCpu || shape.cores() <= 0 || cores < shape.cores() * 1.01) {
            return null;
        }
        return resize(
                shape.withCores(cores),
                ScalingRule.MORE_CORES,
                "the processors are busy and there cannot be more members");
    }

    private int rawMembers(double wanted) {
        return Num.ceil(scaled(wanted));
    }

    /** More of them where further ones bring less than their share. */
    private double scaled(double wanted) {
        double scalability = ScalingState.scalability(draft.state.capacities);
        return wanted > members ? members + (wanted - members) / scalability : wanted;
    }

    private Decision moreMembers() {
        if (need <= members) {
            return draft.refuse(
                    ScalingRule.COST,
                    "what is there brings it back within " + Num.of(draft.policy.get(ScalingOption.RECOVER)) + " s",
                    null);
        }
        UsefulCounts useful = UsefulCounts.of(draft.metrics);
        boolean isAligned = draft.policy.whole(ScalingOption.ALIGN) == 1;
        int raw = rawMembers(reachable);
        int to = isAligned ? aligned(useful, raw) : Math.min(raw, useful.largest());
        draft.aligned = to;
        if (to != raw) {
            draft.hold(ScalingRule.ALIGNED, raw + " members have partitions as " + to + " have, at best", null);
        }
        int limit = mostMembers();
        if (to > limit) {
            to = limit;
            draft.clampedBy.add(limitWords(limit));
        }
        int step = draft.policy.whole(ScalingOption.STEP_UP);
        if (to - members > step) {
            to = members + step;
            draft.clampedBy.add("step.up");
            draft.hold(ScalingRule.STEP_LIMIT, draft.raw + " are wanted, and at most " + step + " come at once", null);
        }
        to = isAligned && to != draft.aligned ? useful.atMost(to) : to;
        return to <= members ? noMore(useful, limit) : added(to);
    }

    /** The useful number before, if its fullest member stays below the limit all the same; else the next one. */
    private int aligned(UsefulCounts useful, int raw) {
        int lower = useful.atMost(raw);
        double least = 0;
        ScalingPolicy full = draft.policy.with(ScalingOption.TARGET, draft.policy.get(ScalingOption.MAX));
        for (Decision.SourceTarget target : draft.demand.targets(full, members, draft.restartSeconds)) {
            least += target.needMembers();
        }
        double fullest = (double) useful.tasks() / useful.load(lower) / useful.slots();
        return lower > members && scaled(least) <= fullest ? lower : useful.atLeast(raw);
    }

    private int mostMembers() {
        double limit = draft.max;
        double cores = draft.policy.get(ScalingOption.QUOTA_CORES);
        double memory = draft.policy.get(ScalingOption.QUOTA_MEMORY);
        if (cores > 0 && shape.cores() > 0) {
            limit = Math.min(limit, Math.floor(cores / shape.cores() + 1e-9));
        }
        if (memory > 0 && shape.memoryBytes() > 0) {
            limit = Math.min(limit, Math.floor(memory / shape.memoryBytes()));
        }
        return (int) limit;
    }

    private String limitWords(int limit) {
        return limit < draft.max ? "quota" : "replicas.max";
    }

    /** Why there are not more, where no larger number is reached. */
    private Decision noMore(UsefulCounts useful, int limit) {
        if (members >= useful.largest()) {
            return tooFewPartitions();
        }
        if (limit <= members) {
            Decision larger = largerMembers();
            return larger != null
                    ? larger
                    : draft.refuse(
                            ScalingRule.AT_LIMIT,
                            limitWords(limit) + " allows no more than " + limit
                                    + " members: raise it, or accept the lag",
                            null);
        }
        int next = useful.atLeast(members + 1);
        return draft.refuse(
                ScalingRule.NOT_USEFUL,
                "fewer partitions for each member take " + next + " members, which "
                        + (draft.clampedBy.isEmpty()
                                ? "are not needed"
                                : draft.clampedBy.getLast() + " does not allow"),
                null);
    }

    private Decision added(int to) {
        LoadDemand demand = draft.demand;
        ChangeCost cost =
                ChangeCost.of(members, to, draft.metrics.restore(), draft.policy.get(ScalingOption.REBALANCE));
        boolean isLoadInBounds = demand.work() <= members * draft.policy.get(ScalingOption.MAX);
        if (isLoadInBounds && demand.backlog() > 0 && draft.policy.get(ScalingOption.LATENCY_GOAL) <= 0) {
            double without = demand.drainSeconds(members);
            double with = drainWith(to, cost);
            if (without <= with) {
                return draft.refuse(
                        ScalingRule.COST,
                        "what waits is gone in " + Num.of(without) + " s without a change, and in " + Num.of(with)
                                + " s with " + to + " members, whose tasks take " + Num.of(cost.etaSeconds())
                                + " s to move",
                        null);
            }
        }
        return draft.change(
                Decision.Action.UP,
                shape.withMembers(to),
                ScalingDecider.expected(draft, to, cost),
                RuleNote.of(
                        ScalingRule.ADD_MEMBERS,
                        to + " members should be " + Num.percent(demand.work() / to) + " busy"
                                + (cost.etaSeconds() > 60
                                        ? ", when tasks have moved in about " + Num.of(cost.etaSeconds()) + " s"
                                        : "")));
    }

    /** Seconds until nothing waits if members are added: those before go on until tasks have moved, but for a pause. */
    private double drainWith(int to, ChangeCost cost) {
        LoadDemand demand = draft.demand;
        double working = Math.max(0, cost.etaSeconds() - cost.pauseSeconds());
        double left = demand.backlog() + demand.work() * cost.etaSeconds() - members * working;
        return left <= 0
                ? demand.drainSeconds(members) + cost.pauseSeconds()
                : cost.etaSeconds() + left / (to - demand.work());
    }
}
