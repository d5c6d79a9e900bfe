package dev.laneway.ops.plan;

import java.util.Locale;

/** Which records may be handled at once. */
public enum Mode {
    /** A consumer as Kafka has it: one thread, one record after the other. */
    PLAIN,
    /** Records of different partitions. */
    PARTITION,
    /** Records of different keys. */
    KEY,
    /** All records. */
    UNORDERED;

    /** As options and reports write it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
