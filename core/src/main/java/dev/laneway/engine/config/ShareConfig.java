package dev.laneway.engine.config;

import dev.laneway.ConfigurationException;
import dev.laneway.Options;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.jspecify.annotations.Nullable;

/** Kafka's properties of a share consumer: those that Laneway needs to know, and those that it sets. Immutable. */
public record ShareConfig(KafkaConfig kafka, Options options, int batchSize, boolean clientsGiven) {
    private static final String EXPLICIT = "explicit";
    /** Takes no more than a poll returns, so that no lock runs out while records wait inside the client. */
    private static final String RECORD_LIMIT = "record_limit";
    /**
     * As many records of a partition as the broker locks for a group, {@code group.share.partition.max.record.locks}.
     */
    private static final int MOST_POLL_RECORDS = 2_000;

    private static final int CLIENTS_POLL_RECORDS = 500;
    private static final int FETCH_MAX_BYTES = 50 << 20;

    /** What Kafka refuses to share consumers, and where it is set instead. */
    private static final Map<String, String> OF_THE_GROUP = Map.of(
            ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
            "share.auto.offset.reset",
            ConsumerConfig.ISOLATION_LEVEL_CONFIG,
            "share.isolation.level",
            ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG,
            "share.session.timeout.ms",
            ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG,
            "share.heartbeat.interval.ms");

    private static final Set<String> OF_CONSUMER_GROUPS = Set.of(
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
            ConsumerConfig.GROUP_INSTANCE_ID_CONFIG,
            ConsumerConfig.GROUP_PROTOCOL_CONFIG,
            ConsumerConfig.GROUP_REMOTE_ASSIGNOR_CONFIG,
            ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
            ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG);

    public static ShareConfig of(
            Map<String, Object> consumer,
            Map<String, Object> producer,
            boolean clientsGiven,
            Options options,
            int batchSize) {
        KafkaConfig.require(ConsumerConfig.GROUP_ID_CONFIG, consumer, "records are handed out to a group", "name one");
        if (!clientsGiven) {
            KafkaConfig.require(
                    ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                    consumer,
                    "the consumer must find its brokers",
                    "give host:port");
        }
        for (String name : new String[] {
            ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG
        }) {
            KafkaConfig.refuseDeserializer(name, consumer.get(name));
        }
        consumer.forEach(ShareConfig::refuse);
        refuseImplicit(consumer.get(ConsumerConfig.SHARE_ACKNOWLEDGEMENT_MODE_CONFIG), clientsGiven);
        if (producer.containsKey(ProducerConfig.TRANSACTIONAL_ID_CONFIG)) {
            throw new ConfigurationException(
                    ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                    producer.get(ProducerConfig.TRANSACTIONAL_ID_CONFIG),
                    "a share group has no transactions",
                    "remove the property");
        }
        Set<String> known = new HashSet<>(ConsumerConfig.configNames());
        known.addAll(ProducerConfig.configNames());
        PropertyTypos.refuse(consumer, known);
        PropertyTypos.refuse(producer, known);
        ClientProperties.refuseLongSleep(producer);
        ShareConfig config = new ShareConfig(
                new KafkaConfig(
                        new HashMap<>(consumer),
                        new HashMap<>(producer),
                        RecordBudget.fixed(options.bufferRecords()),
                        options.bufferBytes(),
                        false,
                        !clientsGiven && !options.limits().retryAuthorization().isZero()),
                options,
                batchSize,
                clientsGiven);
        config.refuseMoreThan(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "bufferRecords", options.bufferRecords());
        config.refuseMoreThan(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, "bufferBytes", options.bufferBytes());
        config.maxPollInterval();
        config.metadataAge();
        return config;
    }

    private static void refuse(String name, Object value) {
        String instead = OF_THE_GROUP.get(name);
        if (instead != null) {
            throw new ConfigurationException(
                    name,
                    value,
                    "a share group has it on the broker, for all members",
                    "remove the property and set " + instead + " of the group, with kafka-configs --group");
        }
        if (OF_CONSUMER_GROUPS.contains(name)) {
            throw new ConfigurationException(
                    name, value, "share consumers have no such property", "remove the property");
        }
    }

    /** Implicit acknowledgement would count records as done that nobody has handled. */
    private static void refuseImplicit(@Nullable Object mode, boolean clientsGiven) {
        if (mode == null ? clientsGiven : !EXPLICIT.equals(mode.toString())) {
            throw new ConfigurationException(
                    ConsumerConfig.SHARE_ACKNOWLEDGEMENT_MODE_CONFIG,
                    mode == null ? "missing" : mode,
                    "Laneway acknowledges itself, only what is done",
                    clientsGiven
                            ? "make the clients with " + EXPLICIT + ", and say so here"
                            : "remove the property, or set it to " + EXPLICIT);
        }
    }

    private void refuseMoreThan(String name, String budgetName, long budget) {
        if (budget > 0 && KafkaConfig.number(kafka.consumer(), name, 1) > budget) {
            throw new ConfigurationException(
                    name,
                    String.valueOf(kafka.consumer().get(name)),
                    "must not exceed " + budgetName + ", " + budget + ": a poll is all that is held",
                    "lower it or raise " + budgetName);
        }
    }

    /**
     * What one poll returns at most, and so what is held: what the workers start at once. A record that waits here has
     * used up a delivery, and waits for this member while others may be idle.
     */
    public int maxPollRecords() {
        int perMember = (options.concurrency() + options.consumers() - 1) / options.consumers();
        long started = Math.min(MOST_POLL_RECORDS, (long) Math.max(1, batchSize) * perMember);
        int sized = clientsGiven
                ? CLIENTS_POLL_RECORDS
                : (int) (options.bufferRecords() > 0 ? Math.min(options.bufferRecords(), started) : started);
        return KafkaConfig.number(kafka.consumer(), ConsumerConfig.MAX_POLL_RECORDS_CONFIG, sized);
    }

    public Duration maxPollInterval() {
        return kafka.maxPollInterval();
    }

    public Duration metadataAge() {
        return kafka.metadataAge();
    }

    public String group() {
        return kafka.group();
    }

    /** Asks the group's brokers. */
    public DeliveryLimit deliveryLimit() {
        return DeliveryLimit.ask(kafka.consumer(), group());
    }

    public Map<String, Object> outputs() {
        return kafka.outputs();
    }

    /** The properties of one client. What must be unique in a group gets the client's number. */
    public Map<String, Object> consumer(int member) {
        Map<String, Object> properties = new HashMap<>(kafka.consumer());
        properties.put(ConsumerConfig.SHARE_ACKNOWLEDGEMENT_MODE_CONFIG, EXPLICIT);
        properties.putIfAbsent(ConsumerConfig.SHARE_ACQUIRE_MODE_CONFIG, RECORD_LIMIT);
        properties.putIfAbsent(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, maxPollRecords());
        properties.putIfAbsent(ConsumerConfig.RECEIVE_BUFFER_CONFIG, KafkaConfig.RECEIVE_BUFFER_OF_THE_SYSTEM);
        properties.putIfAbsent(
                ConsumerConfig.FETCH_MAX_BYTES_CONFIG, (int) Math.min(FETCH_MAX_BYTES, options.bufferBytes()));
        if (!options.limits().retryAuthorization().isZero()) {
            properties.putIfAbsent(
                    ConsumerConfig.METADATA_MAX_AGE_CONFIG, (int) metadataAge().toMillis());
        }
        if (options.consumers() > 1) {
            properties.computeIfPresent(ConsumerConfig.CLIENT_ID_CONFIG, (name, id) -> id + "-" + member);
        }
        return properties;
    }
}
