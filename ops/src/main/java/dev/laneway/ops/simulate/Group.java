package dev.laneway.ops.simulate;

import dev.laneway.ops.plan.Mode;

/**
 * The group of consumers, as it starts. Immutable.
 *
 * @param concurrency records that a member handles at once; {@link Mode#PLAIN} has 1, whatever this is
 * @param reserve records that a member holds at most: it fetches no more until one is done
 * @param spills whether a key with so many waiting records that they fill a quarter of the reserve leaves the last of
 *     them in the log, as Laneway does; the others then stay countable
 * @param assignor by what partitions are shared out, at the start and when members come or go
 */
public record Group(
        Mode mode, int partitions, int members, int concurrency, int reserve, boolean spills, Assignor assignor) {
    static final int MOST_PARTITIONS = 100_000;
    static final int MOST_MEMBERS = 10_000;
    static final int MOST_AT_ONCE = 1_000_000;

    /** Checks each value. */
    public Group {
        Check.between("partitions", partitions, 1, MOST_PARTITIONS);
        Check.between("members", members, 1, MOST_MEMBERS);
        Check.between("concurrency", concurrency, 1, MOST_AT_ONCE);
        Check.between("reserve", reserve, 1, 100_000_000);
    }

    /** One whose partitions are shared out by count. */
    public Group(Mode mode, int partitions, int members, int concurrency, int reserve, boolean spills) {
        this(mode, partitions, members, concurrency, reserve, spills, Assignor.COUNT);
    }

    /** The same with partitions that are shared out in another way. */
    public Group withAssignor(Assignor other) {
        return new Group(mode, partitions, members, concurrency, reserve, spills, other);
    }

    int workers() {
        return mode == Mode.PLAIN ? 1 : concurrency;
    }
}
