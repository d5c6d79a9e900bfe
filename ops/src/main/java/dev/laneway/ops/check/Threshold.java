package dev.laneway.ops.check;

/** A limit that a rule compares with; users can set each. */
public enum Threshold {
    /** Share of {@code max.poll.interval.ms} that may pass between two polls. */
    POLL_INTERVAL_SHARE("poll.interval.share", 0.5, "of max.poll.interval.ms may pass between two polls"),
    /** Share of the time that collections may take. */
    GC_SHARE("gc.share", 0.05, "of the time may go into garbage collection"),
    /** Share of the heap that may be used after a collection. */
    HEAP_SHARE("heap.share", 0.85, "of the heap may be live after a collection"),
    /** Share of the time that threads may wait for Kafka. */
    BLOCKED_SHARE("blocked.share", 0.75, "of a thread's time may pass in waiting for Kafka"),
    /** Share of the time that threads may wait for something else. */
    EXTERNAL_SHARE("external.share", 0.5, "of a thread's time may pass in waiting inside a handler"),
    /** Share of the time that threads may wait for a producer. */
    PRODUCER_SHARE("producer.share", 0.5, "of a thread's time may pass in waiting for a producer's acknowledgements"),
    /** Milliseconds until a send is acknowledged, where it is not seen whose time that takes. */
    SEND_MILLIS("send.ms", 100, "ms until a send is acknowledged, unless the thread is seen to do something else"),
    /** Milliseconds by which the brokers may delay a request. */
    THROTTLE_MILLIS("throttle.ms", 10, "ms of throttling on average"),
    /** Share of the processors. */
    CPU_SHARE("cpu.share", 0.8, "of the processors may be busy"),
    /** Share of the scheduler's periods in which a container may be held back. */
    CPU_HELD_SHARE("cpu.held.share", 0.25, "of the periods may a container be held back at its processor limit"),
    /** Idle threads from which on fewer would do. */
    IDLE_SHARE("idle.share", 0.75, "of all threads' time may be idle"),
    /** Load of the busiest partition against the mean. */
    SKEW("skew", 2, "times the mean may come into one partition"),
    /** Share of all that waits which one partition may have. */
    LAG_SHARE("lag.share", 0.5, "of the lag may be in one partition"),
    /** Block cache hits. */
    BLOCK_CACHE_HITS("block.cache.hits", 0.5, "of a block cache's reads must be hits"),
    /** Reads from disk for each record. */
    READS_PER_RECORD("disk.reads.per.record", 0.1, "reads from disk a record"),
    /** Share of a thread's time in which it reads its stores. */
    READ_TIME("read.time.share", 0.2, "of a thread's time may go into reads of its stores"),
    /** Bytes of write buffer for each store. */
    WRITE_BUFFER("write.buffer.bytes", 16 << 20, "bytes of write buffer a store"),
    /** Share of the disk's throughput. */
    DISK_SHARE("disk.share", 0.8, "of the disk's limit"),
    /** Share of a volume that may be full. */
    VOLUME_SHARE("volume.share", 0.8, "of the volume may be full"),
    /** Share of the time from which on collections hold a process back. */
    GC_SHARE_SEVERE("gc.share.severe", 0.2, "of the time in garbage collection holds a process back"),
    /** Hit ratio that a record cache shows without one useful hit. */
    RECORD_CACHE_HITS("record.cache.hits", 0.5, "of a record cache's reads are hits if it is of no use"),
    /** Reads from disk in a second that are few, whatever the records. */
    DISK_READS("disk.reads.per.second", 100, "reads from disk a second are few"),
    /** Flushes of a store's write buffer in a minute. */
    FLUSHES("flushes.per.minute", 12, "flushes a minute of a store's write buffer"),
    /** Share of the disk's throughput at which it does no more. */
    DISK_SHARE_SEVERE("disk.share.severe", 0.95, "of the disk's limit is all that it does"),
    /** Share of a volume at which it is as good as full. */
    VOLUME_SHARE_SEVERE("volume.share.severe", 0.95, "of the volume is as good as full"),
    /** Seconds until a volume is full. */
    VOLUME_SECONDS("volume.full.seconds", 7 * 86_400, "s until the volume is full"),
    /** Seconds for which a volume must be watched before its growth says anything. */
    VOLUME_WATCH_SECONDS("volume.watch.seconds", 600, "s of watching before a volume's growth counts"),
    /** Share of the state on disk for which the page cache must have room. */
    PAGE_CACHE_SHARE("page.cache.share", 0.1, "of the state on disk must have room in the page cache"),
    /** Share of the memory limit from which on the page cache cannot grow. */
    MEMORY_SHARE("memory.share", 0.9, "of the memory limit is all that can be used"),
    /** Memory of a process beside its heap and RocksDB. */
    MEMORY_RESERVE("memory.reserve.bytes", 256 << 20, "bytes for the JVM beside heap and RocksDB"),
    /** Stores in one process that are too many. */
    STORES_SEVERE("stores.severe", 50, "stores in one process are too many for any memory"),
    /** Share of a thread's time for commits. */
    COMMIT_SHARE("commit.share", 0.2, "of a thread's time may go into commits"),
    /** Share of a thread's time from which on commits hold it back. */
    COMMIT_SHARE_SEVERE("commit.share.severe", 0.5, "of a thread's time in commits holds it back"),
    /** Share of a thread's time for punctuators. */
    PUNCTUATE_SHARE("punctuate.share", 0.2, "of a thread's time may go into punctuators"),
    /** Records that may be dropped. */
    DROPPED("dropped.records", 0, "records may be dropped"),
    /** Share of the records whose loss is a failure. */
    DROPPED_SHARE("dropped.share", 0.01, "of the records may be dropped at most"),
    /** Records that a standby may be behind. */
    STANDBY_LAG("standby.lag", 10_000, "records that a standby may be behind"),
    /** Records that wait from which on a thread without a task is missed. */
    WAITING("waiting.records", 1000, "records may wait while a thread has no task"),
    /** Stores in one process. */
    STORES("stores", 30, "stores in one process"),
    /** Seconds until retention takes what is not read. */
    RETENTION_SECONDS("retention.seconds", 3600, "s until retention deletes what is not read"),
    /** Share of a Laneway's workers. */
    WORKERS_SHARE("workers.share", 0.9, "of a Laneway's workers may be busy"),
    /** Seconds that a handler may take for a record. */
    HANDLER_SECONDS("handler.seconds", 1, "s that a record may take in a Laneway's handler"),
    /** How much longer a record may take than it did. */
    SLOWER("slower", 2, "times as long as before may a record take in a Laneway's handler"),
    /** How much longer than others a record may be unfinished. */
    STUCK_TIMES("stuck.times", 20, "times as long as others take may a Laneway's record be unfinished"),
    /** Seconds for which a record may be unfinished whatever others take. */
    STUCK_SECONDS("stuck.seconds", 1.5, "s may a Laneway's record be unfinished, however little others take"),
    /** Seconds for which a record may be unfinished where no other ends. */
    STUCK_ALONE_SECONDS("stuck.alone.seconds", 10, "s may a Laneway's record be unfinished while no other ends"),
    /** Seconds without a record done. */
    STILL_SECONDS("still.seconds", 8, "s may a Laneway start none of the records that wait"),
    /** Rebalances of a Laneway within a minute. */
    REBALANCES("rebalances", 3, "rebalances of a Laneway within a minute are a storm"),
    /** Share of a thread's time for one processor node. */
    NODE_SHARE("node.share", 0.5, "of a thread's time may go into one processor node");

    private final String key;
    private final double usual;
    private final String meaning;

    Threshold(String key, double usual, String meaning) {
        this.key = key;
        this.usual = usual;
        this.meaning = meaning;
    }

    /** Its name in options and documents. */
    public String key() {
        return key;
    }

    /** Its value if nobody sets it. */
    public double usual() {
        return usual;
    }

    /** What it says, after its value. */
    public String meaning() {
        return meaning;
    }
}
