package dev.laneway.engine.sim;

import java.util.Collections;
import java.util.List;

/** What a simulated run is about. The seed decides, so that one number replays everything. */
public enum SimTheme {
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
    /** A partition has no leader for a while, topics grow, a key is stuck: all other partitions get on meanwhile. */
    APART(3),
    /** Groups that begin: start positions, resets, restarts, topics that come late and grow. */
    STARTS(4),
    /** Topics are deleted and created again under their names: all others get on meanwhile. */
    RECREATED(3),
    /** Logs are cut by the election of replicas that lack their ends, with maps, and go on with other records. */
    CUT(3),
    /**
     * A share group: locks that run out, answers that get lost or come late, members that come, go, pause and crash.
     */
    SHARE(3);

    /** Those that seeds have in turn. What came later has seeds that were of the first one, and all others go on. */
    private static final int TURNS = 12;

    private static final List<SimTheme> INSTEAD = List.of(STEADY, RECREATED, CUT, SHARE, RECREATED, CUT);

    /** How many members there are at most. */
    final int members;

    SimTheme(int members) {
        this.members = members;
    }

    public static SimTheme of(long seed) {
        SimTheme theme = values()[(int) Math.floorMod(seed, (long) TURNS)];
        long round = Math.floorDiv(seed, (long) TURNS);
        return theme == STEADY ? INSTEAD.get((int) Math.floorMod(round, (long) INSTEAD.size())) : theme;
    }

    /** In so many seeds are those of all themes. */
    static int cycle() {
        return TURNS * INSTEAD.size();
    }

    /** One seed in so many is of this theme. */
    public int oneIn() {
        int times = Collections.frequency(INSTEAD, this);
        return times == 0 ? TURNS : cycle() / times;
    }

    /** Whether the log loses records that were not handled: by retention, compaction, or a cut. */
    boolean losesRecords() {
        return this == LOG || this == RECREATED || this == CUT;
    }

    /** Whether a member may stop since the broker does not answer. */
    boolean isRough() {
        return this == STORM || this == AHEAD || this == EXACTLY_ONCE || this == STREAMS;
    }

    /** Whether all partitions that are not in trouble have to get on at every moment. */
    boolean isWatched() {
        return this == APART || this == RECREATED;
    }

    /** Whether records come until all is committed. */
    boolean isNudged() {
        return this == STARTS || this == RECREATED || this == CUT;
    }

    /** Whether records may have to wait for their time. */
    boolean delays() {
        return fillsMaps() || this == GRACEFUL || this == EXACTLY_ONCE;
    }

    /** Whether commits may have little room for metadata. */
    boolean fillsMaps() {
        return this == STORM || this == FAILING || this == BATCHES || this == CONTROL;
    }

    /** Whether a record that was done may never be handled again. */
    boolean isPeaceful() {
        return this == STEADY || this == GRACEFUL;
    }
}
