package dev.laneway.examples;

import static java.time.Duration.ofSeconds;

import dev.laneway.stream.CommittableRecord;
import dev.laneway.stream.Committer;
import dev.laneway.stream.CommitterSettings;
import dev.laneway.stream.ConsumerSettings;
import dev.laneway.stream.Control;
import dev.laneway.stream.KafkaSource;
import dev.laneway.stream.PartitionStream;
import dev.laneway.stream.Source;
import dev.laneway.stream.Subscription;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Reads each partition as a stream of its own: it has its own demand, so one that is slow stops no other. Each stream
 * sums what its partition brings, and commits.
 */
final class PartitionStreams {
    static final int RECORDS = 3_000;
    static final long EXPECTED = IntStream.range(0, RECORDS).asLongStream().sum();
    private static final String TOPIC = "receipts";

    /** What each partition has brought. */
    final Map<TopicPartition, LongAdder> sums = new ConcurrentHashMap<>();

    private final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();

    /** Starts the stream of streams. Each runs into a sink of its own until its partition goes. */
    Control start(Map<String, Object> kafkaConfig) {
        var settings = ConsumerSettings.of(kafkaConfig, new StringDeserializer(), new StringDeserializer());
        return KafkaSource.committablePartitioned(settings, Subscription.topics(TOPIC))
                .mapAsyncUnordered(1_000, this::run)
                .run();
    }

    private CompletionStage<TopicPartition> run(PartitionStream<CommittableRecord<String, String>> stream) {
        LongAdder sum = sums.computeIfAbsent(stream.partition(), partition -> new LongAdder());
        Source<CommittableRecord<String, String>> summed = stream.source().map(record -> {
            sum.add(Long.parseLong(record.value()));
            if (total() == EXPECTED) {
                done.complete(null);
            }
            return record;
        });
        return summed.to(Committer.sink(CommitterSettings.DEFAULTS))
                .completion()
                .thenApply(nothing -> stream.partition());
    }

    long total() {
        return sums.values().stream().mapToLong(LongAdder::sum).sum();
    }

    static List<ProducerRecord<String, byte[]>> receipts() {
        return IntStream.range(0, RECORDS)
                .mapToObj(i -> Cluster.text(TOPIC, "account-" + i % 100, String.valueOf(i)))
                .toList();
    }

    /** Sums all receipts. */
    static PartitionStreams run(Map<String, Object> kafkaConfig) throws Exception {
        PartitionStreams streams = new PartitionStreams();
        Control control = streams.start(kafkaConfig);
        streams.done.get(60, TimeUnit.SECONDS);
        control.drainAndShutdown(ofSeconds(10)).toCompletableFuture().join();
        return streams;
    }

    public static void main(String... args) throws Exception {
        try (Cluster cluster = Cluster.from(args)) {
            cluster.createTopics(TOPIC);
            cluster.send(receipts());
            System.out.println(run(cluster.consumer("receipts-by-partition")).sums);
        }
    }
}
