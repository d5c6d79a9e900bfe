package dev.laneway.engine.sim;

import dev.laneway.Backoff;
import dev.laneway.CommitMode;
import dev.laneway.FailurePolicy;
import dev.laneway.LaneKey;
import dev.laneway.Limits;
import dev.laneway.NotBefore;
import dev.laneway.NullKeys;
import dev.laneway.Options;
import dev.laneway.Ordering;
import dev.laneway.StartPosition;
import dev.laneway.WhenMapIsFull;
import dev.laneway.Workers;
import dev.laneway.engine.MemberShare;
import dev.laneway.engine.MemberWiring;
import dev.laneway.engine.config.KafkaConfig;
import dev.laneway.engine.config.RecordBudget;
import dev.laneway.engine.config.TopicSelection;
import dev.laneway.engine.offsets.OffsetMap;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** What a seed decides before a run begins: topology, options, load. Immutable. */
final class SimPlan {
    static final String GROUP = "shop";
    static final Duration MAX_POLL_INTERVAL = Duration.ofSeconds(30);
    private static final long RISING_DELAY_MILLIS = 700;
    private static final byte[] STUCK_KEY = "key0".getBytes(StandardCharsets.UTF_8);
    private static final Duration FETCH_MAX_WAIT = Duration.ofMillis(100);
    private static final long MILLI = 1_000_000;

    /** Which kind of handler runs the records. */
    enum Handlers {
        PLAIN,
        EACH,
        ASYNC,
        BATCH
    }

    /** How the group shares out partitions. */
    enum Protocol {
        RANGE("org.apache.kafka.clients.consumer.RangeAssignor"),
        ROUND_ROBIN("org.apache.kafka.clients.consumer.RoundRobinAssignor"),
        STICKY("org.apache.kafka.clients.consumer.StickyAssignor"),
        COOPERATIVE("org.apache.kafka.clients.consumer.CooperativeStickyAssignor"),
        /** KIP-848: the broker decides. */
        CONSUMER("");

        final String assignor;

        Protocol(String assignor) {
            this.assignor = assignor;
        }

        /** Whether a leader counts partitions that members have had, be they there or not. */
        boolean isSticky() {
            return this == STICKY || this == COOPERATIVE;
        }
    }

    /** What follows a record's last attempt. */
    enum Last {
        STOP,
        SKIP,
        DEAD_LETTER
    }

    /** Which start position the user has given. */
    enum Start {
        COMMITTED,
        EARLIEST,
        LATEST,
        OFFSETS,
        TIMESTAMP
    }

    final SimTheme theme;
    final List<TopicPartition> partitions = new ArrayList<>();
    final List<String> topics = new ArrayList<>();
    final Ordering ordering;
    final NullKeys nullKeys;
    final int concurrency;
    final int members;
    final Protocol protocol;
    final Start start;
    /** {@code auto.offset.reset}. */
    final String reset;

    final boolean readCommitted;
    /** Whether members have a {@code group.instance.id}, and those that follow them the same. */
    final boolean isStatic;

    final int batchSize;
    final Duration linger;
    final int bufferRecords;
    final long bufferBytes;
    final int maxPollRecords;
    final int maxPartitionFetchBytes;
    final int fetchMaxBytes;
    private final CommitMode commit;
    private final Duration interval;
    final long attemptLimitNanos;
    final Duration drainLimit;
    final int maxAttempts;
    final long leastBackoffNanos;
    final Last last;
    final int keys;
    final double zipf;
    final int records;
    final int mostValueBytes;
    final long latencyNanos;
    final Handlers handlers;
    final double failureRate;
    final double emitRate;
    final long slowestNanos;
    /** How long things happen before the end phase. */
    final Duration chaos;

    /** {@code offset.metadata.max.bytes}. */
    final int metadataLimit;

    private final WhenMapIsFull whenMapIsFull;
    private final FailurePolicy policy;

