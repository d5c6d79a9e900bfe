package dev.laneway.engine;

/** What a simulated run is about. The seed decides, so that one number replays everything. */
enum SimTheme {
    /** One member and a broker that is sometimes slow. */
    STEADY(1),
    /** Members join and leave in peace; handlers are shorter than the drain limit. */
    GRACEFUL(4),
    /** Members crash, are thrown out and cut off; the group rebalances, commits go wrong, the cluster goes away. */
    STORM(4),
    /** Handlers fail, hang, ask for retries and dead letters, and stop the consumer; so do the producers. */
    FAILING(2),
    /** At-most-once, with crashes. */
    AHEAD(3),
    /** Handlers of batches. */
    BATCHES(2),
    /** Retention and compaction under the reader, transactions in the input, logs that begin above zero. */
    LOG(2),
    /** Pause, resume, seek, drain and close at any time. */
    CONTROL(2),
    /** Outputs and offsets in transactions, which are aborted, fenced and left open by crashes. */
    EXACTLY_ONCE(3),
    /** Streams into a sink that commits, of members that come, go and crash. */
    STREAMS(3),
    /** A partition has no leader for a while, topics grow: all other partitions get on meanwhile. */
    APART(3),
    /** Groups that begin: start positions, resets, restarts, topics that come late and grow. */
    STARTS(4);

    /** How many members there are at most. */
    final int members;

    SimTheme(int members) {
        this.members = members;
    }

    static SimTheme of(long seed) {
        return values()[(int) Math.floorMod(seed, (long) values().length)];
    }

    /** Whether a member may stop since the broker does not answer. */
    boolean isRough() {
        return this == STORM || this == AHEAD || this == EXACTLY_ONCE || this == STREAMS;
    }

    /** Whether a record that was done may never be handled again. */
    boolean isPeaceful() {
        return this == STEADY || this == GRACEFUL;
    }
}
