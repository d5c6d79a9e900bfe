package dev.laneway.bench.scenario;

/**
 * A topic of a scenario. Immutable.
 *
 * @param label its name in figures
 * @param records how many it is loaded with; 0 leaves it empty
 * @param size bytes of a value
 * @param keys how many keys the records have
 * @param skew Zipf's exponent; 0 is even
 * @param dealing how each record gets its key
 */
public record Topic(String label, int partitions, long records, int size, int keys, double skew, Dealing dealing) {
    static Topic of(String label, int partitions, long records, int size, int keys) {
        return new Topic(label, partitions, records, size, keys, 0, Dealing.DRAWN);
    }

    public static Topic empty(String label, int partitions) {
        return of(label, partitions, 0, 0, 1);
    }

    Topic withRecords(long newRecords) {
        return new Topic(label, partitions, newRecords, size, keys, skew, dealing);
    }

    Topic withSkew(double newSkew) {
        return new Topic(label, partitions, records, size, keys, newSkew, dealing);
    }

    Topic dealt(Dealing newDealing) {
        return new Topic(label, partitions, records, size, keys, skew, newDealing);
    }
}
