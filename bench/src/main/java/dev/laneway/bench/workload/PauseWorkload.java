package dev.laneway.bench.workload;

import dev.laneway.bench.measure.ArmResult;
import dev.laneway.bench.measure.ArmSpec;
import dev.laneway.bench.measure.ClientMetrics;
import dev.laneway.bench.measure.Meter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Polls one record at a time, and before each poll pauses all partitions but one, drawn with a fixed seed. A client
 * that drops what it has fetched for a paused partition must fetch it again. Uses only what clients from 2.3 on have.
 */
final class PauseWorkload implements Workload {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final long SEED = 42;

    @Override
    public ArmResult run(ArmSpec spec) {
        Map<String, Object> config =
                Map.of("bootstrap.servers", spec.bootstrap(), "max.poll.records", 1, "auto.offset.reset", "earliest");
        List<TopicPartition> partitions = IntStream.range(0, spec.partitions())
                .mapToObj(partition -> new TopicPartition(spec.topic(), partition))
                .toList();
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(partitions);
            SplittableRandom random = new SplittableRandom(SEED);
            long[] next = new long[partitions.size()];
            Meter meter = new Meter();
            polls(consumer, partitions, random, next, spec.millis("warm-ms"));
            ClientMetrics before = ClientMetrics.now();
            meter.start();
            long records = polls(consumer, partitions, random, next, spec.millis("measure-ms"));
            meter.stop();
            ClientMetrics used = ClientMetrics.now().less(before);
            return ArmResult.of(meter, records, "offsets of each partition without gaps")
                    .withFailure(records == 0 ? "polled nothing" : null)
                    .withFigure("fetches_per_record", used.fetches() / Math.max(1, records))
                    .withFigure("bytes_per_record", used.bytes() / Math.max(1, records));
        }
    }

    private static long polls(
            KafkaConsumer<byte[], byte[]> consumer,
            List<TopicPartition> partitions,
            SplittableRandom random,
            long[] next,
            Duration time) {
        long end = System.nanoTime() + time.toNanos();
        long records = 0;
        while (System.nanoTime() - end < 0) {
            TopicPartition open = partitions.get(random.nextInt(partitions.size()));
            List<TopicPartition> others = new ArrayList<>(partitions);
            others.remove(open);
            consumer.pause(others);
            consumer.resume(Collections.singleton(open));
            for (var record : consumer.poll(POLL)) {
                if (record.offset() != next[record.partition()]++) {
                    throw new IllegalStateException("offset " + record.offset() + " is not in its turn");
                }
                records++;
            }
            if (next[open.partition()] > 0 && consumer.position(open) != next[open.partition()]) {
                throw new IllegalStateException("the position is not behind the last record");
            }
        }
        return records;
    }
}
