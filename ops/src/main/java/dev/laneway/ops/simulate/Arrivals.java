package dev.laneway.ops.simulate;

import java.util.SplittableRandom;

/**
 * When the records of one partition come: a Poisson process whose rate follows the traffic, after those that wait at
 * the start. Nothing is kept: a second one of the same seed counts what has come. Used by one thread.
 */
final class Arrivals {
    static final long NEVER = Long.MAX_VALUE;
    private static final double NANOS = 1e9;

    private final Rates rates;
    private final int partition;
    private final SplittableRandom random;
    private long waiting;
    private double seconds;
    private int slot;
    private long next;

    /** The traffic in slots of equal length, and the share of each partition before and after the keys shift. */
    static final class Rates {
        private final double[] perSecond;
        private final double slotSeconds;
        private final KeyTable before;
        private final KeyTable after;
        private final double shiftSeconds;

        /** @param perSecond by slot */
        Rates(double[] perSecond, double slotSeconds, KeyTable before, KeyTable after, double shiftSeconds) {
            this.perSecond = perSecond;
            this.slotSeconds = slotSeconds;
            this.before = before;
            this.after = after;
            this.shiftSeconds = shiftSeconds;
        }

        double of(int partition, int slot) {
            KeyTable table = slot * slotSeconds < shiftSeconds ? before : after;
            return perSecond[slot] * table.share(partition);
        }

        KeyTable at(long nanos) {
            return (double) nanos < shiftSeconds * NANOS ? before : after;
        }
    }

    Arrivals(Rates rates, int partition, long seed, long waiting) {
        this.rates = rates;
        this.partition = partition;
        this.waiting = waiting;
        random = new SplittableRandom(seed);
        advance();
    }

    /** When the next record comes, in nanoseconds from the start. */
    long next() {
        return next;
    }

    /** Goes on to the one after it. */
    void advance() {
        if (waiting > 0) {
            waiting--;
            return;
        }
        double left = Draw.exponential(random);
        while (slot < rates.perSecond.length) {
            double rate = rates.of(partition, slot);
            double end = (slot + 1) * rates.slotSeconds;
            double room = rate * (end - seconds);
            if (left < room) {
                seconds += left / rate;
                next = (long) (seconds * NANOS);
                return;
            }
            left -= Math.max(0, room);
            seconds = end;
            slot++;
        }
        next = NEVER;
    }

    /** How many come up to a time, of those not counted yet. */
    long countUpTo(long nanos) {
        long count = waiting;
        waiting = 0;
        if (count > 0) {
            count++; // The one that is next, too.
            advance();
        }
        while (next <= nanos) {
            count++;
            advance();
        }
        return count;
    }
}
