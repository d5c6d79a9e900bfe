package dev.laneway;

/**
 * What to do with commit metadata that another program wrote for the group. Laneway keeps there which records beyond
 * the committed offset are done. Immutable.
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