    SimPlan(SimTheme theme, SplittableRandom random) {
        this.theme = theme;
        int topicCount = random.nextInt(theme.isWatched() ? 2 : 1, 4);
        for (int topic = 0; topic < topicCount; topic++) {
            topics.add("t" + topic);
            int count = random.nextInt(1, topicCount == 1 ? 7 : 4);
            for (int partition = 0; partition < count; partition++) {
                partitions.add(new TopicPartition("t" + topic, partition));
            }
        }
        Ordering drawn = switch (random.nextInt(6)) {
            case 0 -> Ordering.UNORDERED;
            case 1 -> Ordering.PARTITION;
            default -> Ordering.KEY;
        };
        ordering = theme == SimTheme.SHARE ? Ordering.UNORDERED : drawn;
        nullKeys = random.nextInt(3) == 0 ? NullKeys.UNORDERED : NullKeys.ORDERED;
        concurrency = random.nextInt(4) == 0 && !theme.isWatched() ? 1 : random.nextInt(2, 17);
        bufferRecords = random.nextInt(4) == 0 ? random.nextInt(1, 8) : random.nextInt(8, 200);
        // As KafkaConfig demands: a poll is half of the budget at most.
        maxPollRecords = Math.max(1, random.nextInt(1, Math.max(2, bufferRecords / 2 + 1)));
        bufferBytes = random.nextInt(3) == 0 ? random.nextInt(500, 4_000) : 1 << 20;
        // With little of it, a new owner seeks over what is done, where the log may have been cut.
        int fetch = theme == SimTheme.CUT && bufferRecords % 2 == 0 ? 60 : 1 << 16;
        maxPartitionFetchBytes = (int) Math.min(fetch, bufferBytes / 2);
        fetchMaxBytes = random.nextInt(maxPartitionFetchBytes, 4 * maxPartitionFetchBytes);
        mostValueBytes = random.nextInt(8) == 0 ? 1_500 : random.nextInt(1, 150);
        interval = Duration.ofMillis(random.nextInt(10, theme == SimTheme.EXACTLY_ONCE ? 500 : 2_000));
        commit = commit(theme, random);
        int limited = random.nextInt(theme == SimTheme.FAILING ? 2 : 3);
        attemptLimitNanos = limited == 0 && theme != SimTheme.GRACEFUL ? random.nextLong(100, 1_000) * MILLI : 0;
        drainLimit = Duration.ofMillis(random.nextInt(500, 3_000));
        long backoff = random.nextLong(1, 300) * MILLI;
        leastBackoffNanos = backoff * 8 / 10; // The jitter.
        boolean forEver = random.nextInt(4) == 0;
        maxAttempts = forEver ? Integer.MAX_VALUE : random.nextInt(1, 5);
        int stopping = theme == SimTheme.FAILING || theme == SimTheme.SHARE ? 3 : 2;
        last = Last.values()[Last.values().length - 1 - random.nextInt(stopping)];
        policy = policy(Duration.ofNanos(backoff));
        keys = random.nextInt(1, 40);
        zipf = random.nextBoolean() ? 0 : 1.2;
        records = random.nextInt(30, 250);
        latencyNanos = random.nextInt(3) == 0 ? 0 : random.nextLong(1, 30) * MILLI;
        boolean whole = theme == SimTheme.BATCHES
                || ((theme == SimTheme.STORM || theme == SimTheme.EXACTLY_ONCE) && random.nextInt(5) == 0);
        handlers = whole ? Handlers.BATCH : Handlers.values()[random.nextInt(Handlers.values().length - 1)];
        batchSize = random.nextInt(1, 20);
        linger = Duration.ofMillis(random.nextBoolean() ? 0 : random.nextInt(1, 200));
        failureRate = theme == SimTheme.FAILING
                ? random.nextDouble(0.2, 0.6)
                : random.nextBoolean() ? 0 : random.nextDouble(0.3);
        double emitting = theme == SimTheme.EXACTLY_ONCE ? 0.8 : random.nextBoolean() ? 0 : random.nextDouble(0.6);
        emitRate = theme == SimTheme.SHARE ? 0 : emitting;
        slowestNanos = theme == SimTheme.GRACEFUL || theme.isWatched()
                ? random.nextLong(200 * MILLI, drainLimit.toNanos() / 2)
                : random.nextLong(200, 2_000) * MILLI * (theme == SimTheme.SHARE ? 4 : 1); // Beyond locks.
        chaos = Duration.ofMillis(theme.isWatched() ? random.nextInt(10_000, 20_000) : random.nextInt(2_000, 10_000));
        members = random.nextInt(1, theme.members + 1);
        protocol = Protocol.values()[random.nextInt(Protocol.values().length)];
        readCommitted = isExactlyOnce() || random.nextBoolean();
        boolean starts = theme == SimTheme.STARTS;
        start = starts ? Start.values()[random.nextInt(Start.values().length)] : Start.COMMITTED;
        reset = starts
                ? List.of("earliest", "latest", "none", "by_duration:PT2S").get(random.nextInt(4))
                : "earliest";
        // Under the consumer protocol nobody may follow a crashed member before its session has ended.
        isStatic = !theme.isWatched()
                && random.nextInt(4) == 0
                && (protocol != Protocol.CONSUMER || theme != SimTheme.LOG);
        boolean isFull = theme.fillsMaps() && random.nextInt(4) == 0;
        metadataLimit = isFull ? random.nextInt(32, 60) : OffsetMap.DEFAULT_LIMIT;
        boolean repeats = isFull && commit.repeatsAfterCrash() && random.nextBoolean();
        whenMapIsFull = repeats ? WhenMapIsFull.REPEAT_AFTER_CRASH : WhenMapIsFull.STOP_INTAKE;
    }

