package dev.laneway.ops.simulate;

import java.util.Locale;
import java.util.SplittableRandom;

/**
 * When the records of one partition come: a Poisson process whose rate follows the traffic, after those that wait at
 * the start. Nothing is kept: a second one of the same seed counts what has come. Used by one thread.
 */
final class Arrivals {
    static final long NEVER = Long.MAX_VALUE;
    private static final double NANOS = 1e9;
    private static final int MOST_SLOTS = 1_000_000;
    private static final double USUAL_SLOT = 1;
    private static final double LEAST_SLOTS = 1_000;
    /** About a quarter of an hour of work. */
    private static final double MOST_RECORDS = 2e9;

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

        private Rates(double[] perSecond, double slotSeconds, KeyTable before, KeyTable after, double shiftSeconds) {
            this.perSecond = perSecond;
            this.slotSeconds = slotSeconds;
            this.before = before;
            this.after = after;
            this.shiftSeconds = shiftSeconds;
        }

        /** @throws IllegalArgumentException if more than two billion records come, or a rate is no number */
        static Rates of(Scenario scenario, KeyTable before, KeyTable after) {
            double seconds = scenario.span().seconds();
            double slot = Math.max(seconds / MOST_SLOTS, Math.min(USUAL_SLOT, seconds / LEAST_SLOTS));
            double[] perSecond = new double[(int) Math.ceil(seconds / slot)];
            double records = 0;
            for (int i = 0; i < perSecond.length; i++) {
                perSecond[i] = scenario.traffic().rate(i * slot);
                Check.notNegative("rate", perSecond[i]);
                records += perSecond[i] * slot;
            }
            if (records > MOST_RECORDS) {
                throw new IllegalArgumentException(String.format(
                        Locale.ROOT,
                        "traffic is %,.0f records but must be at most %,.0f: simulate a shorter time, or less traffic"
                                + " with as many workers less",
                        records,
                        MOST_RECORDS));
            }
            return new Rates(perSecond, slot, before, after, scenario.keys().shiftSeconds());
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
