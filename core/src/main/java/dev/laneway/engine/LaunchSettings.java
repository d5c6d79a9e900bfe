package dev.laneway.engine;

import dev.laneway.CommitMode;
import dev.laneway.ConfigurationException;
import dev.laneway.Options;
import dev.laneway.StartCheck;
import dev.laneway.engine.commit.Committer;
import dev.laneway.engine.config.KafkaConfig;
import dev.laneway.engine.config.SecretProperties;
import dev.laneway.engine.config.TopicSelection;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.engine.handle.Outbox;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.track.Event;
import dev.laneway.engine.track.Partition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * What members are started with, whichever kind of group they belong to, and how they are started. Immutable.
 *
 * @param producers makes those that send what handlers emit and dead letters; null where this does
 */
public record LaunchSettings(
        Map<String, Object> kafkaConfig,
        Map<String, Object> producerConfig,
        Options options,
        TopicSelection subscription,
        @Nullable Supplier<? extends Producer<byte[], byte[]>> producers,
        HandlerSpec handling) {

    /**
     * Checks options that each are right, and may be wrong together.
     *
     * @throws ConfigurationException if they are
     */
    public LaunchSettings {
        if (options.consumers() > options.concurrency()) {
            throw new ConfigurationException(
                    "consumers",
                    options.consumers(),
                    "must not exceed concurrency, " + options.concurrency(),
                    "each member needs a worker");
        }
    }

    /** Without the values of Kafka's properties: passwords are among them. */
    @Override
    public String toString() {
        return "LaunchSettings[kafkaConfig=" + kafkaConfig.keySet() + ", producerConfig=" + producerConfig.keySet()
                + ", options=" + options + ", subscription=" + subscription + "]";
    }

    /**
     * Makes as many members as the options say.
     *
     * @param maker makes the member of a number, from 0 on
     */
    public <E extends MemberEngine> List<E> make(IntFunction<E> maker) {
        List<E> engines = new ArrayList<>();
        try {
            for (int number = 0; number < options.consumers(); number++) {
                engines.add(maker.apply(number));
            }
            return List.copyOf(engines);
        } catch (RuntimeException failure) {
            close(engines);
            throw failure;
        }
    }

    /**
     * Starts the members, all or none.
     *
     * @param assigned the partitions that they have at the moment; any thread
     * @param committers those of all members
     */
    public RunningConsumer start(
            KafkaConfig config,
            List<? extends MemberEngine> engines,
            Supplier<? extends Collection<Partition>> assigned,
            List<Committer> committers) {
        RunningConsumer handle = null;
        try {
            HealthConditions cluster = new HealthConditions(
                    engines.getFirst().core().host(), options.limits().healthLimit());
            ClusterProbe probe = ClusterProbe.of(
                    config,
                    options,
                    subscription,
                    producers == null,
                    cluster,
                    assigned,
                    committers,
                    () -> outgoing(engines),
                    mayRepeat(engines)
                            ? partition -> engines.forEach(
                                    engine -> engine.core().inbox().add(new Event.Recreated(partition)))
                            : null);
            List<Member> members = engines.stream().map(Member::new).toList();
            handle = new RunningConsumer(members, options, cluster, probe);
            if (probe != null && options.startCheck() == StartCheck.FAIL) {
                require(probe);
            }
            handle.observe(config.group());
            if (options.closeOnShutdown()) {
                handle.closeOnShutdown();
            }
            handle.start();
            return handle;
        } catch (RuntimeException failure) {
            close(engines);
            if (handle != null) {
                handle.endObservers(failure);
            }
            throw failure;
        }
    }

    /**
     * Whether records of a topic may be handled again. A broker that tells of topics may be behind, so that a partition
     * may begin anew where it need not: where nothing is repeated, what the leader epochs tell has to do.
     */
    private boolean mayRepeat(List<? extends MemberEngine> engines) {
        boolean repeats = handling instanceof HandlerSpec.Streaming streaming
                ? streaming.kind().mayRepeat()
                : options.commit().repeatsAfterCrash();
        return repeats && engines.getFirst().ownsPartitions();
    }

    /** No owner runs yet: the members are this thread's to close. */
    private static void close(List<? extends MemberEngine> engines) {
        engines.forEach(engine -> {
            engine.closeUnstarted();
            engine.core().outbox().close(Duration.ZERO);
            engine.core().host().close();
        });
    }

    private static Set<String> outgoing(List<? extends MemberEngine> engines) {
        return engines.stream()
                .flatMap(engine -> engine.core().outbox().outgoing().topics().stream())
                .collect(Collectors.toSet());
    }

    private void require(ClusterProbe probe) {
        try {
            made(() -> {
                probe.require(options.limits().healthLimit());
                return probe;
            });
        } catch (RuntimeException missing) {
            probe.close();
            throw missing;
        }
    }

    // ---------------------------------------------------------------- clients

    /** The caller's own producers if there are any, else some with these properties. */
    public Supplier<? extends Producer<byte[], byte[]>> producersWith(Supplier<Map<String, Object>> properties) {
        return producers != null
                ? producers
                : () -> new KafkaProducer<>(properties.get(), new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** Makes sure, if the members send anything, that a producer can be made. */
    public void checkOutputs(Outbox outbox) {
        if (sends()) {
            // A producer of the caller's own is asked for once, since it may be the only one that there is.
            made(producers != null ? outbox::open : outbox::check);
        }
    }

    /** With exactly-once the committer has producers, and what is sent goes through them. */
    private boolean sends() {
        if (options.commit() instanceof CommitMode.ExactlyOnce) {
            return false;
        }
        return options.failurePolicy().deadLetters()
                || (handling instanceof HandlerSpec.Each<?, ?> each && each.emits());
    }

    /** What the maker makes; Kafka's own complaints about its configuration in our words. */
    public <T> T made(Supplier<? extends T> maker) {
        try {
            return maker.get();
        } catch (ConfigException wrong) {
            throw refused(wrong);
        } catch (KafkaException failure) {
            Throwable cause = failure.getCause() == null ? failure : failure.getCause();
            if (cause instanceof ConfigException wrong) {
                throw refused(wrong);
            }
            throw new ConfigurationException(
                    "kafkaConfig", "such that no client can be made", said(cause), "mend the property");
        }
    }

    private ConfigurationException refused(ConfigException wrong) {
        return new ConfigurationException("kafkaConfig", said(wrong), "Kafka refuses it", "mend the property");
    }

    /** What a complaint says, without passwords. */
    private String said(Throwable complaint) {
        String text = SecretProperties.without(kafkaConfig, String.valueOf(complaint.getMessage()));
        return SecretProperties.without(producerConfig, text);
    }
}
