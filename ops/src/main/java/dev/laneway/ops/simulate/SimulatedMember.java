package dev.laneway.ops.simulate;

/** One member of the group. Used by one thread. */
final class SimulatedMember {
    final int number;
    /** Lanes with records that a worker may take; some may have changed hands since. */
    final IntRing ready = new IntRing();
    /** Partitions with records in the log; some may have changed hands since. */
    final IntRing available = new IntRing();

    int running;
    private double busyNanos;
    private long runningSince;
    /** Records that count for the reserve. */
    long held;
    /** Those that do not, since they stand in the log alone. */
    long spilled;
    /** The lane with the most records that count, as far as it was seen. */
    int longest = -1;

    SimulatedMember(int number) {
        this.number = number;
    }

    /** Starts or ends records. */
    void run(int change, long now) {
        busyNanos = busyNanos(now);
        runningSince = now;
        running += change;
    }

    /** Time in which records were handled, each counted by itself. */
    double busyNanos(long now) {
        return busyNanos + (double) running * (double) (now - runningSince);
    }
}
