package dev.laneway.proof;

import dev.laneway.cli.workload.Cluster;
import dev.laneway.cli.workload.Loader;
import dev.laneway.cli.workload.Payload;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * What a chaos run does. Immutable.
 *
 * @param mode the kind of members, and so what is promised of the records
 * @param seed draws the faults
 * @param duration how long records are produced and faults are made
 * @param every the mean time between two faults
 * @param kinds the faults that are made
 * @param rate records produced a second
 * @param work the mean time that a handler takes
 * @param concurrency handlers of a member at once
 * @param properties Kafka properties of the members' consumers
 */
record ChaosPlan(
        Mode mode,
        long seed,
        Duration duration,
        Duration every,
        Set<Fault.Kind> kinds,
        int brokers,
        int members,
        int partitions,
        int keys,
        long rate,
        Duration work,
        int concurrency,
        Map<String, String> properties) {
    /** The kinds of members. */
    enum Mode {
        AT_LEAST_ONCE,
        /** Copies and progress in transactions. */
        EXACTLY_ONCE,
        /** Members of a share group. */
        SHARE;

        /** As in reports: exactly_once. */
        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static final String TOPIC = "chaos-in";
    static final String COPIES = "chaos-out";
    /** The input that is deleted and created again. */
    static final String PASSING = "chaos-passing";

    static final int PASSING_PARTITIONS = 4;
    static final String GROUP = "chaos";

    /** Where Kafka keeps the offsets of groups. */
    private static final String OFFSETS = "__consumer_offsets";

    private static final String TRANSACTIONS = "__transaction_state";
    private static final String SHARES = "__share_group_state";

    /** The session of a member: after so long without a heartbeat its partitions are given to others. */
    static final Duration SESSION = Duration.ofSeconds(6);

    /** How long the broker locks a record of a share group for a member, as node.properties says. */
    static final Duration LOCK = Duration.ofSeconds(15);

    /** How often it hands out a record of a share group: Kafka's default. */
    static final int DELIVERY_LIMIT = 5;

    /** How long a member that gives up partitions lets their handlers end. */
    static final Duration DRAIN_LIMIT = Duration.ofSeconds(2);

    /** How long a member that ends lets its handlers end. */
    static final Duration CLOSE_LIMIT = Duration.ofSeconds(15);

    /** What the slow handlers take: longer than the drain limit, so that it is exceeded now and then. */
    static final Duration SLOW_WORK = Duration.ofSeconds(3);

    /** The share of records whose handler is slow. */
    static final double SLOW_SHARE = 0.0005;

    /** The share of attempts that fail, and are made again. */
    static final double FAIL_SHARE = 0.005;

    ChaosPlan {
        kinds = Set.copyOf(kinds);
        properties = Map.copyOf(properties);
    }

    /** Whether the members read a second topic, which is deleted and created again. */
    boolean hasPassing() {
        return kinds.contains(Fault.Kind.DELETE_TOPIC);
    }

    /** All topics that the members use, and that stay. */
    List<String> allTopics() {
        return switch (mode) {
            case AT_LEAST_ONCE -> List.of(TOPIC, COPIES, OFFSETS);
            case EXACTLY_ONCE -> List.of(TOPIC, COPIES, OFFSETS, TRANSACTIONS);
            case SHARE -> List.of(TOPIC, COPIES, SHARES);
        };
    }

    /** How long a member keeps its partitions or locks without a heartbeat. */
    Duration tenure() {
        return mode == Mode.SHARE ? LOCK : SESSION;
    }

    /** How many records of each partition the group has not committed. */
    Map<TopicPartition, Long> uncommitted(Cluster cluster, String topic, int topicPartitions) {
        return mode == Mode.SHARE
                ? cluster.unshared(GROUP, topic, topicPartitions)
                : cluster.uncommitted(GROUP, topic, topicPartitions);
    }

    /** Replicas of a partition. */
    int replicas() {
        return Math.min(3, brokers);
    }

    /** Replicas that must have a record before it counts: of three, two, so that one can die. */
    int inSyncReplicas() {
        return brokers >= 3 ? 2 : 1;
    }

    /** Records that are produced in all, if nothing holds the producer back. */
    long records() {
        return rate * duration.toSeconds();
    }

    Loader.Plan load() {
        return new Loader.Plan(TOPIC, Loader.ENDLESS, keys, 0, Payload.LEAST_BYTES, rate);
    }
}