    private CommitMode commit(SimTheme theme, SplittableRandom random) {
        boolean waits = random.nextInt(4) == 0;
        return switch (theme) {
            case AHEAD -> CommitMode.ahead();
            case EXACTLY_ONCE -> new CommitMode.ExactlyOnce("tx", interval, random.nextInt(1, 3));
            case GRACEFUL, STARTS ->
                random.nextInt(4) == 0
                        ? new CommitMode.ExactlyOnce("tx", interval, random.nextInt(1, 3))
                        : waits ? CommitMode.sync(interval) : CommitMode.async(interval);
            default -> waits ? CommitMode.sync(interval) : CommitMode.async(interval);
        };
    }

    /** Whether some of what is written is never read: aborted records and markers. */
    boolean hasTransactions() {
        return theme == SimTheme.LOG || (theme == SimTheme.CUT && bufferRecords % 3 == 0);
    }

    boolean isAhead() {
        return commit instanceof CommitMode.Ahead;
    }

    /** Whether the bytes let only some partitions fetch at a time. */
    boolean isShortOfBytes() {
        return bufferBytes < 1 << 20;
    }

    /** Whether a key of one partition is stuck until faults are over, and the budget is made for such a thing. */
    boolean hasStuckKey() {
        return theme == SimTheme.APART
                && ordering == Ordering.KEY
                && attemptLimitNanos == 0
                && !isShortOfBytes()
                && 4 * maxPollRecords <= firstBufferRecords()
                && partitions.size() <= firstBufferRecords();
    }

    boolean isStuck(ConsumerRecord<byte[], byte[]> record) {
        return hasStuckKey()
                && partitions.getFirst().equals(new TopicPartition(record.topic(), record.partition()))
                && Arrays.equals(laneKey(record), laneKey(STUCK_KEY));
    }

    /** Whether keys with the same last letter share a lane, by the user's choice. */
    private boolean hasLaneKey() {
        return ordering == Ordering.KEY && records % 3 == 0;
    }

    /** By which a record has its lane; null if it has none that counts. */
    byte @Nullable [] laneKey(ConsumerRecord<byte[], byte[]> record) {
        byte[] key = record.key();
        return key == null ? null : laneKey(key);
    }

    private byte[] laneKey(byte[] key) {
        return hasLaneKey() ? Arrays.copyOfRange(key, Math.max(0, key.length - 1), key.length) : key;
    }

