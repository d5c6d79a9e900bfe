package dev.laneway.ops.check;

import dev.laneway.ops.observe.Groups;

/** Processes with Kafka Streams, made by hand, for the tables of rules. */
final class Made {
    static final double MIB = 1 << 20;
    static final double GIB = 1 << 30;

    private Made() {}

    /** A process with Kafka Streams and no store. */
    static Seen streams() {
        return streamsAt(0);
    }

    /** The same with a recording level: 0 INFO, 1 DEBUG, 2 TRACE. */
    static Seen streamsAt(double level) {
        return Seen.of("pid 1")
                .number("stream-metrics", "alive-stream-threads", "client-id=a", 1, 1, 1)
                .number("stream-metrics", "recording-level", "client-id=a,process-id=p", level, level, level);
    }

    static String store(int number) {
        return "rocksdb-state-id=s,task-id=0_" + number + ",thread-id=t";
    }

    /** Adds stores with a block cache each. */
    static Seen stores(Seen seen, int count, double capacity) {
        for (int i = 0; i < count; i++) {
            seen.number("stream-state-metrics", "block-cache-capacity", store(i), capacity, capacity, capacity);
        }
        return seen;
    }

    /** A process with one store at DEBUG. */
    static Seen store() {
        return stores(streamsAt(1), 1, 64 * MIB);
    }

    /** Adds reads from disk and records, both a second. */
    static Seen reads(Seen seen, double reads, double records) {
        return seen.number(Groups.DISK, "reads-total", "device=d", 0, reads * 10, reads * 20)
                .number("stream-thread-metrics", "process-total", "thread-id=t", 0, records * 10, records * 20);
    }

    /** Adds what one thread gets from its one store: so many a second, each of so many microseconds. */
    static Seen gets(Seen seen, double rate, double micros) {
        return seen.number("stream-state-metrics", "get-rate", store(0), rate, rate)
                .number("stream-state-metrics", "get-latency-avg", store(0), micros * 1e3, micros * 1e3);
    }

    /** Adds a share of the time for which the disk is busy. */
    static Seen busy(Seen seen, double share) {
        return seen.number(Groups.DISK, "busy-ms-total", "device=d", 0, share * 10_000, share * 20_000);
    }

    /** Adds the hit ratio of the block cache of the one store. */
    static Seen hits(Seen seen, double ratio) {
        return seen.number("stream-state-metrics", "block-cache-data-hit-ratio", store(0), ratio, ratio, ratio)
                .number("stream-state-metrics", "bytes-read-rate", store(0), 1e6);
    }

    /** Adds a cgroup: its limit, what is used of it, the page cache and the rest, in MiB. */
    static Seen memory(Seen seen, double max, double current, double file, double anon) {
        return seen.number(Groups.CGROUP, "memory-max-bytes", max * MIB)
                .number(Groups.CGROUP, "memory-current-bytes", current * MIB)
                .number(Groups.CGROUP, "memory-file-bytes", file * MIB)
                .number(Groups.CGROUP, "memory-anon-bytes", anon * MIB);
    }

    /** Adds state on disk, in MiB. */
    static Seen state(Seen seen, double mib) {
        return seen.number("stream-state-metrics", "total-sst-files-size", store(0), mib * MIB);
    }

    /** Adds the size of the one store's write buffer in each sample, in MiB. */
    static Seen buffer(Seen seen, double... mib) {
        double[] bytes = new double[mib.length];
        for (int i = 0; i < mib.length; i++) {
            bytes[i] = mib[i] * MIB;
        }
        return seen.number("stream-state-metrics", "cur-size-active-mem-table", store(0), bytes);
    }

    /** Adds a small write buffer that is flushed 15 times a minute. */
    static Seen smallBuffer(Seen seen) {
        return buffer(seen.every(2), 3, 0.5, 2, 1, 4, 1);
    }

    /** Adds the heap: most, live after collection, and the total of the time for collections in each sample. */
    static Seen heap(Seen seen, double maxMib, double liveMib, double... gcMillis) {
        return seen.number(Groups.JVM, "heap-max-bytes", maxMib * MIB)
                .number(Groups.JVM, "heap-after-gc-bytes", "pool=G1 Old Gen", liveMib * MIB)
                .number(Groups.JVM, "gc-time-ms-total", "gc=G1 Young Generation", gcMillis);
    }
}
