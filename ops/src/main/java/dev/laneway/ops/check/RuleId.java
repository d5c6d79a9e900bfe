package dev.laneway.ops.check;

/** The rules, as docs/check.md numbers them. */
public enum RuleId {
    /** Brokers answer. */
    B1("Brokers answer", Need.ADMIN_OR_PROCESS),
    /** Partitions have leaders. */
    B2("Partitions have leaders, and replicas in sync", Need.ADMIN),
    /** Committed offsets advance. */
    S1("Committed offsets advance", Need.ADMIN),
    /** The group does not rebalance. */
    S2("The group does not rebalance", Need.ADMIN_OR_PROCESS),
    /** All members run. */
    S3("All members run", Need.ADMIN_OR_PROCESS),
    /** All stream threads live. */
    S4("All stream threads live", Need.PROCESS),
    /** Members poll in time. */
    P1("Members poll in time", Need.PROCESS),
    /** Heartbeats come in time. */
    P2("Heartbeats come in time", Need.PROCESS),
    /** State lies on a volume of its own. */
    P3("State lies on a volume of its own", Need.CONFIG),
    /** Metrics are detailed enough. */
    P4("Metrics are detailed enough", Need.PROCESS),
    /** Garbage collection takes little time. */
    M1("Garbage collection takes little time", Need.PROCESS),
    /** RocksDB's memory is bounded. */
    M2("RocksDB's memory is bounded", Need.CONFIG),
    /** An allocator that does not fragment is loaded. */
    M3("The memory allocator does not fragment", Need.HOST),
    /** State in memory fits into the heap. */
    M4("State in memory fits into the heap", Need.PROCESS),
    /** Record caches have hits. */
    M5("Record caches have hits", Need.DEBUG),
    /** Block caches have hits. */
    M6("Block caches have hits", Need.DEBUG),
    /** Write buffers are large enough. */
    M7("Write buffers are large enough", Need.DEBUG),
    /** The page cache has room. */
    M8("The page cache has room", Need.HOST),
    /** There are not too many stores in one process. */
    M9("There are not too many stores in one process", Need.PROCESS),
    /** State is seldom read from disk. */
    D1("State is seldom read from disk", Need.HOST),
    /** The disk's write throughput has room. */
    D2("The disk's throughput has room", Need.HOST),
    /** The disk is not busy all the time. */
    D3("The disk is not busy all the time", Need.HOST),
    /** The disk has space. */
    D4("The disk has space", Need.HOST),
    /** The lag does not grow. */
    C1("The lag does not grow", Need.ADMIN),
    /** Retention does not overtake the group. */
    C2("Retention does not overtake the group", Need.ADMIN),
    /** The lag is made of records. */
    C3("The lag is made of records", Need.ADMIN),
    /** Kafka does not hold the group back. */
    C4("Kafka does not hold the group back", Need.PROCESS),
    /** No external call holds the group back. */
    C5("No external call holds the group back", Need.PROCESS),
    /** The processors have room. */
    C6("The processors have room", Need.PROCESS),
    /** There are enough threads for the processors. */
    C7("There are enough threads for the processors", Need.PROCESS),
    /** Each thread has work. */
    C8("Each thread has a task", Need.PROCESS),
    /** Partitions have like loads. */
    C9("Partitions have like loads", Need.ADMIN),
    /** Threads' time goes to processing. */
    C10("Threads' time goes into processing", Need.PROCESS),
    /** No records are dropped. */
    C11("No records are dropped", Need.PROCESS),
    /** No key makes a partition hot. */
    C12("No key makes a partition hot", Need.KEYS),
    /** Members have like shares of the partitions. */
    C13("Members have like shares of the partitions", Need.ADMIN),
    /** No processor takes most of a thread's time. */
    C14("No processor takes most of a thread's time", Need.NODES),
    /** A Laneway tells nothing bad of itself. */
    L1("Laneway is healthy", Need.LANEWAY),
    /** Workers of a Laneway have time, or what they wait for is known. */
    L2("Laneway's workers have time", Need.LANEWAY),
    /** No record of a Laneway is unfinished for much longer than others, and attempts succeed. */
    L3("Laneway's records end", Need.LANEWAY),
    /** Handlers of a Laneway run if records wait. */
    L4("Laneway starts what waits", Need.LANEWAY),
    /** Restoring has ended. */
    U3("Restoring has ended", Need.PROCESS),
    /** The capacity is needed. */
    W1("The capacity is needed", Need.PROCESS);

    /** What a rule must see. */
    public enum Need {
        /** What brokers tell of the group. */
        ADMIN("the Admin API"),
        /** What brokers tell, and keys of records. */
        KEYS("the Admin API and --keys"),
        /** Metrics of the members' processes. */
        PROCESS("a member's process"),
        /** Either of both. */
        ADMIN_OR_PROCESS("the Admin API or a member's process"),
        /** Metrics that Kafka Streams has at DEBUG only. */
        DEBUG("a member's process with metrics.recording.level=DEBUG"),
        /** Times of each processor node. */
        NODES("a member's process with processor.wrapper.class=" + NodeRule.TIMER),
        /** The figures of a Laneway. */
        LANEWAY("a Laneway in this process, or one that shows its bean"),
        /** Its configuration. */
        CONFIG("a member's process and its configuration"),
        /** The machine or container. */
        HOST("a member's process on this machine");

        private final String words;

        Need(String words) {
            this.words = words;
        }

        /** It in a few words. */
        public String words() {
            return words;
        }
    }

    private final String title;
    private final Need need;

    RuleId(String title, Need need) {
        this.title = title;
        this.need = need;
    }

    /** What it must see. */
    public Need need() {
        return need;
    }

    /** What holds if all is well. */
    public String title() {
        return title;
    }
}