    /** Whether a commit without room for its map says less, and intake goes on. */
    boolean mayCutMaps() {
        return whenMapIsFull == WhenMapIsFull.REPEAT_AFTER_CRASH;
    }

    /** Whether records have a time before which they are not handled. */
    boolean hasDelays() {
        return theme.delays() && records % 4 == 1;
    }

    /** In milliseconds since 1970; 0 for at once. */
    long notBefore(ConsumerRecord<byte[], byte[]> record) {
        if (!hasDelays()) {
            return 0;
        }
        long delay = keys % 2 == 0
                ? RISING_DELAY_MILLIS
                : record.offset() % 3 == 0 ? record.offset() * 7_919 % (records % 8 == 1 ? 9_000 : 1_500) : 0;
        return delay == 0 ? 0 : record.timestamp() + delay;
    }

    private @Nullable Instant instant(ConsumerRecord<byte[], byte[]> record) {
        long millis = notBefore(record);
        return millis == 0 ? null : Instant.ofEpochMilli(millis);
    }

    /** Some grow. */
    private int firstBufferRecords() {
        return bufferRecords % 3 == 0 ? Math.max(1, bufferRecords / 4) : bufferRecords;
    }

    boolean isExactlyOnce() {
        return commit instanceof CommitMode.ExactlyOnce;
    }

    private FailurePolicy policy(Duration backoff) {
        FailurePolicy retrying = FailurePolicy.retry(Backoff.fixed(backoff), maxAttempts);
        FailurePolicy whole = switch (last) {
            case STOP -> retrying;
            case SKIP -> retrying.thenSkip();
            case DEAD_LETTER -> retrying.thenDeadLetter("dlq");
        };
        return whole.on(SimConduct.Hopeless.class, FailurePolicy.skip());
    }

    /**
     * Commits that may become due, looks at attempts over their limit, heartbeats, twice that for good measure; and,
     * where the byte budget admits some partitions only, the others' turns.
     */
    long mostIdleTurnsPerSecond() {
        long looks = attemptLimitNanos == 0 ? 1 : 10_000 * MILLI / attemptLimitNanos;
        // Under the consumer protocol the engine stays out of polls that wait while some partitions are paused.
        long rotations = !isShortOfBytes() ? 0 : protocol == Protocol.CONSUMER ? 550 : 110;
        long producers = commit instanceof CommitMode.ExactlyOnce exactlyOnce ? exactlyOnce.producers() : 1;
        return 2 * (producers * 1_000 / interval.toMillis() + looks + 5) + rotations;
    }

    Options options(StartPosition position) {
        return Options.DEFAULTS
                .withOrdering(ordering)
                .withNullKeys(nullKeys)
                .withWhenMapIsFull(whenMapIsFull)
                .withLaneKey(hasLaneKey() ? LaneKey.of("last letter", this::laneKey) : null)
                .withNotBefore(hasDelays() ? new NotBefore(this::instant, keys % 2 == 0) : null)
                .withConcurrency(concurrency)
                .withBufferBytes(bufferBytes)
                .withCommit(commit)
                .withStartPosition(position)
                .withFailurePolicy(policy)
                .withAttemptLimit(attemptLimitNanos == 0 ? null : Duration.ofNanos(attemptLimitNanos))
                .withLimits(Limits.DEFAULTS
                        .withDrainLimit(drainLimit)
                        .withBrokerLimit(Duration.ofSeconds(10))
                        .withCloseLimit(Duration.ofSeconds(5)));
    }

    /**
     * Whether members are told when a topic was created again. Half are not: those commit for deleted topics more
     * often.
     */
    boolean isToldOfTopics() {
        return theme == SimTheme.RECREATED && commit.repeatsAfterCrash() && bufferRecords % 2 == 0;
    }

