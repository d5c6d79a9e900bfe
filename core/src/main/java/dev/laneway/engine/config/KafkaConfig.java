package dev.laneway.engine.config;

import dev.laneway.CommitMode;
import dev.laneway.ConfigurationException;
import dev.laneway.Options;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/** Kafka's properties: those that Laneway needs to know, and those that it sets. Immutable. */
public record KafkaConfig(
        Map<String, Object> consumer,
        Map<String, Object> producer,
        RecordBudget records,
        long bufferBytes,
        boolean exactlyOnce,
        boolean retriesAuthorization) {
    /** More than Kafka's 500: a poll costs the owner a turn, and wakes a worker. */
    private static final int MAX_POLL_RECORDS = 2_000;

    private static final Set<String> NOT_OF_REFILL = Set.of(
            ConsumerConfig.GROUP_ID_CONFIG,
            ConsumerConfig.GROUP_INSTANCE_ID_CONFIG,
            ConsumerConfig.GROUP_PROTOCOL_CONFIG,
            ConsumerConfig.GROUP_REMOTE_ASSIGNOR_CONFIG,
            ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
            ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG);

    private static final int MAX_POLL_INTERVAL_MS = 300_000;
    private static final int MAX_PARTITION_FETCH_BYTES = 1 << 20;
    /** Kafka's default. */
    private static final int FETCH_MAX_BYTES = 50 << 20;

    /** A fifth of Kafka's 500: partitions with a backlog may have to wait for a fetch of others, see Abstention. */
    private static final int FETCH_MAX_WAIT_MS = 100;
    /** Kafka's default. */
    private static final int FETCH_MAX_WAIT_MS_OF_KAFKA = 500;

    private static final int POLLS_PER_BUFFER = 4;
    /** The client keeps a few answers to fetches beside the budget of bytes: what it has not returned yet. */
    private static final int FETCHES_PER_BUFFER = 16;

    /** Room for large records, however small the budgets are: those may be passed by one record. */
    private static final int LEAST_REQUEST_BYTES = 16 << 20;
    /** Brokers close connections that bring more than 100 MiB (socket.request.max.bytes). */
    private static final int MOST_REQUEST_BYTES = 96 << 20;
    /** Kafka's default. */
    private static final long PRODUCER_BUFFER_BYTES = 32 << 20;

    private static final int METADATA_AGE_MS = 300_000;
    /** A topic that was refused is asked for again with the next metadata only. */
    private static final int METADATA_AGE_TO_RETRY_MS = 5_000;

    private static final int TRANSACTION_TIMEOUT_MS = 30_000;
    /**
     * Kafka's 64 KiB make a client read an answer of a megabyte in sixteen pieces, and wait for each; the system lets
     * the buffer grow as far as the connection needs.
     */
    static final int RECEIVE_BUFFER_OF_THE_SYSTEM = -1;

    private static final String READ_COMMITTED = "read_committed";

    /**
     * Checks the properties.
     *
     * @param clientsGiven whether the caller makes the clients, and the properties only describe them
     * @param options the budgets, which polls and fetches must fit into several times, so that one unfinished record
     *     does not stop all fetching
     */
    public static KafkaConfig of(
            Map<String, Object> consumer, Map<String, Object> producer, boolean clientsGiven, Options options) {
        refuseAutoCommit(consumer.get(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG), clientsGiven);
        require(ConsumerConfig.GROUP_ID_CONFIG, consumer, "progress is committed to a group", "name one");
        for (String name : new String[] {
            ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG
        }) {
            refuseDeserializer(name, consumer.get(name));
        }
        if (!clientsGiven) {
            require(
                    ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                    consumer,
                    "the consumer must find its brokers",
                    "give host:port");
        }
        refuseTransactions(consumer, producer, clientsGiven, options.commit() instanceof CommitMode.ExactlyOnce);
        refuseUnordered(producer.get(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG));
        ClientProperties.refuseLongSleep(producer);
        // One map often serves both clients, so a name of either is no mistake.
        Set<String> known = new HashSet<>(ConsumerConfig.configNames());
        known.addAll(ProducerConfig.configNames());
        for (Map<String, Object> given : List.of(consumer, producer)) {
            refuseNulls(given);
            PropertyTypos.refuse(given, known);
        }
        refuseNoAssignor(consumer.get(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG));
        long least = options.bufferRecords() > 0
                ? 0
                : (long) POLLS_PER_BUFFER * number(consumer, ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 1);
        RecordBudget records = new RecordBudget(
                Math.max(options.bufferRecordsAtFirst(), least), Math.max(options.bufferRecordsOrSized(), least));
        Map<String, Object> described = new HashMap<>(consumer);
        if (clientsGiven) {
            described.putIfAbsent(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, FETCH_MAX_BYTES);
            described.putIfAbsent(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, FETCH_MAX_WAIT_MS_OF_KAFKA);
            described.putIfAbsent(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "unknown");
        }
        KafkaConfig config = new KafkaConfig(
                described,
                new HashMap<>(producer),
                records,
                options.bufferBytes(),
                options.commit() instanceof CommitMode.ExactlyOnce,
                !clientsGiven && !options.limits().retryAuthorization().isZero());
        refuseLarge(consumer, ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "bufferRecords", records.most());
        refuseLarge(consumer, ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, "bufferBytes", options.bufferBytes());
        config.maxPollRecords();
        config.maxPollInterval();
        config.maxPartitionFetchBytes();
        config.fetchMaxBytes();
        config.fetchMaxWait();
        config.metadataAge();
        return config;
    }

    /** Refuses properties without this one. */
    static void require(String name, Map<String, Object> properties, String rule, String remedy) {
        Object value = properties.get(name);
        if (value == null || value.toString().isBlank()) {
            throw new ConfigurationException(name, value == null ? "missing" : "blank", rule, remedy);
        }
    }

    /**
     * A client that commits by itself commits records that are not done. What the caller's clients do cannot be seen,
     * and Kafka's default is to commit, so the caller must have thought of it.
     */
    private static void refuseAutoCommit(@Nullable Object autoCommit, boolean clientsGiven) {
        if (autoCommit == null && clientsGiven) {
            throw new ConfigurationException(
                    ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                    "missing",
                    "clients that the caller makes must not commit by themselves, which is Kafka's default",
                    "make the clients with false, and say so here");
        }
        if (autoCommit != null
                && !"false".equalsIgnoreCase(autoCommit.toString().trim())) {
            throw new ConfigurationException(
                    ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                    autoCommit,
                    "Laneway commits itself, only what is done",
                    clientsGiven ? "make the clients with false, and say so here" : "remove the property");
        }
    }

    /** What is read and written exactly once must not be read before it is committed. */
    private static void refuseTransactions(
            Map<String, Object> consumer, Map<String, Object> producer, boolean clientsGiven, boolean exactlyOnce) {
        Object isolation = consumer.get(ConsumerConfig.ISOLATION_LEVEL_CONFIG);
        if (exactlyOnce && (isolation == null ? clientsGiven : !READ_COMMITTED.equals(isolation.toString()))) {
            throw new ConfigurationException(
                    ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                    isolation == null ? "missing" : isolation,
                    "exactly-once must not read what may yet be aborted",
                    "set it to " + READ_COMMITTED);
        }
        Object id = producer.get(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
        if (id != null) {
            throw new ConfigurationException(
                    ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                    id,
                    "Laneway names its transactions itself",
                    "remove the property and call exactlyOnce(transactionalId)");
        }
    }

    /** A batch that a producer sends again must not be overtaken, nor be there twice. */
    private static void refuseUnordered(@Nullable Object idempotence) {
        if (idempotence != null
                && !"true".equalsIgnoreCase(idempotence.toString().trim())) {
            throw new ConfigurationException(
                    ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                    idempotence,
                    "without it, what is sent again may be overtaken by later records of its key, or be there twice",
                    "remove the property");
        }
    }

    private static void refuseLarge(Map<String, Object> consumer, String name, String budgetName, long budget) {
        if (number(consumer, name, 1) > budget / 2) {
            throw new ConfigurationException(
                    name,
                    String.valueOf(consumer.get(name)),
                    "must be at most half of " + budgetName + ", " + budget
                            + ", or one unfinished record stops all fetching",
                    "lower it or raise " + budgetName);
        }
    }

    static void refuseDeserializer(String name, @Nullable Object value) {
        if (value == null
                || value == ByteArrayDeserializer.class
                || value.toString().equals(ByteArrayDeserializer.class.getName())) {
            return;
        }
        throw new ConfigurationException(
                name,
                value,
                "records are deserialised on the workers",
                "remove the property and call deserializers(keys, values)");
    }

    /** Kafka's client takes an empty list, and fails when it subscribes. */
    private static void refuseNoAssignor(@Nullable Object assignors) {
        if (assignors instanceof List<?> list ? list.isEmpty() : assignors instanceof String name && name.isBlank()) {
            throw new ConfigurationException(
                    ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
                    "empty",
                    "a group needs an assignor at least",
                    "name one, or leave the property out");
        }
    }

    /** Kafka's clients fail at some of them with a NullPointerException that names no property. */
    static void refuseNulls(Map<String, Object> given) {
        given.forEach((name, value) -> {
            if (value == null) {
                throw new ConfigurationException(name, "null", "a property must have a value", "leave it out");
            }
        });
    }

    /** Without the values: passwords are among them. */
    @Override
    public String toString() {
        return "KafkaConfig[consumer=" + consumer.keySet() + ", producer=" + producer.keySet() + "]";
    }

    public String group() {
        return String.valueOf(consumer.get(ConsumerConfig.GROUP_ID_CONFIG));
    }

    /** Whether the group follows KIP-848, with the client that was made for it. */
    public boolean isConsumerProtocol() {
        return "consumer".equalsIgnoreCase(String.valueOf(consumer.get(ConsumerConfig.GROUP_PROTOCOL_CONFIG)));
    }

    /** Where partitions start that the group has not committed, in Kafka's words. */
    public String reset() {
        Object reset = consumer.get(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG);
        return reset == null ? "latest" : reset.toString().toLowerCase(Locale.ROOT);
    }

    public int maxPollRecords() {
        return number(
                consumer,
                ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                Math.clamp(records.first() / POLLS_PER_BUFFER, 1, MAX_POLL_RECORDS));
    }

    public Duration maxPollInterval() {
        return Duration.ofMillis(number(consumer, ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, MAX_POLL_INTERVAL_MS));
    }

    /** After which time the client asks for topics again. */
    public Duration metadataAge() {
        return Duration.ofMillis(number(
                consumer,
                ConsumerConfig.METADATA_MAX_AGE_CONFIG,
                retriesAuthorization ? METADATA_AGE_TO_RETRY_MS : METADATA_AGE_MS));
    }

    public long maxPartitionFetchBytes() {
        return number(
                consumer,
                ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
                Math.clamp(bufferBytes / POLLS_PER_BUFFER, 1, MAX_PARTITION_FETCH_BYTES));
    }

    public long fetchMaxBytes() {
        return number(
                consumer,
                ConsumerConfig.FETCH_MAX_BYTES_CONFIG,
                Math.clamp(bufferBytes / FETCHES_PER_BUFFER, 1, FETCH_MAX_BYTES));
    }

    /** How long a broker keeps a fetch that finds nothing. */
    public Duration fetchMaxWait() {
        // Who asks for more than a byte means a time in which that comes together.
        boolean forOneByte = number(consumer, ConsumerConfig.FETCH_MIN_BYTES_CONFIG, 1, 0) <= 1;
        int otherwise = forOneByte ? FETCH_MAX_WAIT_MS : FETCH_MAX_WAIT_MS_OF_KAFKA;
        return Duration.ofMillis(number(consumer, ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, otherwise, 0));
    }

    static int number(Map<String, Object> properties, String name, int otherwise) {
        return number(properties, name, otherwise, 1);
    }

    private static int number(Map<String, Object> properties, String name, int otherwise, int least) {
        Object value = properties.get(name);
        try {
            int number = value == null ? otherwise : Integer.parseInt(value.toString());
            if (number >= least) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // Refused below, as is a number that is too small.
        }
        throw new ConfigurationException(
                name, String.valueOf(value), "must be a whole number of at least " + least, "mend it");
    }

    /** The properties of one member's consumer. What must be unique in a group gets the member's number. */
    public Map<String, Object> consumer(int number, int members) {
        Map<String, Object> properties = new HashMap<>(consumer);
        properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        properties.putIfAbsent(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, maxPollRecords());
        properties.putIfAbsent(ConsumerConfig.RECEIVE_BUFFER_CONFIG, RECEIVE_BUFFER_OF_THE_SYSTEM);
        properties.putIfAbsent(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, (int) maxPartitionFetchBytes());
        properties.putIfAbsent(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, (int) fetchMaxBytes());
        properties.putIfAbsent(
                ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, (int) fetchMaxWait().toMillis());
        if (exactlyOnce) {
            properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, READ_COMMITTED);
        }
        if (retriesAuthorization) {
            properties.putIfAbsent(
                    ConsumerConfig.METADATA_MAX_AGE_CONFIG, (int) metadataAge().toMillis());
        }
        if (members > 1) {
            properties.computeIfPresent(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG, (name, id) -> id + "-" + number);
            properties.computeIfPresent(ConsumerConfig.CLIENT_ID_CONFIG, (name, id) -> id + "-" + number);
        }
        return properties;
    }

    /**
     * The properties of the client that reads a member's spilled records again: it is in no group, and shows no record
     * to the user's interceptors a second time.
     */
    public Map<String, Object> refill(int number, int members) {
        Map<String, Object> properties = consumer(number, members);
        NOT_OF_REFILL.forEach(properties::remove);
        properties.computeIfPresent(ConsumerConfig.CLIENT_ID_CONFIG, (name, id) -> id + "-refill");
        properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        return properties;
    }

    /**
     * The properties of a transactional producer of a member; the numbers keep those of one process apart.
     *
     * <p>A transaction that a dead process has left open ends after half of the default of brokerLimit: so long its
     * partitions wait for their offsets.
     *
     * @param id what the user named the process's transactions
     */
    public Map<String, Object> transactional(String id, int member, int number) {
        Map<String, Object> properties = idempotent();
        properties.putIfAbsent(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, TRANSACTION_TIMEOUT_MS);
        properties.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, id + "-" + member + "-" + number);
        return properties;
    }

    /**
     * The properties of a producer of dead letters and emitted records: idempotent, with the consumer's connection.
     *
     * <p>One request at a time on each connection: idempotence does not keep the order of a producer's first batches to
     * a partition. A leader that refuses the first one (too few replicas in sync, say) and is ready for the second
     * takes that as the beginning; the first is out of sequence from then on, until delivery.timeout.ms.
     *
     * <p>It tries for as long as it takes, and whoever sends waits for topics and for room: what were given up and sent
     * again would be overtaken by later records of its key. So delivery.timeout.ms and retries are not the user's.
     */
    public Map<String, Object> outputs() {
        Map<String, Object> properties = idempotent();
        properties.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Integer.MAX_VALUE);
        properties.put(ProducerConfig.RETRIES_CONFIG, Integer.MAX_VALUE);
        properties.putIfAbsent(ProducerConfig.MAX_BLOCK_MS_CONFIG, Integer.MAX_VALUE);
        return properties;
    }

    private Map<String, Object> idempotent() {
        Map<String, Object> properties = new HashMap<>();
        consumer.forEach((name, value) -> {
            if (name.equals(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG)
                    || name.startsWith("security.")
                    || name.startsWith("sasl.")
                    || name.startsWith("ssl.")
                    // What the others may refer to: ${vault:path:key}.
                    || name.equals(AbstractConfig.CONFIG_PROVIDERS_CONFIG)
                    || name.startsWith(AbstractConfig.CONFIG_PROVIDERS_CONFIG + ".")) {
                properties.put(name, value);
            }
        });
        properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");
        properties.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
        // Outputs and dead letters are as large as what is read, and Kafka's 1 MiB is less.
        long record = Math.max(bufferBytes, Math.max(fetchMaxBytes(), maxPartitionFetchBytes()));
        properties.put(
                ProducerConfig.MAX_REQUEST_SIZE_CONFIG, Math.clamp(record, LEAST_REQUEST_BYTES, MOST_REQUEST_BYTES));
        properties.putAll(producer);
        // A record that is larger than all of the buffer is refused; one that is not needed takes no memory.
        properties.putIfAbsent(
                ProducerConfig.BUFFER_MEMORY_CONFIG,
                properties.get(ProducerConfig.MAX_REQUEST_SIZE_CONFIG) instanceof Number request
                        ? Math.max(PRODUCER_BUFFER_BYTES, request.longValue())
                        : (long) MOST_REQUEST_BYTES);
        return properties;
    }
}
