package dev.laneway;

/**
 * What to do with commit metadata that another program wrote for the group. Laneway stores there which records are done
 * beyond the committed offset. Immutable.
 */
public enum MetadataPolicy {
    /**
     * Read Laneway's and Parallel Consumer's maps, ignore and overwrite anything else, with one warning per partition.
     * The default.
     */
    READ,
    /** Read only Laneway's own maps; ignore and overwrite anything else. */
    IGNORE_FOREIGN,
    /** Stop with a {@link LanewayException} when a partition has metadata that is not empty and not Laneway's. */
    FAIL_ON_FOREIGN
}
