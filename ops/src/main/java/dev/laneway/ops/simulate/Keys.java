package dev.laneway.ops.simulate;

/**
 * Which keys records have. Keys are dealt out to partitions in turn, the most frequent first. Immutable.
 *
 * @param count how many there are
 * @param zipf the exponent by which key n is n^zipf times rarer than the first; 0 for all alike
 * @param hotShare the share of one hot key, the others sharing the rest; 0 for none
 * @param shiftSeconds when other keys become the frequent ones, in other partitions: from then on the order is turned
 *     by half the keys; infinite for never
 */
public record Keys(int count, double zipf, double hotShare, double shiftSeconds) {
    private static final int MOST = 10_000_000;

    /** Checks each value. */
    public Keys {
        Check.between("count", count, 1, MOST);
        Check.between("zipf", zipf, 0, 10);
        Check.between("hotShare", hotShare, 0, 1);
        if (!(shiftSeconds >= 0)) {
            throw Check.wrong("shiftSeconds", shiftSeconds, "0 or more");
        }
    }

    /** All alike. */
    public static Keys alike(int count) {
        return new Keys(count, 0, 0, Double.POSITIVE_INFINITY);
    }

    boolean shifts() {
        return shiftSeconds < Double.POSITIVE_INFINITY;
    }

    /** By how many places the keys are turned when they shift: half of them, and the first to another partition. */
    int turn(int partitions) {
        int half = Math.ceilDiv(count, 2) % count;
        return half % partitions == 0 && half + 1 < count ? half + 1 : half;
    }

    /** The weight of the key of a rank, from 0 on; not normalised. */
    double weight(int rank) {
        double weight = zipf == 0 ? 1 : StrictMath.pow(rank + 1, -zipf);
        return rank == 0 && hotShare > 0 && hotShare < 1 ? 0 : weight;
    }
}
