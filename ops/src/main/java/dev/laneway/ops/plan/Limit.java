package dev.laneway.ops.plan;

/** What keeps the rate from being higher. */
public enum Limit {
    /** The brokers: a partition takes only so much. */
    PARTITION_RATE("what a partition takes"),
    /** Some members have more partitions than others, and so more of the load. */
    UNEVEN("members that have more partitions than others"),
    /** As many records are handled at once as there are workers. */
    WORKERS("the workers"),
    /** Each partition is handled one record at a time, and all are busy. */
    PARTITIONS("the number of partitions"),
    /** Each key is handled one record at a time, and all are busy. */
    KEYS("the number of keys"),
    /** The records held are often of few keys or partitions, while workers wait. */
    RESERVE("the reserve: the records held are of too few keys or partitions"),
    /** The most frequent key alone takes all the time there is. */
    HOT_KEY("the most frequent key"),
    /** The disk of an instance. */
    DISK("the disk"),
    /** The network of an instance. */
    NETWORK("the network"),
    /** Instances were measured, and did no more. */
    MEASURED("what an instance was measured to sustain");

    private final String words;

    Limit(String words) {
        this.words = words;
    }

    /** In words, to follow "limited by". */
    public String words() {
        return words;
    }
}