    MemberWiring.Plan member(String name) {
        RecordBudget records = new RecordBudget(firstBufferRecords(), bufferRecords);
        return new MemberWiring.Plan(
                new MemberShare(name, Workers.virtual(), concurrency),
                new TopicSelection.Topics(topics),
                new KafkaConfig(
                        consumer(name, 0),
                        Map.of(),
                        records,
                        bufferBytes,
                        commit instanceof CommitMode.ExactlyOnce,
                        false),
                drainLimit);
    }

    /** @param slot which no other living process has */
    Map<String, Object> consumer(String name, int slot) {
        Map<String, Object> config = new LinkedHashMap<>();
        config.put(ConsumerConfig.GROUP_ID_CONFIG, GROUP);
        config.put(ConsumerConfig.CLIENT_ID_CONFIG, name);
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, reset);
        config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, maxPollRecords);
        config.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, maxPartitionFetchBytes);
        config.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, fetchMaxBytes);
        config.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, (int) FETCH_MAX_WAIT.toMillis());
        config.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, (int) MAX_POLL_INTERVAL.toMillis());
        config.put(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, 4_000);
        config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, readCommitted ? "read_committed" : "read_uncommitted");
        if (isStatic) {
            config.put(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG, "shop-" + slot);
        }
        if (protocol == Protocol.CONSUMER) {
            config.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, "consumer");
        } else {
            config.put(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, protocol.assignor);
            config.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, 10_000);
            config.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, 1_000);
        }
        return config;
    }

    /** The properties of the client that reads spilled records again, as {@link KafkaConfig#refill} makes them. */
    Map<String, Object> refill(String name) {
        Map<String, Object> config = consumer(name + "-refill", 0);
        config.keySet()
                .removeAll(List.of(
                        ConsumerConfig.GROUP_ID_CONFIG,
                        ConsumerConfig.GROUP_INSTANCE_ID_CONFIG,
                        ConsumerConfig.GROUP_PROTOCOL_CONFIG,
                        ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG));
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        return config;
    }

    /** The properties of a producer; with a name it writes transactions. */
    Map<String, Object> producer(@Nullable String transactionalId) {
        Map<String, Object> config = new LinkedHashMap<>();
        config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 5_000);
        config.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 4_000);
        config.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 5_000);
        if (transactionalId != null) {
            config.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactionalId);
            config.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, 5_000);
        }
        return config;
    }

    /**
     * Whether partitions may be left to nobody until the next rebalance. Where a static member of the cooperative
     * protocol dies after it has given partitions up and before it joins again, the group does not notice its return,
     * and nobody asks for the rebalance that would give them to another one. Nor does a leader that comes back notice
     * that a topic has grown while it was away. That is Kafka's (4.3.1), not ours.
     */
    boolean mayLeavePartitions() {
        return isStatic
                && (protocol == Protocol.COOPERATIVE || (theme == SimTheme.STARTS && protocol != Protocol.CONSUMER));
    }

    @Override
    public String toString() {
        return theme + " " + members + (isStatic ? " static" : "") + " members " + protocol + " " + partitions + " "
                + ordering + (hasLaneKey() ? " by last letter" : "") + (hasDelays() ? " delayed" : "") + " nulls "
                + nullKeys
                + (metadataLimit < OffsetMap.DEFAULT_LIMIT ? " metadata " + metadataLimit + " " + whenMapIsFull : "")
                + " concurrency " + concurrency
                + " buffer " + bufferRecords + "/" + bufferBytes + " poll " + maxPollRecords + "/"
                + maxPartitionFetchBytes + " " + commit + " attemptLimit " + attemptLimitNanos / MILLI + " ms drain "
                + drainLimit + " policy " + policy + " records " + records + " of up to " + mostValueBytes
                + " bytes, keys " + keys + " zipf " + zipf + " latency " + latencyNanos / MILLI + " ms, " + handlers
                + (handlers == Handlers.BATCH ? " of " + batchSize + " after " + linger : "")
                + (readCommitted ? " read_committed" : "") + " start " + start + " reset " + reset
                + " failing " + failureRate + " emitting " + emitRate + " up to " + slowestNanos / MILLI + " ms";
    }
}
