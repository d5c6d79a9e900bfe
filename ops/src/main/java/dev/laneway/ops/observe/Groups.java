package dev.laneway.ops.observe;

/** The groups of metrics that are not Kafka's own, see {@link Metric#group()}. */
public final class Groups {
    /**
     * What came of asking a source: text {@code failure}, and {@code unreachable} where nobody answered; empty if it
     * could be read.
     */
    public static final String SOURCE = "source";

    /**
     * The group as a whole, from the Admin API: numbers {@code members}, {@code partitions}; texts {@code group},
     * {@code state}, {@code kind}, and, where it cannot be read whole, {@code problem} (tag {@code n}).
     */
    public static final String GROUP = "group";

    /**
     * Its partitions, from the Admin API, tags {@code topic} and {@code partition}: numbers {@code committed},
     * {@code start}, {@code end}, {@code lag}, {@code done-beyond} (of the lag, by Laneway's map), {@code age-seconds}
     * (of the first that waits, at least), {@code slope} (of the lag, a second), {@code leaders} (1, or 0 without one),
     * {@code replicas} and {@code in-sync}; texts {@code status} (a name of {@link dev.laneway.ops.LagStatus}),
     * {@code evidence}, {@code member} (its id).
     */
    public static final String PARTITION = "group-partition";

    /**
     * Keys of records in a partition that is behind, tags {@code topic} and {@code partition}: numbers {@code records}
     * that were read, {@code keyless} of them, {@code distinct} keys, {@code most-frequent} (records of the one key
     * that has the most); text {@code problem} where they could not be read. Nothing of a key itself.
     */
    public static final String KEYS = "group-keys";

    /**
     * Its members, from the Admin API, tags {@code member-id}, {@code client-id}, {@code host}, {@code instance-id}
     * (empty for one that is not static): number {@code assigned-partitions}.
     */
    public static final String MEMBER = "group-member";

    /** Its topics, from the Admin API, tag {@code topic}: numbers {@code retention-ms}, {@code retention-bytes}. */
    public static final String TOPIC = "topic";

    /**
     * Configuration values, as texts, tag {@code client-id}: {@code max.poll.interval.ms} and so on. Also what users
     * tell of their disks, which nothing shows: {@code disk.iops.cap} and {@code disk.bytes.cap}, a second.
     */
    public static final String CONFIG = "config";

    /**
     * The JVM: numbers {@code gc-time-ms-total} and {@code gc-count-total} (tag {@code gc}), {@code heap-used-bytes},
     * {@code heap-max-bytes}, {@code heap-after-gc-bytes} (tag {@code pool}), {@code process-cpu-ns-total},
     * {@code process-cpu-share} (of all processors, where only that is told), {@code available-processors},
     * {@code uptime-ms}. Of ZGC and Shenandoah, collectors named {@code ... Cycles} run beside the program: only those
     * named {@code ... Pauses} stop it.
     */
    public static final String JVM = "jvm";

    /**
     * Where threads that run users' code were, found by samples of their stacks, tag {@code thread-group}: numbers
     * {@code samples-total}, {@code waiting-samples-total} (in a user's call, for something else than Kafka),
     * {@code kafka-samples-total} (waiting for Kafka), and of these {@code producer-samples-total} (for a producer's
     * acknowledgement or room). The others ran, or had no work.
     */
    public static final String THREADS = "threads";

    /**
     * The cgroup of the process: numbers {@code memory-max-bytes}, {@code memory-current-bytes},
     * {@code memory-file-bytes}, {@code memory-anon-bytes}, {@code cpu-throttled-total}, {@code cpu-periods-total},
     * {@code cpu-cores} (the quota), {@code oom-kills-total}; with tag {@code device}, what its processes did with a
     * disk: {@code reads-total}, {@code writes-total}, {@code read-bytes-total}, {@code written-bytes-total}.
     */
    public static final String CGROUP = "cgroup";

    /**
     * The process, as its system sees it: numbers {@code read-bytes-total}, {@code written-bytes-total} (from and to
     * disks); text {@code allocator}: {@code jemalloc}, {@code tcmalloc}, {@code mimalloc}, or {@code system}.
     */
    public static final String PROCESS = "process";

    /**
     * Disks of the machine, whoever uses them, tag {@code device}: numbers {@code reads-total}, {@code writes-total},
     * {@code read-bytes-total}, {@code written-bytes-total}, {@code busy-ms-total}.
     */
    public static final String DISK = "disk";

    /** Volumes, tag {@code path}: numbers {@code total-bytes}, {@code free-bytes}; text {@code type}. */
    public static final String VOLUME = "volume";

    /**
     * A Laneway instance, tag {@code client-id} (the name that its user gave it): numbers and texts of
     * {@link LanewayFigures}, such as {@code busy-ns-total} and {@code health}; text {@code reasons}, those of the
     * health, one a line.
     */
    public static final String LANEWAY = "laneway";

    /**
     * Its partitions, tags {@code client-id}, {@code topic} and {@code partition}: numbers and texts of
     * {@link LanewayFigures.Part}, such as {@code lag} and {@code pause-reason}.
     */
    public static final String LANEWAY_PARTITION = "laneway-partition";

    /**
     * What processors of Kafka Streams do, told by {@link NodeTimer}, tags {@code thread-id} and
     * {@code processor-node-id}: numbers {@code busy-ns-total} (in the node itself, without those behind it),
     * {@code calls-total}, {@code max-ns} (the longest call, those behind it included).
     */
    public static final String NODE = "processor-node-times";

    private Groups() {}
}
