package dev.laneway.ops.simulate;

import java.util.List;

/**
 * What came of it. Immutable.
 *
 * @param appended records that came, those that waited at the start included
 * @param done records that were done
 * @param rate records a second that were done after the warm-up
 * @param lag records that were left at the end
 * @param mostLag the most at any tick
 * @param busyShare the share of all workers' time in which they handled records
 * @param p50Seconds half of the records done after the warm-up were younger than that
 * @param p99Seconds 99 % of them were
 * @param maxSeconds the oldest
 * @param instanceHours of all members, those that had not joined yet included
 * @param breachMinutes in which records were older than the goal: those done, or those waiting in the log
 * @param rescales how often the number of members changed
 * @param ticks in the order of time
 */
public record SimulationResult(
        long appended,
        long done,
        double rate,
        long lag,
        long mostLag,
        double busyShare,
        double p50Seconds,
        double p99Seconds,
        double maxSeconds,
        double instanceHours,
        double breachMinutes,
        int rescales,
        List<Tick> ticks) {
    /** Copies the list. */
    public SimulationResult {
        ticks = List.copyOf(ticks);
    }
}
