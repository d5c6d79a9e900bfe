package dev.laneway.ops;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** The latest readings of one partition, oldest first. Used by one thread. */
final class ReadingWindow {
    /** So few that the slopes of all pairs are cheap for ten thousand partitions. */
    static final int MOST = 15;

    private final Deque<Reading> readings = new ArrayDeque<>(MOST);
    private LagAge lastAge = LagAge.UNBOUNDED;
    private long ageCommitted = Reading.UNKNOWN;
    private long ageAtMillis;

    void add(Reading reading) {
        if (readings.size() == MOST) {
            readings.removeFirst();
        }
        readings.addLast(reading);
    }

    List<Reading> readings() {
        return List.copyOf(readings);
    }

    /** Those with a known lag. */
    List<Reading> known() {
        List<Reading> known = new ArrayList<>(readings.size());
        for (Reading reading : readings) {
            if (reading.lag() != Reading.UNKNOWN) {
                known.add(reading);
            }
        }
        return known;
    }

    Reading last() {
        return readings.getLast();
    }

    /** What earlier rounds have found out about the record at this offset, which has aged since. */
    LagAge remembered(long committed, long nowMillis) {
        if (committed != ageCommitted) {
            return LagAge.UNBOUNDED;
        }
        double passed = Math.max(0, nowMillis - ageAtMillis) / 1e3;
        return new LagAge(lastAge.low() + passed, lastAge.high() + passed);
    }

    void remember(long committed, long nowMillis, LagAge age) {
        ageCommitted = committed;
        ageAtMillis = nowMillis;
        lastAge = age;
    }
}
