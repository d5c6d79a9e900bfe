package dev.laneway.cli.workload;

import java.util.Comparator;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How far a verb is. Immutable.
 *
 * @param done records so far
 * @param total records in all; {@link Loader#ENDLESS} when there is no end
 * @param running handlers that run now; {@link #UNKNOWN} where there are none
 * @param held records fetched and not done; {@link #UNKNOWN} where nothing is held
 * @param lag records between the commit and the end of the log, by partition; empty where nothing is consumed
 */
public record Progress(long done, long total, long running, long held, SortedMap<String, Long> lag) {
    public static final long UNKNOWN = -1;

    /** Progress of something that only counts. */
    public static Progress of(long done, long total) {
        return new Progress(done, total, UNKNOWN, UNKNOWN, emptyLag());
    }

    /** An empty map for the lag: names that end in numbers stand in the order of the numbers. */
    public static SortedMap<String, Long> emptyLag() {
        return new TreeMap<>(Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()));
    }

    boolean hasEnd() {
        return total != Loader.ENDLESS;
    }

    /** The share that is done, 0 to 1. */
    double share() {
        return total <= 0 ? 1 : Math.min(1.0, (double) done / total);
    }

    long totalLag() {
        return lag.values().stream().mapToLong(Long::longValue).sum();
    }
}
