package dev.laneway.engine;

import dev.laneway.CommitMode;
import dev.laneway.ConfigurationException;
import dev.laneway.LaneKey;
import dev.laneway.Laneway;
import dev.laneway.Options;
import dev.laneway.Ordering;
import dev.laneway.RebalanceListener;
import dev.laneway.WhenMapIsFull;
import dev.laneway.engine.commit.FormerProducers;
import dev.laneway.engine.config.ClientVersion;
import dev.laneway.engine.config.KafkaConfig;
import dev.laneway.engine.config.TopicSelection;
import dev.laneway.engine.runtime.JvmHost;
import dev.laneway.engine.track.Partition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/** A consumer, before it is started. Immutable. */
public record ConsumerLaunch(
        LaunchSettings settings,
        @Nullable Supplier<? extends Consumer<byte[], byte[]>> clients,
        RebalanceListener listener) {

    /**
     * Checks the configuration, without connecting to anything.
     *
     * @throws ConfigurationException when it cannot work
     */
    public void check() {
        ClientVersion.found().requireForConsumers();
        drainLimit(config().maxPollInterval());
    }

    /** As {@link #start()}, for {@code HandlerSpec.Streaming}. */
    public FeedingConsumer feed() {
        return new FeedingConsumer(members());
    }

    /** Checks what only the whole can tell, makes the clients and starts the members. */
    public Laneway start() {
        return members();
    }

    private KafkaConfig config() {
        refuseRepeats(settings.options());
        refuseUnusedLaneKey();
        refuseDelaysAhead(settings.options());
        return KafkaConfig.of(settings.kafkaConfig(), settings.producerConfig(), clients != null, settings.options());
    }

    private RunningConsumer members() {
        ClientVersion.found().requireForConsumers();
        KafkaConfig config = config();
        Duration drainLimit = drainLimit(config.maxPollInterval());
        List<Engine> engines = settings.make(number -> engine(config, drainLimit, number));
        RunningConsumer handle = settings.start(
                config,
                engines,
                () -> partitions(engines),
                engines.stream().map(engine -> engine.parts().committer()).toList());
        endFormerProducers(config, engines.getFirst().core());
        return handle;
    }

    private void refuseUnusedLaneKey() {
        Options options = settings.options();
        LaneKey laneKey = options.laneKey();
        if (laneKey != null && options.ordering() != Ordering.KEY) {
            throw new ConfigurationException(
                    "laneKey",
                    laneKey.id(),
                    "has no meaning with ordering " + options.ordering(),
                    "choose Ordering.KEY, or leave it out");
        }
    }

    private static List<Partition> partitions(List<Engine> engines) {
        return engines.stream()
                .flatMap(engine -> engine.core().assignment().all().stream())
                .toList();
    }

    /** Without waiting. Nothing is known of producers that the caller makes. */
    private void endFormerProducers(KafkaConfig config, MemberCore first) {
        Options options = settings.options();
        if (options.commit() instanceof CommitMode.ExactlyOnce mode && settings.producers() == null) {
            FormerProducers former = new FormerProducers(mode.transactionalId(), options.consumers(), mode.producers());
            Map<String, Object> properties = config.transactional(mode.transactionalId(), 0, 0);
            first.host()
                    .background(() -> former.end(
                            properties,
                            first.host(),
                            () -> first.lifecycle().ended().isDone()));
        }
    }

    private Engine engine(KafkaConfig config, Duration drainLimit, int number) {
        Options options = settings.options();
        MemberShare share = MemberShare.of(options, number);
        MemberWiring.Plan plan = new MemberWiring.Plan(share, subscription(number), config, drainLimit);
        Consumer<byte[], byte[]> consumer = settings.made(() -> client(config.consumer(number, options.consumers())));
        try {
            MemberWiring parts = MemberWiring.of(
                    new JvmHost(share.name(), share.workers()),
                    options,
                    plan,
                    settings.handling(),
                    listener,
                    consumer,
                    () -> client(config.refill(number, options.consumers())),
                    settings.producersWith(config::outputs),
                    writer -> settings.producersWith(() -> transactional(config, number, writer))
                            .get());
            settings.checkOutputs(parts.core().outbox());
            settings.made(() -> {
                parts.committer().make();
                return parts;
            });
            return new Engine(parts);
        } catch (RuntimeException failure) {
            consumer.close();
            throw failure;
        }
    }

    /** A crash loses what is committed before it is handled, and that must not have waited for hours. */
    private static void refuseDelaysAhead(Options options) {
        if (options.notBefore() != null && options.commit() instanceof CommitMode.Ahead) {
            throw new ConfigurationException(
                    "notBefore",
                    "given",
                    "at-most-once commits a record before it is handled, and a crash would lose all that waits",
                    "leave it out, or choose another commit");
        }
    }

    /** Whoever wants no record twice wants none twice after a crash either. */
    private static void refuseRepeats(Options options) {
        if (options.whenMapIsFull() == WhenMapIsFull.REPEAT_AFTER_CRASH
                && !options.commit().repeatsAfterCrash()) {
            throw new ConfigurationException(
                    "whenMapIsFull",
                    options.whenMapIsFull(),
                    "exactly-once and at-most-once repeat no record",
                    "choose STOP_INTAKE, or an asynchronous or synchronous commit");
        }
    }

    private Consumer<byte[], byte[]> client(Map<String, Object> properties) {
        return clients != null
                ? clients.get()
                : new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private Map<String, Object> transactional(KafkaConfig config, int member, int writer) {
        if (!(settings.options().commit() instanceof CommitMode.ExactlyOnce exactlyOnce)) {
            throw new IllegalStateException("only exactly-once has transactions");
        }
        return config.transactional(exactlyOnce.transactionalId(), member, writer);
    }

    /** Topics are dealt out by the group; partitions that the user assigns are dealt out here. */
    private TopicSelection subscription(int number) {
        int members = settings.options().consumers();
        if (!(settings.subscription() instanceof TopicSelection.Partitions(List<TopicPartition> all)) || members == 1) {
            return settings.subscription();
        }
        if (all.size() < members) {
            throw new ConfigurationException(
                    "consumers",
                    members,
                    "must not exceed the " + all.size() + " assigned partitions",
                    "each member needs one");
        }
        List<TopicPartition> own = new ArrayList<>();
        for (int i = number; i < all.size(); i += members) {
            own.add(all.get(i));
        }
        return new TopicSelection.Partitions(own);
    }

    private Duration drainLimit(Duration maxPollInterval) {
        Duration given = settings.options().limits().drainLimit();
        if (given == null) {
            Duration third = maxPollInterval.dividedBy(3);
            return third.compareTo(Duration.ofSeconds(10)) < 0 ? third : Duration.ofSeconds(10);
        }
        if (given.compareTo(maxPollInterval) >= 0) {
            throw new ConfigurationException(
                    "drainLimit",
                    given,
                    "must be shorter than max.poll.interval.ms, " + maxPollInterval,
                    "a third of it is a good choice");
        }
        return given;
    }
}
