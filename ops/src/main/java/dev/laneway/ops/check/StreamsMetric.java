package dev.laneway.ops.check;

/** The metrics of Kafka Streams and its clients that rules ask for, by Kafka's own names. */
enum StreamsMetric {
    CLIENT_STATE("stream-metrics", "client-state", false),
    ALIVE_THREADS("stream-metrics", "alive-stream-threads", false),
    FAILED_THREADS("stream-metrics", "failed-stream-threads", false),
    /** 0 is INFO, 1 DEBUG, 2 TRACE. */
    RECORDING_LEVEL("stream-metrics", "recording-level", false),

    THREAD_STATE("stream-thread-metrics", "thread-state", false),
    PROCESS_RATIO("stream-thread-metrics", "process-ratio", false),
    POLL_RATIO("stream-thread-metrics", "poll-ratio", false),
    PUNCTUATE_RATIO("stream-thread-metrics", "punctuate-ratio", false),
    COMMIT_RATIO("stream-thread-metrics", "commit-ratio", false),
    PROCESSED("stream-thread-metrics", "process-total", false),

    /** Active tasks have it, standby tasks do not. */
    ACTIVE_TASK("stream-task-metrics", "active-process-ratio", false),
    DROPPED("stream-task-metrics", "dropped-records-total", false),
    RESTORE_REMAINING("stream-task-metrics", "restore-remaining-records-total", false),
    ACTIVE_RESTORING("stream-state-updater-metrics", "active-restoring-tasks", false),
    STANDBY_UPDATING("stream-state-updater-metrics", "standby-updating-tasks", false),
    RECORDS_LAG("consumer-fetch-manager-metrics", "records-lag", false),
    ASSIGNED("consumer-coordinator-metrics", "assigned-partitions", false),

    CACHE_CAPACITY("stream-state-metrics", "block-cache-capacity", false),
    CACHE_USAGE("stream-state-metrics", "block-cache-usage", false),
    MEMTABLES("stream-state-metrics", "size-all-mem-tables", false),
    ACTIVE_MEMTABLE("stream-state-metrics", "cur-size-active-mem-table", false),
    FULL_MEMTABLES("stream-state-metrics", "num-immutable-mem-table", false),
    FLUSH_PENDING("stream-state-metrics", "mem-table-flush-pending", false),
    SST_BYTES("stream-state-metrics", "total-sst-files-size", false),
    DATA_HITS("stream-state-metrics", "block-cache-data-hit-ratio", true),
    INDEX_HITS("stream-state-metrics", "block-cache-index-hit-ratio", true),
    FILTER_HITS("stream-state-metrics", "block-cache-filter-hit-ratio", true),
    BYTES_READ("stream-state-metrics", "bytes-read-rate", true),
    BYTES_WRITTEN("stream-state-metrics", "bytes-written-rate", true),
    MEMTABLE_HITS("stream-state-metrics", "memtable-hit-ratio", true),
    WRITE_STALLS("stream-state-metrics", "write-stall-duration-total", true),
    COMPACTED("stream-state-metrics", "bytes-written-compaction-rate", true),
    MEMORY_KEYS("stream-state-metrics", "num-keys", false),
    SUPPRESSED("stream-state-metrics", "suppression-buffer-size-max", true),
    RECORD_CACHE_HITS("stream-record-cache-metrics", "hit-ratio-avg", true);

    private final String group;
    private final String metric;
    private final boolean debug;

    StreamsMetric(String group, String metric, boolean debug) {
        this.group = group;
        this.metric = metric;
        this.debug = debug;
    }

    String group() {
        return group;
    }

    /** Its name in the group. */
    String metric() {
        return metric;
    }

    /** Whether it is recorded from {@code metrics.recording.level=DEBUG} on only. */
    boolean debug() {
        return debug;
    }
}
