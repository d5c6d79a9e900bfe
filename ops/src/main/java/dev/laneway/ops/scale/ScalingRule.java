package dev.laneway.ops.scale;

/** The rules that fire or are held back in a decision, with how each reads. */
public enum ScalingRule {
    /** The clock has gone back. */
    CLOCK_BACK(Kind.GATE, "the clock has gone back; waiting times go on from where they were"),
    /** The metrics are too old, or from the future. */
    STALE_DATA(Kind.GATE, "the metrics are too old to act on"),
    /** The metrics cannot be true. */
    UNREADABLE_DATA(Kind.GATE, "the metrics cannot be true"),
    /** No change is made in this period. */
    EXCLUDED_PERIOD(Kind.GATE, "the policy excludes changes in this period"),
    /** The group does not run. */
    UNSTABLE(Kind.GATE, "the group does not run as it should, and more members do not mend that"),
    /** State is being restored. */
    RESTORING(Kind.GATE, "state is being restored, so that rates are not those of the group"),
    /** The members are not yet those that were asked for. */
    MEMBERS_PENDING(Kind.GATE, "the members are not yet those that were asked for"),
    /** A change was made a short time ago. */
    COOL_DOWN(Kind.GATE, "a change was made a short time ago"),
    /** The load has begun to rise. */
    RISING(Kind.GATE, "the load has begun to rise since the last look; the next one tells how far"),
    /** The group has settled a short time ago. */
    STABILISING(Kind.GATE, "the group has settled a short time ago, so that its rates are not yet those of now"),

    /** There are fewer members than the bounds allow. */
    BELOW_BOUNDS(Kind.WISH, "there are fewer members than the policy allows"),
    /** There are more members than the bounds allow. */
    ABOVE_BOUNDS(Kind.WISH, "there are more members than the policy allows"),
    /** The load needs more than there is. */
    LOAD_HIGH(Kind.WISH, "the load, with what waits, needs more than there is"),
    /** The latency goal is missed, or will be. */
    LATENCY_GOAL(Kind.WISH, "the latency is over its goal, or is about to be"),
    /** The load needs less than there is. */
    LOAD_LOW(Kind.WISH, "fewer members would be enough"),

    /** Each member processes more at the same time. */
    RAISE_CONCURRENCY(Kind.WAY, "members process more at the same time, which moves no partition"),
    /** Each member has more stream threads. */
    RAISE_THREADS(Kind.WAY, "members start stream threads, which starts no process"),
    /** Members are added. */
    ADD_MEMBERS(Kind.WAY, "members are added"),
    /** Members are removed. */
    REMOVE_MEMBERS(Kind.WAY, "members are removed"),
    /** Members get more memory. */
    MORE_MEMORY(Kind.WAY, "members get more memory, since that is what limits them"),
    /** Members get more processors. */
    MORE_CORES(Kind.WAY, "members get more processors, since there cannot be more members"),

    /** The group waits for Kafka. */
    KAFKA_BOUND(Kind.REFUSAL, "the group waits for Kafka; more members would not help"),
    /** The group waits for another service. */
    EXTERNAL_CALL(Kind.REFUSAL, "the group waits for another service; more members would not help"),
    /** Memory limits the group. */
    MEMORY_BOUND(Kind.REFUSAL, "memory limits the group; more members are the dear way to get it"),
    /** The disk limits the group. */
    DISK_BOUND(Kind.REFUSAL, "the disk limits the group; more members would not help"),
    /** A few partitions or keys have most of the load. */
    SKEWED(Kind.REFUSAL, "a few partitions or keys have most of the load; more members would not help"),
    /** There are too few partitions or tasks. */
    TOO_FEW_PARTITIONS(Kind.REFUSAL, "there are too few partitions or tasks; more members would not help"),
    /** It is not known how busy the members are. */
    USE_UNKNOWN(Kind.REFUSAL, "it is not known what the members could do"),
    /** The group catches up. */
    CATCHING_UP(Kind.REFUSAL, "the group catches up, so no member is removed"),
    /** Fewer members were not enough for a whole interval. */
    DOWN_INTERVAL(Kind.REFUSAL, "fewer members have not been enough for a whole interval"),
    /** Steps had no effect. */
    FROZEN(Kind.REFUSAL, "steps had no effect; none is added until somebody has found out why"),
    /** The change costs more than it gains. */
    COST(Kind.REFUSAL, "the change costs more than it gains"),
    /** No number of members in reach would be better. */
    NOT_USEFUL(Kind.REFUSAL, "no number of members in reach has fewer partitions each"),
    /** A bound or quota is reached. */
    AT_LIMIT(Kind.REFUSAL, "a bound or a quota is reached"),

    /** The rate that was seen counts, not that by busy time. */
    OBSERVED_RATE(Kind.REMARK, "the rate that was seen counts: by their busy time members could do more, but do not"),
    /** The step is smaller than what was wanted. */
    STEP_LIMIT(Kind.REMARK, "the step is smaller than what was wanted"),
    /** The number of members is one that is useful. */
    ALIGNED(Kind.REMARK, "the number of members is the next that is useful"),
    /** What is there is taken for what was asked for. */
    ADOPTED(Kind.REMARK, "the members that are there are taken for those that were asked for"),
    /** The effect of a step was measured. */
    EFFECT(Kind.REMARK, "the effect of the last step was measured"),
    /** The bounds are those of a schedule. */
    SCHEDULED(Kind.REMARK, "the bounds are those of a schedule");

    /** What a rule does. */
    public enum Kind {
        /** Keeps all as it is. */
        GATE,
        /** Wants a change. */
        WISH,
        /** Makes a change. */
        WAY,
        /** Refuses one change. */
        REFUSAL,
        /** Explains. */
        REMARK
    }

    private final Kind kind;
    private final String words;

    ScalingRule(Kind kind, String words) {
        this.kind = kind;
        this.words = words;
    }

    /** What it does. */
    public Kind kind() {
        return kind;
    }

    /** It in a few words. */
    public String words() {
        return words;
    }
}
