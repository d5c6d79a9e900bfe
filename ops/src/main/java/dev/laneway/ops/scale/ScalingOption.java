package dev.laneway.ops.scale;

/** The numbers of a policy: key, unit, default, limits, meaning, and where the default comes from. */
public enum ScalingOption {
    /** The fewest members. */
    REPLICAS_MIN("replicas.min", "members", 1, 1, 100_000, "fewest members; never 0", "this project"),
    /** The most members. */
    REPLICAS_MAX("replicas.max", "members", 32, 1, 100_000, "most members", "this project"),
    /** The share of time that members should be busy after a change upwards. */
    TARGET("utilization.target", "share", 0.7, 0.01, 1, "busy share to aim at when scaling up", "Flink"),
    /** The busy share above which more is needed. */
    MAX("utilization.max", "share", 0.8, 0.01, 1, "busy share above which more is needed", "rules A3, C6"),
    /** The busy share that fewer members may have. */
    DOWN("utilization.down", "share", 0.75, 0.01, 1, "busy share that fewer members may come to", "rule W1"),
    /** The time in which a backlog should be gone. */
    CATCH_UP("catch.up.seconds", "s", 1_800, 1, 604_800, "time in which a backlog should be gone", "Flink"),
    /** How long a change takes while none was measured. */
    RESTART("restart.seconds", "s", 60, 0, 86_400, "how long a change takes, until it is measured", "this project"),
    /** The most that is believed of a measured change. */
    RESTART_MAX("restart.max.seconds", "s", 900, 0, 86_400, "most that is believed of measured changes", "Flink"),
    /** The latency to keep. */
    LATENCY_GOAL("latency.goal.seconds", "s", 0, 0, 604_800, "latency to keep; 0 for none", "this project"),
    /** The time in which a latency over the goal should be back. */
    RECOVER("recover.seconds", "s", 300, 1, 604_800, "time in which the goal should be met again", "this project"),
    /** How far the latency is projected. */
    PROJECTION("projection.seconds", "s", 60, 0, 86_400, "how far ahead the latency is projected", "this project"),
    /** The lag above which a group catches up. */
    CATCHING_UP("catching.up.lag.seconds", "s", 300, 0, 86_400, "lag above which no member is removed", "Flink"),
    /** The lag from which the observed rate counts. */
    OBSERVED_LAG("observed.lag.seconds", "s", 30, 0, 86_400, "lag from which the observed rate may count", "Flink"),
    /** How much the busy-based rate may exceed the observed one. */
    OBSERVED_EXCESS("observed.excess", "share", 0.15, 0, 10, "excess of the busy-based rate that is believed", "Flink"),
    /** The age above which metrics are stale. */
    STALE("stale.seconds", "s", 60, 1, 86_400, "age above which metrics are stale", "this project"),
    /** The least time between two changes. */
    COOL_DOWN("cool.down.seconds", "s", 60, 1, 604_800, "least time between two changes", "this project"),
    /** The time between two changes, in times of what a change takes. */
    COOL_DOWN_RESTARTS(
            "cool.down.restarts", "factor", 2, 0, 1_000, "the same in times of a change, if longer", "this project"),
    /** How long a settled group is watched before it is judged. */
    STABILIZATION("stabilization.seconds", "s", 30, 0, 86_400, "time from settled to the next change", "this project"),
    /** How long members are waited for. */
    ARRIVAL("arrival.seconds", "s", 1_800, 1, 604_800, "how long members are waited for", "this project"),
    /** For how long all recommendations must be low. */
    DOWN_INTERVAL("down.interval.seconds", "s", 300, 1, 604_800, "for how long fewer must be enough", "Kubernetes"),
    /** The same in times of what a change takes. */
    DOWN_INTERVAL_RESTARTS(
            "down.interval.restarts",
            "factor",
            10,
            0,
            1_000,
            "the same in times of a change, if longer",
            "this project"),
    /** The most members added at once. */
    STEP_UP("step.up", "members", 16, 1, 100_000, "most members added at once", "this project"),
    /** The largest share of the members that is removed at once. */
    STEP_DOWN("step.down.share", "share", 0.6, 0, 1, "largest share removed at once; one always may be", "Flink"),
    /** Whether only useful numbers of members are taken. */
    ALIGN("align", "0 or 1", 1, 0, 1, "whether only useful numbers of members are taken", "KEDA 7517"),
    /** The pause of a rebalance. */
    REBALANCE("rebalance.seconds", "s", 10, 0, 86_400, "pause of a rebalance without state", "this project"),
    /** The time for which fewer members must pay. */
    GAIN("gain.seconds", "s", 3_600, 1, 2_592_000, "time in which a removal must pay for itself", "this project"),
    /** The most processors of all members. */
    QUOTA_CORES("quota.cores", "cores", 0, 0, 1_000_000, "processors of all members; 0 for no quota", "Flink"),
    /** The most memory of all members. */
    QUOTA_MEMORY("quota.memory.bytes", "bytes", 0, 0, 1e18, "memory of all members; 0 for no quota", "Flink"),
    /** The most concurrency of a member. */
    CONCURRENCY_MAX(
            "concurrency.max", "records", 0, 0, 1_000_000, "most concurrency of a member; 0: leave it", "this project"),
    /** The most stream threads of a member. */
    THREADS_MAX("threads.max", "threads", 0, 0, 1_000, "most stream threads of a member; 0: leave them", "rule C7"),
    /** The processor use below which a member can do more. */
    CPU_MAX("cpu.max", "share", 0.8, 0.01, 1, "processor use below which a member can do more", "rule C6"),
    /** How much slower another service may get. */
    SLOWDOWN("slowdown.max", "factor", 1.2, 1, 100, "p99 of calls, against calm, that is still flat", "rule C5"),
    /** The most memory of a member. */
    MEMORY_MAX("memory.max.bytes", "bytes", 0, 0, 1e18, "most memory of a member; 0: advise only", "this project"),
    /** The most processors of a member. */
    CORES_MAX("cores.max", "cores", 0, 0, 10_000, "most processors of a member; 0: advise only", "this project"),
    /** The factor by which memory or processors grow at once. */
    RESIZE("resize.factor", "factor", 1.5, 1.01, 4, "growth of memory or processors in one step", "this project"),
    /** The share of the expected gain that a step must have. */
    EFFECT("effect.min.share", "share", 0.1, 0, 1, "share of the expected gain that counts as effect", "Flink"),
    /** The number of steps without effect after which there is none. */
    EFFECT_STEPS("effect.steps", "steps", 2, 1, 100, "steps without effect after which none is added", "this project"),
    /** How long none is added then. */
    FREEZE("freeze.seconds", "s", 3_600, 1, 2_592_000, "how long none is added then", "this project");

