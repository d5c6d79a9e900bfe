package dev.laneway.orders;

import dev.laneway.cli.program.VerbFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KafkaStreams.State;
import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.state.QueryableStoreTypes;
import org.jspecify.annotations.Nullable;
import org.rocksdb.NativeLibraryLoader;

/** A tracker that runs. Thread-safe. */
final class RunningTracker implements WatchedTracker, AutoCloseable {
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(20);

    private final KafkaStreams streams;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    private RunningTracker(KafkaStreams streams) {
        this.streams = streams;
    }

    /** Starts it; {@code library} is where RocksDB unpacks its library, which a killed process leaves there. */
    static RunningTracker start(Topology topology, Map<String, Object> properties, Path library) {
        try {
            Files.createDirectories(library);
            NativeLibraryLoader.getInstance().loadLibrary(library.toString());
        } catch (IOException failed) {
            throw new VerbFailure("RocksDB's library cannot be unpacked to " + library + ": " + failed, failed);
        }
        KafkaStreams streams;
        try {
            streams = new KafkaStreams(topology, new StreamsConfig(properties));
        } catch (StreamsException | org.apache.kafka.common.config.ConfigException refused) {
            throw new VerbFailure("the tracker cannot start: " + root(refused), refused);
        }
        RunningTracker tracker = new RunningTracker(streams);
        streams.setUncaughtExceptionHandler(thrown -> {
            tracker.failure.compareAndSet(null, thrown);
            return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
        streams.setStateListener((now, before) -> {
            if (now == State.ERROR || now == State.NOT_RUNNING) {
                tracker.ended.countDown();
            }
        });
        streams.start();
        return tracker;
    }

    @Override
    public void check() {
        if (ended.getCount() == 0) {
            Throwable thrown = failure.get();
            throw new VerbFailure("the order tracker has ended: "
                    + (thrown == null ? "Kafka Streams is " + streams.state() : root(thrown)));
        }
    }

    private static String root(Throwable thrown) {
        Throwable root = thrown;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.getMessage() == null ? root.toString() : root.getMessage();
    }

    @Override
    public String state() {
        return streams.state().name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    @Override
    public OptionalLong orders() {
        try {
            return OptionalLong.of(streams.store(StoreQueryParameters.fromNameAndType(
                            OrderTopology.STORE, QueryableStoreTypes.<String, Object>keyValueStore()))
                    .approximateNumEntries());
        } catch (KafkaException | IllegalStateException moving) {
            return OptionalLong.empty();
        }
    }

    /** Leaves the group, so that others take over at once. Returns whether it ended in time. */
    boolean leave() {
        return streams.close(CloseOptions.groupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP)
                .withTimeout(CLOSE_LIMIT));
    }

    @Override
    public void close() {
        var _ = leave();
    }
}
