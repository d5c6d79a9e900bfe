package dev.laneway.bench.peer;

import dev.laneway.bench.measure.CopyTask;
import dev.laneway.bench.measure.Order;
import dev.laneway.bench.measure.Probe;
import dev.laneway.bench.measure.Task;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.jspecify.annotations.Nullable;

/** Kafka Streams: two threads, one for each core; exactly once by its version 2. Handlers hold a thread. */
final class PeerKafkaStreams implements Peer, Copier {
    private static final int THREADS = 2;
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(30);

    @Override
    public Order order(Task task) {
        return Order.PARTITION;
    }

    /** Its commits cannot be switched off. */
    @Override
    public boolean commits(Task task) {
        return true;
    }

    @Override
    public Running start(Task task) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(task.topic(), Consumed.with(Serdes.ByteArray(), Serdes.ByteArray()))
                .processValues(() -> new Handling(task.probe()));
        Properties config = config(task.bootstrap(), task.group(), System.getProperty("java.io.tmpdir"));
        config.put(StreamsConfig.consumerPrefix("max.poll.records"), task.maxPollRecords());
        config.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 1_000);
        return new Streaming(builder.build(), config);
    }

    @Override
    public Running copy(CopyTask task) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(task.from(), Consumed.with(Serdes.ByteArray(), Serdes.ByteArray()))
                .processValues(() -> new Handling(task.probe()))
                .to(task.to(), Produced.with(Serdes.ByteArray(), Serdes.ByteArray()));
        Properties config = config(task.bootstrap(), task.group(), task.state());
        config.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        config.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 100);
        config.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, 1);
        return new Streaming(builder.build(), config);
    }

    private static Properties config(String bootstrap, String application, String state) {
        Map<String, Object> config = new HashMap<>();
        config.put(StreamsConfig.APPLICATION_ID_CONFIG, application);
        config.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        config.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, THREADS);
        config.put(StreamsConfig.STATE_DIR_CONFIG, state);
        config.put(StreamsConfig.consumerPrefix("auto.offset.reset"), "earliest");
        config.put(StreamsConfig.consumerPrefix("max.poll.records"), 1_000);
        Properties properties = new Properties();
        properties.putAll(config);
        return properties;
    }

    private static final class Handling extends ContextualFixedKeyProcessor<byte[], byte[], byte[]> {
        private final Probe probe;

        Handling(Probe probe) {
            this.probe = probe;
        }

        @Override
        public void process(FixedKeyRecord<byte[], byte[]> record) {
            var source = context().recordMetadata().orElseThrow();
            probe.handleUninterrupted(new ConsumerRecord<>(
                    source.topic(), source.partition(), source.offset(), record.key(), record.value()));
            context().forward(record);
        }
    }

    private static final class Streaming implements Running {
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        private final KafkaStreams streams;

        Streaming(Topology topology, Properties config) {
            streams = new KafkaStreams(topology, config);
            streams.setUncaughtExceptionHandler(failed -> {
                failure.set(failed);
                return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
            });
            streams.start();
        }

        @Override
        public void check() {
            Throwable failed = failure.get();
            if (failed != null) {
                throw new IllegalStateException("Kafka Streams has failed", failed);
            }
        }

        @Override
        public void close() {
            // By default it stays in its group, and the next lap would wait for the end of its session.
            if (!streams.close(CloseOptions.groupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP)
                    .withTimeout(CLOSE_LIMIT))) {
                throw new IllegalStateException("Kafka Streams does not end");
            }
            check();
        }
    }
}
