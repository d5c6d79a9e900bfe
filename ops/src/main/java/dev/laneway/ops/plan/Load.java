package dev.laneway.ops.plan;

/**
 * What comes, and what a record takes. Immutable.
 *
 * @param rate records a second, of all partitions together, at the time of day when most come
 * @param serviceSeconds how long the handler takes for a record, on average; 0 if that does not count
 * @param keys how many different keys come within some seconds; 0 if not known
 * @param hottestShare the share of the most frequent key in all records; 0 if all are alike
 * @param recordBytes key and value of a record, on average
 * @param diskBytes what a record makes an instance read from and write to its disk, compaction included; 0 for none
 * @param networkBytes what a record makes an instance receive and send
 * @param cpuSeconds processor time of a record; 0 if not known
 */
public record Load(
        double rate,
        double serviceSeconds,
        long keys,
        double hottestShare,
        double recordBytes,
        double diskBytes,
        double networkBytes,
        double cpuSeconds) {
    /** Checks each value. */
    public Load {
        Check.positive("rate", rate);
        Check.notNegative("serviceSeconds", serviceSeconds);
        Check.notNegative("keys", (double) keys);
        Check.share("hottestShare", hottestShare);
        Check.positive("recordBytes", recordBytes);
        Check.notNegative("diskBytes", diskBytes);
        Check.notNegative("networkBytes", networkBytes);
        Check.notNegative("cpuSeconds", cpuSeconds);
    }

    /** Records of 1 kB with keys that are alike. */
    public static Load of(double rate, double serviceSeconds, long keys) {
        return new Load(rate, serviceSeconds, keys, 0, 1_000, 0, 1_000, 0);
    }

    /** How many records are handled at once on average: Little's law. */
    public double concurrency() {
        return rate * serviceSeconds;
    }
}
