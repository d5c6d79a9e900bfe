package dev.laneway.cli.workload;

import dev.laneway.ConfigurationException;
import dev.laneway.cli.program.Rules;
import picocli.CommandLine.Option;

/** The options that say what is loaded, shared by the verbs that load. Filled by the parser, then read only. */
public final class Records {
    private static final int MOST_KEYS = 50_000_000;
    private static final int MOST_BYTES = 900_000;

    @Option(
            names = "--keys",
            paramLabel = "N",
            defaultValue = "100000",
            description = "How many keys the records have (default: ${DEFAULT-VALUE}).")
    private int keys;

    @Option(
            names = "--zipf",
            paramLabel = "S",
            defaultValue = "0",
            description = "Skew of the keys: key k gets a share in proportion to 1/(k+1)^S; 0 is even (default:"
                    + " ${DEFAULT-VALUE}).")
    private double skew;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            defaultValue = "100",
            description = "Size of each value (default: ${DEFAULT-VALUE}).")
    private int size;

    @Option(
            names = "--partitions",
            paramLabel = "N",
            defaultValue = "10",
            description = "Partitions of a topic that is created (default: ${DEFAULT-VALUE}).")
    private int partitions;

    /** Checks each option. */
    public void check() {
        Rules.between("--keys", keys, 1, MOST_KEYS);
        Rules.between("--size", size, Payload.LEAST_BYTES, MOST_BYTES);
        Rules.between("--partitions", partitions, 1, 10_000);
        if (!(skew >= 0 && skew <= 10)) {
            throw new ConfigurationException("--zipf", skew, "must be from 0 to 10", "1 is a usual skew, 0 none");
        }
    }

    public int keys() {
        return keys;
    }

    public double skew() {
        return skew;
    }

    public int size() {
        return size;
    }

    public int partitions() {
        return partitions;
    }

    /** To load so many of them into a topic, at a rate; 0 for as fast as possible. */
    public Loader.Plan plan(String topic, long records, long ratePerSecond) {
        return new Loader.Plan(topic, records, keys, skew, size, ratePerSecond);
    }
}
