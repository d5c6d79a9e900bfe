package dev.laneway.cli;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import dev.laneway.Laneway;
import dev.laneway.LanewayBuilder;
import java.lang.management.ManagementFactory;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Measures what the engine itself costs for a record: CPU time of the process and bytes allocated, over records
 * replayed from memory, less what a bare loop over the same replay costs. All threads count, the collector's and the
 * compiler's too. Used by one thread.
 */
final class BenchCost {
    private static final int PARTITIONS = 6;
    private static final int KEYS = 100_000;

    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final BenchRun run;
    private final long records;
    private @Nullable ReplayLog log;

    BenchCost(BenchRun run, long records) {
        this.run = run;
        this.records = records;
    }

    private record Cost(double cpuNanos, double bytes) {
        Cost less(Cost other) {
            return new Cost(cpuNanos - other.cpuNanos, bytes - other.bytes);
        }

        Cost by(long count) {
            return new Cost(cpuNanos / count, bytes / count);
        }
    }

    /** CPU nanoseconds and bytes a record, with byte arrays; then both with strings. */
    double[] round() throws InterruptedException {
        ReplayLog replayed = log();
        Cost bare = loop(replayed, new BenchProbe.Noop<byte[], byte[]>(replayed.ends())::handle);
        Cost whole = laneway(laneway(replayed), new BenchProbe.Noop<>(replayed.ends()));
        Cost bareStrings = loop(replayed, new Strings());
        Cost wholeStrings = laneway(
                laneway(replayed).deserializers(new StringDeserializer(), new StringDeserializer()),
                new BenchProbe.Noop<>(replayed.ends()));
        Cost own = whole.less(bare).by(records);
        Cost ownStrings = wholeStrings.less(bareStrings).by(records);
        return new double[] {own.cpuNanos(), own.bytes(), ownStrings.cpuNanos(), ownStrings.bytes()};
    }

    private ReplayLog log() {
        ReplayLog made = log;
        if (made == null) {
            made = new ReplayLog(PARTITIONS, records, KEYS);
            log = made;
        }
        return made;
    }

    private Cost loop(ReplayLog replayed, BenchRun.Body body) throws InterruptedException {
        Cost before = now();
        run.loop(() -> ReplayConsumer.assigned(replayed), records, body);
        return now().less(before);
    }

    private <K, V> Cost laneway(LanewayBuilder<K, V> description, BenchProbe<K, V> probe) throws InterruptedException {
        Cost before = now();
        Cost[] after = {before};
        run.laneway(description, probe, records, () -> after[0] = now());
        return after[0].less(before);
    }

    private static LanewayBuilder<byte[], byte[]> laneway(ReplayLog replayed) {
        Map<String, Object> config =
                Map.of(ConsumerConfig.GROUP_ID_CONFIG, "replay", ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        return Laneway.consumer(config, () -> new ReplayConsumer(replayed)).assign(replayed.ids());
    }

    private Cost now() {
        return new Cost(system.getProcessCpuTime(), threads.getTotalThreadAllocatedBytes());
    }

    /**
     * Deserialises, as the consumer of a bare loop would. The fields keep the JIT compiler from seeing that nobody
     * reads the strings.
     */
    private static final class Strings implements BenchRun.Body {
        private final StringDeserializer deserializer = new StringDeserializer();

        @SuppressWarnings({"unused", "FieldCanBeLocal"})
        private @Nullable String key;

        @SuppressWarnings({"unused", "FieldCanBeLocal"})
        private @Nullable String value;

        @Override
        public void handle(ConsumerRecord<byte[], byte[]> record) {
            key = deserializer.deserialize(record.topic(), record.headers(), record.key());
            value = deserializer.deserialize(record.topic(), record.headers(), record.value());
        }
    }
}