    private final String key;
    private final String unit;
    private final double usual;
    private final double least;
    private final double most;
    private final String meaning;
    private final String source;

    ScalingOption(String key, String unit, double usual, double least, double most, String meaning, String source) {
        this.key = key;
        this.unit = unit;
        this.usual = usual;
        this.least = least;
        this.most = most;
        this.meaning = meaning;
        this.source = source;
    }

    /** Its name in options and documents. */
    public String key() {
        return key;
    }

    /** What it is counted in. */
    public String unit() {
        return unit;
    }

    /** Its value if nobody sets it. */
    public double usual() {
        return usual;
    }

    /** What it says. */
    public String meaning() {
        return meaning;
    }

    /** Where the usual value comes from. */
    public String source() {
        return source;
    }

    boolean isWhole() {
        return switch (unit) {
            case "members", "records", "threads", "steps", "bytes", "0 or 1" -> true;
            default -> false;
        };
    }

    /** Checks a value. */
    double checked(double value) {
        if (!(value >= least && value <= most) || (isWhole() && value != Math.rint(value))) {
            throw new IllegalArgumentException(key + " is " + Num.of(value) + " but must be "
                    + (isWhole() ? "a whole number" : "a number") + " from " + Num.of(least) + " to " + Num.of(most)
                    + ": " + meaning);
        }
        return value;
    }
}
