package dev.laneway.engine;

import dev.laneway.CommitMode;
import dev.laneway.ConfigurationException;
import dev.laneway.Laneway;
import dev.laneway.Options;
import dev.laneway.RebalanceListener;
import dev.laneway.StartCheck;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Everything that a consumer is started with. Immutable. */
public record ConsumerLaunch(
        Map<String, Object> kafkaConfig,
        Map<String, Object> producerConfig,
        Options options,
        TopicSelection subscription,
        @Nullable Supplier<? extends Consumer<byte[], byte[]>> clients,
        @Nullable Supplier<? extends Producer<byte[], byte[]>> producers,
        RebalanceListener listener,
        HandlerSpec handling) {

    /** Without the values of Kafka's properties: passwords are among them. */
    @Override
    public String toString() {
        return "Launch[kafkaConfig=" + kafkaConfig.keySet() + ", producerConfig=" + producerConfig.keySet()
                + ", options=" + options + ", subscription=" + subscription + "]";
    }

    /**
     * Checks the configuration, without connecting to anything.
     *
     * @throws ConfigurationException when it cannot work
     */
    public void check() {
        ClientVersion.found().requireForConsumers();
        drainLimit(KafkaConfig.of(kafkaConfig, producerConfig, clients != null, options)
                .maxPollInterval());
    }

    /** As {@link #start()}, for {@link HandlerSpec.Streaming}. */
    public FeedingConsumer feed() {
        return new FeedingConsumer(members());
    }

    /** Checks what only the whole can tell, makes the clients and starts the members. */
    public Laneway start() {
        return members();
    }

    private RunningConsumer members() {
        ClientVersion.found().requireForConsumers();
        KafkaConfig config = KafkaConfig.of(kafkaConfig, producerConfig, clients != null, options);
        Duration drainLimit = drainLimit(config.maxPollInterval());
        List<Member.OfConsumerGroup> members = new ArrayList<>();
        try {
            for (int i = 0; i < options.consumers(); i++) {
                members.add(member(config, drainLimit, i));
            }
            HealthConditions cluster =
                    new HealthConditions(members.getFirst().parts().host(), options.healthLimit());
            ClusterProbe probe = ClusterProbe.of(
                    config,
                    options,
                    subscription,
                    producers == null,
                    cluster,
                    () -> partitions(members),
                    members.stream().map(member -> member.parts().committer()).toList(),
                    () -> outgoing(members));
            RunningConsumer handle = new RunningConsumer(members, options, cluster, probe);
            if (probe != null && options.startCheck() == StartCheck.FAIL) {
                require(probe);
            }
            if (options.closeOnShutdown()) {
                handle.closeOnShutdown();
            }
            handle.start();
            endFormerProducers(config, members.getFirst().parts());
            return handle;
        } catch (RuntimeException failure) {
            // No owner runs yet: the members are this thread's to close.
            members.forEach(member -> {
                member.parts().consumer().close();
                member.parts().outbox().close(Duration.ZERO);
                member.parts().host().close();
            });
            throw failure;
        }
    }

    /** Without waiting. Nothing is known of producers that the caller makes. */
    private void endFormerProducers(KafkaConfig config, MemberWiring first) {
        if (options.commit() instanceof CommitMode.ExactlyOnce mode && producers == null) {
            FormerProducers former = new FormerProducers(mode.transactionalId(), options.consumers(), mode.producers());
            Map<String, Object> properties = config.transactional(mode.transactionalId(), 0, 0);
            first.host()
                    .background(() -> former.end(
                            properties,
                            first.host(),
                            () -> first.lifecycle().ended().isDone()));
        }
    }

    private void require(ClusterProbe probe) {
        try {
            made(() -> {
                probe.require(options.healthLimit());
                return probe;
            });
        } catch (RuntimeException missing) {
            probe.close();
            throw missing;
        }
    }

    private static List<Partition> partitions(List<Member.OfConsumerGroup> members) {
        return members.stream()
                .flatMap(member -> member.assignment().all().stream())
                .toList();
    }

    private static Set<String> outgoing(List<Member.OfConsumerGroup> members) {
        return members.stream()
                .flatMap(member -> member.parts().outbox().outgoing().topics().stream())
                .collect(Collectors.toSet());
    }

    private Member.OfConsumerGroup member(KafkaConfig config, Duration drainLimit, int number) {
        MemberShare seat = MemberShare.of(options, number);
        MemberWiring.Plan plan = new MemberWiring.Plan(
                seat.name(),
                seat.concurrency(),
                subscription(number),
                config.group(),
                config.maxPollRecords(),
                config.maxPartitionFetchBytes(),
                config.fetchMaxBytes(),
                config.fetchMaxWait(),
                drainLimit,
                config.maxPollInterval(),
                config.metadataAge(),
                config.isConsumerProtocol(),
                config.reset(),
                config.records());
        Consumer<byte[], byte[]> consumer = made(() -> clients != null
                ? clients.get()
                : new KafkaConsumer<>(
                        config.consumer(number, options.consumers()),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer()));
        Supplier<? extends Producer<byte[], byte[]>> outputs = producers != null
                ? producers
                : () -> new KafkaProducer<>(config.outputs(), new ByteArraySerializer(), new ByteArraySerializer());
        try {
            MemberWiring parts = MemberWiring.of(
                    new JvmHost(seat.name(), seat.workers()),
                    options,
                    plan,
                    handling,
                    listener,
                    consumer,
                    outputs,
                    courier -> producers != null ? producers.get() : transactional(config, number, courier));
            if (sends(options, handling)) {
                // A producer of the caller's own is asked for once, since it may be the only one that there is.
                made(producers != null ? parts.outbox()::open : parts.outbox()::check);
            }
            made(() -> {
                parts.committer().make();
                return parts;
            });
            Engine engine = new Engine(parts);
            return new Member.OfConsumerGroup(engine, parts, new OwnerThread(engine, seat.name()));
        } catch (RuntimeException failure) {
            consumer.close();
            throw failure;
        }
    }

    private Producer<byte[], byte[]> transactional(KafkaConfig config, int member, int courier) {
        if (!(options.commit() instanceof CommitMode.ExactlyOnce exactlyOnce)) {
            throw new IllegalStateException("only exactly-once has transactions");
        }
        return new KafkaProducer<>(
                config.transactional(exactlyOnce.transactionalId(), member, courier),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    /** With exactly-once the committer has producers, and what is sent goes through them. */
    static boolean sends(Options options, HandlerSpec handling) {
        if (options.commit() instanceof CommitMode.ExactlyOnce) {
            return false;
        }
        return options.failurePolicy().deadLetters()
                || (handling instanceof HandlerSpec.Each<?, ?> each && each.emits());
    }

    /** Topics are dealt out by the group; partitions that the user assigns are dealt out here. */
    private TopicSelection subscription(int number) {
        if (!(subscription instanceof TopicSelection.Partitions(List<TopicPartition> all))
                || options.consumers() == 1) {
            return subscription;
        }
        if (all.size() < options.consumers()) {
            throw new ConfigurationException(
                    "consumers",
                    options.consumers(),
                    "must not exceed the " + all.size() + " assigned partitions",
                    "each member needs one");
        }
        List<TopicPartition> own = new ArrayList<>();
        for (int i = number; i < all.size(); i += options.consumers()) {
            own.add(all.get(i));
        }
        return new TopicSelection.Partitions(own);
    }

    private Duration drainLimit(Duration maxPollInterval) {
        Duration given = options.drainLimit();
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

    /** Kafka's own complaints about its configuration, in our words. */
    private <T> T made(Supplier<? extends T> maker) {
        return made(kafkaConfig, producerConfig, maker);
    }

    /** What the maker makes; the properties are those that it uses. */
    static <T> T made(
            Map<String, Object> kafkaConfig, Map<String, Object> producerConfig, Supplier<? extends T> maker) {
        UnaryOperator<String> clean =
                text -> SecretProperties.without(producerConfig, SecretProperties.without(kafkaConfig, text));
        try {
            return maker.get();
        } catch (ConfigException wrong) {
            throw refused(wrong, clean);
        } catch (KafkaException failure) {
            Throwable cause = failure.getCause() == null ? failure : failure.getCause();
            if (cause instanceof ConfigException wrong) {
                throw refused(wrong, clean);
            }
            throw new ConfigurationException(
                    "kafkaConfig",
                    "such that no client can be made",
                    clean.apply(String.valueOf(cause.getMessage())),
                    "mend the property");
        }
    }

    private static ConfigurationException refused(ConfigException wrong, UnaryOperator<String> clean) {
        return new ConfigurationException(
                "kafkaConfig",
                clean.apply(String.valueOf(wrong.getMessage())),
                "Kafka refuses it",
                "mend the property");
    }
}
