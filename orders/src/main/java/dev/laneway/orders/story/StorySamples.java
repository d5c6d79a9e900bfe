package dev.laneway.orders.story;

import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.Metric;
import dev.laneway.ops.observe.Sample;
import dev.laneway.orders.story.StoryStep.DiskLine;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Samples of a step, one a second, as check takes them on a real cluster. What the guide does not print and check needs
 * is set to what is consistent with its numbers: four threads a node, state of {@value #STATE_BYTES} bytes an order,
 * and a lag that grows by what is not handled. Pure functions.
 */
public final class StorySamples {
    private static final int SECONDS = 60;
    private static final int THREADS = 4;
    private static final int PARTITIONS = 32;

    /** With it, writes, flushes and the 24 GB on each of three disks fit together, see docs/orders.md. */
    private static final int STATE_BYTES = 8_000;

    private static final long STATE_ON_DISK = 72_000_000_000L; // Three disks of 24 GB.
    private static final double PROGRESS_SHARE = 5.0 / 6; // Of six events of an order, five are progress.
    private static final long BEGUN = 1_700_000_000_000L;
    private static final double GIB = 1L << 30;
    private static final double KIB = 1_024;
    private static final double RUNNING_CLIENT = 2;
    private static final double RUNNING_THREAD = 4;
    private static final double ORDERS_A_TASK = 2_000_000.0 / PARTITIONS;
    private static final double RESTORED_PER_SECOND = 500;
    private static final double SINCE_REBALANCE = 3_600;
    private static final double STEADY_LAG = 68; // Between the 37 and 99 that the guide prints of a partition.

    private final StoryStep step;
    private final double second;
    private final Map<Metric, Double> numbers = new HashMap<>();
    private final Map<Metric, String> texts = new HashMap<>();

    private StorySamples(StoryStep step, double second) {
        this.step = step;
        this.second = second;
    }

    /** All samples of a step, the oldest first. */
    public static List<Sample> of(StoryStep step) {
        List<Sample> samples = new ArrayList<>();
        for (int second = 0; second <= SECONDS; second++) {
            samples.add(new StorySamples(step, second).group());
            for (int node = 1; node <= step.nodes(); node++) {
                samples.add(new StorySamples(step, second).node(node));
            }
        }
        return samples;
    }

    private Sample sample(String source) {
        return new Sample(source, BEGUN + (long) (second * 1_000), numbers, texts);
    }

    private void put(String group, String name, Map<String, String> tags, double value) {
        numbers.put(Metric.of(group, name, tags), value);
    }

    private void put(String group, String name, Map<String, String> tags, String value) {
        texts.put(Metric.of(group, name, tags), value);
    }

    // ---------------------------------------------------------------- the group, by the Admin API

    private Sample group() {
        put(Groups.GROUP, "group", Map.of(), "responsive-example-v8");
        put(Groups.GROUP, "kind", Map.of(), "CLASSIC");
        put(Groups.GROUP, "state", Map.of(), "Stable");
        put(Groups.GROUP, "members", Map.of(), step.nodes() * THREADS);
        put(Groups.GROUP, "partitions", Map.of(), 2 * PARTITIONS);
        for (int partition = 0; partition < PARTITIONS; partition++) {
            partition("progress", partition, PROGRESS_SHARE);
            partition("orders", partition, 1 - PROGRESS_SHARE);
        }
        for (int node = 1; node <= step.nodes(); node++) {
            for (int thread = 1; thread <= THREADS; thread++) {
                put(
                        Groups.MEMBER,
                        "assigned-partitions",
                        Map.of(
                                "client-id",
                                consumer(node, thread),
                                "host",
                                "/10.0.0." + node,
                                "instance-id",
                                "",
                                "member-id",
                                member(node, thread)),
                        2.0 * tasks(node, thread).size());
            }
        }
        return sample("admin");
    }

    private void partition(String topic, int partition, double share) {
        double each = step.rate() * share / PARTITIONS;
        double waits = each * (1 - step.handled());
        double lag = STEADY_LAG * share + waits * second;
        double end = 12_000_000 * share + each * second;
        Map<String, String> tags = Map.of("topic", topic, "partition", String.valueOf(partition));
        put(Groups.PARTITION, "start", tags, 0);
        put(Groups.PARTITION, "end", tags, Math.rint(end));
        put(Groups.PARTITION, "lag", tags, Math.rint(lag));
        put(Groups.PARTITION, "committed", tags, Math.rint(end) - Math.rint(lag));
        put(Groups.PARTITION, "slope", tags, waits);
        put(Groups.PARTITION, "age-seconds", tags, lag / Math.max(1, each * step.handled()));
        put(Groups.PARTITION, "done-beyond", tags, 0);
        put(Groups.PARTITION, "leaders", tags, 1);
        put(Groups.PARTITION, "replicas", tags, 3);
        put(Groups.PARTITION, "in-sync", tags, 3);
        put(Groups.PARTITION, "status", tags, waits > 0 ? "GROWING" : "OK");
        put(Groups.PARTITION, "member", tags, member(owner(partition), 1 + partition / step.nodes() % THREADS));
    }

    // ---------------------------------------------------------------- a node, by JMX and its host

    private int owner(int task) {
        return 1 + task % step.nodes();
    }

    private List<Integer> tasks(int node, int thread) {
        List<Integer> tasks = new ArrayList<>();
        for (int task = 0; task < PARTITIONS; task++) {
            if (owner(task) == node && 1 + task / step.nodes() % THREADS == thread) {
                tasks.add(task);
            }
        }
        return tasks;
    }

    private static String thread(int node, int thread) {
        return "responsive-example-v8-" + node + "-StreamThread-" + thread;
    }

    private static String consumer(int node, int thread) {
        return thread(node, thread) + "-consumer";
    }

    private static String member(int node, int thread) {
        return consumer(node, thread) + "-member";
    }

    private Sample node(int node) {
        Map<String, String> client = Map.of("client-id", "responsive-example-v8-" + node);
        put("stream-metrics", "client-state", client, RUNNING_CLIENT);
        put("stream-metrics", "alive-stream-threads", client, THREADS);
        put("stream-metrics", "failed-stream-threads", client, 0);
        put("stream-metrics", "recording-level", client, step.dataHits() < 0 ? 0 : 1);
        put(Groups.CONFIG, "application.id", Map.of(), "responsive-example-v8");
        put(Groups.CONFIG, "num.stream.threads", Map.of(), String.valueOf(THREADS));
        put(Groups.CONFIG, "num.standby.replicas", Map.of(), "1");
        put(Groups.CONFIG, "rocksdb.config.setter", Map.of(), "BoundedMemoryRocksDBConfig");
        put(Groups.CONFIG, "state.dir", Map.of(), "/mnt/data");
        put(Groups.CONFIG, "disk.iops.cap", Map.of(), "3000");
        put(Groups.CONFIG, "disk.bytes.cap", Map.of(), String.valueOf(125 << 20));
        put(Groups.JVM, "available-processors", Map.of(), 4);
        put(Groups.JVM, "heap-max-bytes", Map.of(), GIB);
        for (int thread = 1; thread <= THREADS; thread++) {
            thread(node, thread, tasks(node, thread));
        }
        int stores = 2 * PARTITIONS / step.nodes();
        for (int store = 0; store < stores; store++) {
            store(node, store, stores);
        }
        updater(node);
        memory();
        disk();
        return sample("node " + node);
    }

    private void thread(int node, int thread, List<Integer> tasks) {
        Map<String, String> threadId = Map.of("thread-id", thread(node, thread));
        put("stream-thread-metrics", "thread-state", threadId, RUNNING_THREAD);
        put(
                "stream-thread-metrics",
                "process-total",
                threadId,
                step.rate() * step.handled() * tasks.size() / PARTITIONS * second);
        for (int task : tasks) {
            Map<String, String> taskId = Map.of("thread-id", thread(node, thread), "task-id", "1_" + task);
            put("stream-task-metrics", "active-process-ratio", taskId, 1.0 / tasks.size());
            put("stream-task-metrics", "dropped-records-total", taskId, 0);
        }
        Map<String, String> consumer = Map.of("client-id", consumer(node, thread));
        put("consumer-metrics", "last-poll-seconds-ago", consumer, 0);
        put("consumer-coordinator-metrics", "rebalance-total", consumer, 1);
        put("consumer-coordinator-metrics", "last-rebalance-seconds-ago", consumer, SINCE_REBALANCE + second);
        put("consumer-coordinator-metrics", "assigned-partitions", consumer, 2.0 * tasks.size());
        if (step.idle() >= 0) {
            // So Kafka 4 tells it: the time in poll against that plus the whole cycle.
            put("consumer-metrics", "poll-idle-ratio-avg", consumer, step.idle() / (1 + step.idle()));
        }
    }

    private void store(int node, int store, int stores) {
        Map<String, String> tags = Map.of(
                "thread-id",
                thread(node, 1 + store % THREADS),
                "task-id",
                "1_" + store,
                "rocksdb-state-id",
                "order-state");
        put("stream-state-metrics", "block-cache-capacity", tags, 2 * GIB);
        put("stream-state-metrics", "block-cache-usage", tags, 2 * GIB);
        put("stream-state-metrics", "total-sst-files-size", tags, (double) STATE_ON_DISK / step.nodes() / stores);
        // A buffer fills up to its share of the limit, is flushed, and fills again: active and standby tasks alike.
        double limit = (double) step.writeBuffersBytes() / stores;
        double perSecond = step.rate() * step.handled() * 2 / step.nodes() * STATE_BYTES / stores;
        put("stream-state-metrics", "cur-size-active-mem-table", tags, perSecond * second % limit);
        put("stream-state-metrics", "num-immutable-mem-table", tags, 0);
        put("stream-state-metrics", "mem-table-flush-pending", tags, 0);
        if (step.dataHits() >= 0) {
            put("stream-state-metrics", "block-cache-data-hit-ratio", tags, step.dataHits());
            put("stream-state-metrics", "block-cache-index-hit-ratio", tags, 1);
            put("stream-state-metrics", "block-cache-filter-hit-ratio", tags, 1);
            put("stream-state-metrics", "bytes-read-rate", tags, 1_000_000);
            Map<String, String> cache = Map.of(
                    "thread-id",
                    thread(node, 1 + store % THREADS),
                    "task-id",
                    "1_" + store,
                    "record-cache-id",
                    "order");
            put("stream-record-cache-metrics", "hit-ratio-avg", cache, 0.5);
        }
    }

    private void updater(int node) {
        String thread = "responsive-example-v8-" + node + "-StateUpdater-1";
        Map<String, String> updater = Map.of("thread-id", thread);
        put("stream-state-updater-metrics", "active-restoring-tasks", updater, 0);
        boolean isNewest = node == step.nodes();
        int standbys = PARTITIONS / step.nodes() + (isNewest ? step.movingTasks() : 0);
        put("stream-state-updater-metrics", "standby-updating-tasks", updater, standbys);
        for (int moving = 0; isNewest && moving < step.movingTasks(); moving++) {
            put(
                    "consumer-fetch-manager-metrics",
                    "records-lag",
                    Map.of(
                            "client-id",
                            thread + "-restore-consumer",
                            "topic",
                            "responsive-example-v8-order-state-changelog",
                            "partition",
                            String.valueOf(moving)),
                    ORDERS_A_TASK - RESTORED_PER_SECOND * second);
        }
    }

    private void memory() {
        double held = 3.3 * GIB; // What free shows as used.
        put(Groups.CGROUP, "memory-max-bytes", Map.of(), (double) step.memoryBytes());
        put(Groups.CGROUP, "memory-anon-bytes", Map.of(), held);
        put(Groups.CGROUP, "memory-file-bytes", Map.of(), (double) step.memoryBytes() - held);
        put(Groups.CGROUP, "memory-current-bytes", Map.of(), (double) step.memoryBytes());
        put(Groups.CGROUP, "oom-kills-total", Map.of(), 0);
        put(Groups.VOLUME, "total-bytes", Map.of("path", "/mnt/data"), 252 * GIB);
        put(
                Groups.VOLUME,
                "free-bytes",
                Map.of("path", "/mnt/data"),
                252 * GIB - (double) STATE_ON_DISK / step.nodes());
        put(Groups.VOLUME, "type", Map.of("path", "/mnt/data"), "ext4");
    }

    /** Each of the lines holds for its part of the time. */
    private void disk() {
        Map<String, String> device = Map.of("device", "nvme1n1");
        double[] sums = new double[5];
        double each = (double) SECONDS / Math.max(1, step.disk().size());
        double left = second;
        for (DiskLine line : step.disk()) {
            double seconds = Math.clamp(left, 0, each);
            sums[0] += line.readsPerSecond() * seconds;
            sums[1] += line.readKibPerSecond() * KIB * seconds;
            sums[2] += line.writesPerSecond() * seconds;
            sums[3] += line.writtenKibPerSecond() * KIB * seconds;
            sums[4] += line.busyPercent() * 10 * seconds;
            left -= seconds;
        }
        if (!step.disk().isEmpty()) {
            put(Groups.DISK, "reads-total", device, sums[0]);
            put(Groups.DISK, "read-bytes-total", device, sums[1]);
            put(Groups.DISK, "writes-total", device, sums[2]);
            put(Groups.DISK, "written-bytes-total", device, sums[3]);
            put(Groups.DISK, "busy-ms-total", device, sums[4]);
        }
    }
}
