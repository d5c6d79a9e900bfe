package dev.laneway.bench;

/**
 * A topic as a scenario wants it. Immutable.
 *
 * @param label what figures call it
 * @param records how many it is loaded with; 0 leaves it empty
 * @param size bytes of a value
 * @param keys how many keys the records have
 * @param skew Zipf's exponent; 0 deals evenly
 * @param inTurn whether keys are dealt in turn rather than drawn: drawn ones would differ in number, and the longest
 *     would set the time
 */
record Topic(String label, int partitions, long records, int size, int keys, double skew, boolean inTurn) {
    static Topic of(String label, int partitions, long records, int size, int keys) {
        return new Topic(label, partitions, records, size, keys, 0, false);
    }

    static Topic empty(String label, int partitions) {
        return of(label, partitions, 0, 0, 1);
    }

    Topic withSkew(double newSkew) {
        return new Topic(label, partitions, records, size, keys, newSkew, inTurn);
    }

    Topic withKeysInTurn() {
        return new Topic(label, partitions, records, size, keys, skew, true);
    }
}
