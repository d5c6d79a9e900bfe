package dev.laneway.bench.workload;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import dev.laneway.Laneway;
import dev.laneway.LanewayBuilder;
import dev.laneway.RecordHandler;
import dev.laneway.bench.measure.ArmResult;
import dev.laneway.bench.measure.ArmSpec;
import dev.laneway.bench.measure.Meter;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Measures the engine's own cost per record: CPU time of the process and bytes allocated, over records replayed from
 * memory, less the cost of a bare loop over the same replay. All threads count, also those of garbage collector and JIT
 * compiler.
 */
final class CostWorkload implements Workload {
    static final int PARTITIONS = 6;
    static final int KEYS = 100_000;
    private static final Duration POLL = Duration.ofMillis(100);
    private static final long LOOK_NANOS = 200_000;

    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private record Cost(double cpuNanos, double bytes) {
        Cost less(Cost other) {
            return new Cost(cpuNanos - other.cpuNanos, bytes - other.bytes);
        }
    }

    private record Round(Cost own, double seconds) {}

    @Override
    public ArmResult run(ArmSpec spec) throws Exception {
        long records = spec.number("records");
        boolean strings = spec.number("strings", 0) == 1;
        ReplayLog log = new ReplayLog(PARTITIONS, records, KEYS);
        for (long warm = 0; warm < spec.number("warm-laps", 3); warm++) {
            round(log, records, strings);
        }
        List<Round> rounds = new ArrayList<>();
        for (long lap = 0; lap < spec.number("laps", 7); lap++) {
            rounds.add(round(log, records, strings));
        }
        double cpu = median(rounds.stream().map(round -> round.own().cpuNanos()).toList()) / records;
        double bytes = median(rounds.stream().map(round -> round.own().bytes()).toList()) / records;
        double seconds = rounds.stream().mapToDouble(Round::seconds).sum();
        return new ArmResult(
                        null,
                        records * rounds.size() / seconds,
                        seconds,
                        cpu * records * rounds.size() / 1e9,
                        Meter.peakRssMb(),
                        bytes,
                        null,
                        null,
                        "over a replay from memory, less a bare loop over the same",
                        Map.of())
                .withFigure("cpu_ns_per_record", cpu);
    }

    private static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        return sorted.get(sorted.size() / 2);
    }

    private Round round(ReplayLog log, long records, boolean strings) throws InterruptedException {
        Cost bare = loop(log, records, strings);
        long start = System.nanoTime();
        Cost whole = strings
                ? laneway(laneway(log).deserializers(new StringDeserializer(), new StringDeserializer()), log, records)
                : laneway(laneway(log), log, records);
        return new Round(whole.less(bare), (System.nanoTime() - start) / 1e9);
    }

    private Cost loop(ReplayLog log, long records, boolean strings) {
        Ends<byte[], byte[]> ends = new Ends<>(log);
        Strings read = new Strings();
        Cost before = now();
        try (ReplayConsumer consumer = ReplayConsumer.assigned(log)) {
            long left = records;
            while (left > 0) {
                var polled = consumer.poll(POLL);
                for (ConsumerRecord<byte[], byte[]> record : polled) {
                    if (strings) {
                        read.handle(record);
                    }
                    ends.handle(record);
                }
                left -= polled.count();
            }
            return now().less(before);
        }
    }

    private <K, V> Cost laneway(LanewayBuilder<K, V> description, ReplayLog log, long records)
            throws InterruptedException {
        Ends<K, V> ends = new Ends<>(log);
        Cost before = now();
        try (Laneway running = running(description, ends)) {
            awaitEnd(running, ends, records);
            return now().less(before);
        }
    }

    /** Replays all of it through Laneway, until it has closed. */
    static <K, V> void replay(LanewayBuilder<K, V> description, ReplayLog log, long records)
            throws InterruptedException {
        Ends<K, V> ends = new Ends<>(log);
        try (Laneway running = running(description, ends)) {
            awaitEnd(running, ends, records);
        }
    }

    private static <K, V> Laneway running(LanewayBuilder<K, V> description, Ends<K, V> ends) {
        RecordHandler<K, V> handler = ends::handle;
        return description.closeOnShutdown(false).process(handler);
    }

    private static void awaitEnd(Laneway running, Ends<?, ?> ends, long records) throws InterruptedException {
        while (!ends.reached() || running.snapshot().counters().processed() < records) {
            if (running.state().isTerminal()) {
                throw new IllegalStateException("Laneway has ended early: " + running.failure());
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    static LanewayBuilder<byte[], byte[]> laneway(ReplayLog log) {
        Map<String, Object> config =
                Map.of(ConsumerConfig.GROUP_ID_CONFIG, "replay", ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        return Laneway.consumer(config, () -> new ReplayConsumer(log)).assign(log.ids());
    }

    private Cost now() {
        return new Cost(system.getProcessCpuTime(), threads.getTotalThreadAllocatedBytes());
    }

    /** Only recognises the last record of each partition: even a counter shared by the workers would be measured. */
    private static final class Ends<K, V> {
        private final long[] last;
        private final boolean[] reached;

        Ends(ReplayLog log) {
            last = log.ends().stream().mapToLong(end -> end - 1).toArray();
            reached = new boolean[last.length];
        }

        void handle(ConsumerRecord<K, V> record) {
            if (record.offset() == last[record.partition()]) {
                synchronized (this) {
                    reached[record.partition()] = true;
                }
            }
        }

        synchronized boolean reached() {
            for (int partition = 0; partition < reached.length; partition++) {
                if (!reached[partition] && last[partition] >= 0) {
                    return false;
                }
            }
            return true;
        }
    }

    /**
     * Deserialises, as the consumer of a bare loop would. The fields keep the JIT compiler from removing the unused
     * strings.
     */
    private static final class Strings {
        private final StringDeserializer deserializer = new StringDeserializer();

        @SuppressWarnings({"unused", "FieldCanBeLocal"})
        private @Nullable String key;

        @SuppressWarnings({"unused", "FieldCanBeLocal"})
        private @Nullable String value;

        void handle(ConsumerRecord<byte[], byte[]> record) {
            key = deserializer.deserialize(record.topic(), record.headers(), record.key());
            value = deserializer.deserialize(record.topic(), record.headers(), record.value());
        }
    }
}
