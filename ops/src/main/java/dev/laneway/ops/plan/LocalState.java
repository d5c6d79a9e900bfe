package dev.laneway.ops.plan;

/**
 * State that members keep on their disks, as Kafka Streams does. Immutable.
 *
 * @param bytes of all partitions together, one copy; 0 for none
 * @param restoreRate bytes a second in which a member reads state again from its changelog
 * @param stores RocksDB stores of all partitions together, standbys included
 */
public record LocalState(double bytes, double restoreRate, int stores) {
    /** No state. */
    public static final LocalState NONE = new LocalState(0, 50e6, 0);

    /** Checks each value. */
    public LocalState {
        Check.notNegative("bytes", bytes);
        Check.positive("restoreRate", restoreRate);
        Check.notNegative("stores", stores);
    }
}
