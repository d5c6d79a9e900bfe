package dev.laneway.ops.plan;

/**
 * What one member of the group has, in a process of its own. Immutable.
 *
 * @param concurrency how many records it handles at once; a {@link Mode#PLAIN} consumer has 1, whatever this is
 * @param reserve how many records it holds, those that are handled included; 0 sizes it as Laneway does: 20,000, or 32
 *     for each worker
 * @param bufferBytes the most bytes that it holds
 * @param volumeRate bytes a second that its volume allows; infinite if that does not count
 * @param diskRate bytes a second that the machine allows for all its volumes
 * @param networkRate bytes a second that the machine's network allows
 * @param price of an hour
 */
public record Instance(
        int concurrency,
        int reserve,
        double bufferBytes,
        double volumeRate,
        double diskRate,
        double networkRate,
        double price) {
    private static final int LEAST_RESERVE = 20_000;
    private static final int RESERVE_OF_A_WORKER = 32;

    /** Laneway's defaults, with nothing that caps a disk or the network, at no cost. */
    public static final Instance USUAL = new Instance(
            256, 0, 64 << 20, Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, 0);

    /** Checks each value. */
    public Instance {
        Check.atLeast("concurrency", concurrency, 1);
        Check.notNegative("reserve", reserve);
        Check.atLeast("bufferBytes", bufferBytes, 1);
        Check.positive("volumeRate", Math.min(volumeRate, Double.MAX_VALUE));
        Check.positive("diskRate", Math.min(diskRate, Double.MAX_VALUE));
        Check.positive("networkRate", Math.min(networkRate, Double.MAX_VALUE));
        Check.notNegative("price", price);
    }

    /** The same with another concurrency and reserve. */
    public Instance with(int newConcurrency, int newReserve) {
        return new Instance(newConcurrency, newReserve, bufferBytes, volumeRate, diskRate, networkRate, price);
    }

    /** How many records it can hold by their number. */
    double records() {
        return reserve > 0 ? reserve : Math.max(LEAST_RESERVE, (double) RESERVE_OF_A_WORKER * concurrency);
    }

    /** How many records it can hold by their number and their bytes. */
    double held(double recordBytes) {
        return Math.max(1, Math.min(records(), Math.floor(bufferBytes / recordBytes)));
    }

    /** A disk gives what its volume and its machine both allow. */
    double disk() {
        return Math.min(volumeRate, diskRate);
    }
}
