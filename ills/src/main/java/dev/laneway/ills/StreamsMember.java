package dev.laneway.ills;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.jspecify.annotations.Nullable;
import org.rocksdb.NativeLibraryLoader;

/** A member that runs Kafka Streams: one processor, with a store in RocksDB if settings name what it does there. */
final class StreamsMember implements Patient.Member {
    /** The store's name; its changelog is named after it. */
    static final String STORE = "state";

    private final KafkaStreams streams;

    private StreamsMember(KafkaStreams streams) {
        this.streams = streams;
    }

    static StreamsMember start(Settings settings, Handling handling) {
        Topology topology = new Topology();
        topology.addSource(
                "source",
                Serdes.String().deserializer(),
                Serdes.ByteArray().deserializer(),
                settings.list("topics").toArray(String[]::new));
        topology.addProcessor("work", () -> new Work(settings, handling), "source");
        if (settings.has("store")) {
            loadLibrary(settings.text("library-dir"));
            topology.addStateStore(store(settings), "work");
        }
        KafkaStreams streams = new KafkaStreams(topology, new StreamsConfig(properties(settings)));
        streams.start();
        return new StreamsMember(streams);
    }

    /**
     * By itself RocksDB unpacks its library into the system's temporary directory, where a killed process leaves it.
     */
    private static void loadLibrary(String directory) {
        try {
            NativeLibraryLoader.getInstance().loadLibrary(directory);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static StoreBuilder<KeyValueStore<String, byte[]>> store(Settings settings) {
        var builder = Stores.keyValueStoreBuilder(
                        Stores.persistentKeyValueStore(STORE), Serdes.String(), Serdes.ByteArray())
                .withCachingDisabled();
        return settings.text("store").equals("logged")
                ? builder.withLoggingEnabled(Map.of())
                : builder.withLoggingDisabled();
    }

    private static Map<String, Object> properties(Settings settings) {
        Map<String, Object> properties = new HashMap<>(Patient.consumer(settings));
        properties.remove("group.id");
        properties.remove("enable.auto.commit");
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, settings.text("group"));
        properties.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 1_000);
        properties.put(StreamsConfig.METRICS_RECORDING_LEVEL_CONFIG, "DEBUG");
        properties.put(StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG, StoreLimits.class);
        if (settings.has("state-dir")) {
            properties.put(StreamsConfig.STATE_DIR_CONFIG, settings.text("state-dir"));
        }
        StoreLimits.configure(settings, properties);
        properties.putAll(settings.kafka());
        return properties;
    }

    /** Reads and writes the store at random keys, then handles the record. */
    private static final class Work implements Processor<String, byte[], Void, Void> {
        private final Settings settings;
        private final Handling handling;
        private final long reads;
        private final long writes;
        private final int keys;
        private final int bytes;
        private final SplittableRandom random = new SplittableRandom(42);
        private @Nullable KeyValueStore<String, byte[]> store;

        Work(Settings settings, Handling handling) {
            this.settings = settings;
            this.handling = handling;
            this.reads = settings.number("reads", 0);
            this.writes = settings.number("writes", 0);
            this.keys = (int) settings.number("keys", 1_000);
            this.bytes = (int) settings.number("bytes", 100);
        }

        @Override
        public void init(ProcessorContext<Void, Void> context) {
            if (!settings.has("store")) {
                return;
            }
            KeyValueStore<String, byte[]> opened = context.getStateStore(STORE);
            store = opened;
            if (settings.has("filled")) {
                for (int key = 0; key < keys; key++) {
                    opened.put("key-" + key, value());
                }
            }
        }

        @Override
        public void process(Record<String, byte[]> record) {
            KeyValueStore<String, byte[]> opened = store;
            if (opened != null) {
                for (int i = 0; i < reads; i++) {
                    var _ = opened.get("key-" + random.nextInt(keys));
                }
                for (int i = 0; i < writes; i++) {
                    opened.put("key-" + random.nextInt(keys), value());
                }
            }
            handling.handle("", record.key(), record.value());
        }

        private byte[] value() {
            byte[] value = new byte[bytes];
            random.nextBytes(value);
            return value;
        }
    }

    /** The topic that the store is restored from. */
    static String changelog(String group) {
        return group + "-" + STORE + "-changelog";
    }

    @Override
    public void leave() {
        streams.close(Duration.ofSeconds(2));
    }
}
