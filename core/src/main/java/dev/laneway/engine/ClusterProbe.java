package dev.laneway.engine;

import dev.laneway.BrokerException;
import dev.laneway.CommitMode;
import dev.laneway.Health;
import dev.laneway.Options;
import dev.laneway.Workers;
import dev.laneway.engine.commit.ClusterQuestions;
import dev.laneway.engine.commit.Committer;
import dev.laneway.engine.commit.TransactionFeature;
import dev.laneway.engine.config.KafkaConfig;
import dev.laneway.engine.config.TopicSelection;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.runtime.JvmHost;
import dev.laneway.engine.runtime.ReadableDuration;
import dev.laneway.engine.track.Partition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Are the topics there, have the partitions leaders, and do records come that there are? Asked of the cluster at start
 * and a few times per health limit, on a thread of its own: the owner may be waiting, and its client tells nothing of
 * what it does not get. The methods of whoever starts and ends it are thread-safe.
 */
final class ClusterProbe {
    private static final Logger log = LoggerFactory.getLogger(ClusterProbe.class);
    private static final int LOOKS_PER_LIMIT = 4;
    /** Its client would compete with the consumer's for the processors while that joins the group. */
    private static final long FIRST_LOOK_NANOS = 100_000_000;

    private static final long LEAST_PAUSE_NANOS = 250_000_000;
    /** Of so many topics, or partitions, is asked at a time; more take several looks. */
    private static final int MOST_ASKED = 200;
    /** Topics of many partitions are looked at more rarely: their description is large. */
    private static final long PAUSE_PER_PARTITION_NANOS = 1_000_000;

    private static final long LAST_ANSWER_MS = 2_000;
    private static final String TOPIC = "topic";

    /** Where a partition stood that had nothing in hand, and since when there was more. Immutable. */
    private record Standing(Partition partition, long position, long behindSinceNanos) {
        static final long NOT_BEHIND = Long.MIN_VALUE;
    }

    private final Host host;
    private final HealthConditions conditions;
    private final ClusterQuestions inputs;
    private final @Nullable ClusterQuestions outputs;
    private final TopicSelection subscription;
    private final Set<String> deadLetters;
    private final OutputTopics outputTopics;
    private final TransactionFeature transactions;
    private final RetentionWatch retention;
    private final @Nullable RecreatedTopics recreated;
    private final boolean mayCreate;
    private final long pauseNanos;
    private final Supplier<? extends Collection<Partition>> assigned;
    private final List<Committer> committers;
    private final Set<String> missing = new HashSet<>();
    private final CompletableFuture<@Nullable Void> finished = new CompletableFuture<>();
    private final Set<HealthConditions.Subject> told = new HashSet<>();
    private final Set<TopicPartition> leaderless = new HashSet<>();
    private Map<TopicPartition, Standing> standing = new HashMap<>();
    private int nextTopic;
    private int nextPartition;
    private long describedPartitions;
    private volatile boolean closed;
    private volatile @Nullable Thread thread;

    /**
     * @param inputs asks the cluster that is read
     * @param outputs asks the cluster of dead letters; null where there are none, or nothing is known of it
     * @param transactions looks whether the cluster is fit for exactly-once
     * @param recreated looks whether topics were created again; null where nothing follows from it
     * @param mayCreate whether the consumer lets brokers create topics that it asks for
     * @param assigned the partitions of all members at the moment; any thread
     * @param committers those of all members, which hear of topics that do not exist
     * @param outgoing the topics to which something is on its way; any thread
     */
    ClusterProbe(
            Host host,
            HealthConditions conditions,
            ClusterQuestions inputs,
            @Nullable ClusterQuestions outputs,
            TopicSelection subscription,
            Set<String> deadLetters,
            TransactionFeature transactions,
            @Nullable RecreatedTopics recreated,
            boolean mayCreate,
            Duration healthLimit,
            Supplier<? extends Collection<Partition>> assigned,
            List<Committer> committers,
            Supplier<? extends Set<String>> outgoing) {
        this.host = host;
        this.conditions = conditions;
        this.inputs = inputs;
        this.outputs = outputs != null && outputs.isLike(inputs) ? inputs : outputs;
        this.subscription = subscription;
        this.deadLetters = deadLetters;
        this.outputTopics = new OutputTopics(deadLetters, outgoing, this::tell);
        this.transactions = transactions;
        this.retention = new RetentionWatch(host, conditions, healthLimit);
        this.recreated = recreated;
        this.mayCreate = mayCreate;
        this.pauseNanos = Math.max(LEAST_PAUSE_NANOS, healthLimit.toNanos() / LOOKS_PER_LIMIT);
        this.assigned = assigned;
        this.committers = List.copyOf(committers);
    }

    /**
     * The probe of a consumer that has the properties to ask its cluster; null for clients that the caller has made and
     * that nothing is known of.
     *
     * @param assigned the partitions of all members at the moment; any thread
     * @param committers those of all members
     * @param outgoing the topics to which something is on its way; any thread
     * @param beginAnew called once with each partition whose topic was created again; null where nothing follows
     */
    static @Nullable ClusterProbe of(
            KafkaConfig config,
            Options options,
            TopicSelection subscription,
            boolean knowsOutputs,
            HealthConditions conditions,
            Supplier<? extends Collection<Partition>> assigned,
            List<Committer> committers,
            Supplier<? extends Set<String>> outgoing,
            @Nullable Consumer<Partition> beginAnew) {
        if (!config.consumer().containsKey(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG)) {
            return null;
        }
        Duration limit = options.limits().healthLimit();
        boolean committed = options.commit() instanceof CommitMode.ExactlyOnce
                || "read_committed".equals(config.consumer().get(ConsumerConfig.ISOLATION_LEVEL_CONFIG));
        return new ClusterProbe(
                new JvmHost(options.name() + "-probe", Workers.virtual()),
                conditions,
                ClusterQuestions.as(config.consumer(), limit, committed),
                knowsOutputs ? ClusterQuestions.as(config.outputs(), limit, false) : null,
                subscription,
                options.failurePolicy().deadLetterTopics(),
                new TransactionFeature(options, conditions),
                beginAnew == null ? null : new RecreatedTopics(conditions, beginAnew),
                !"false".equals(String.valueOf(config.consumer().get(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG))),
                limit,
                assigned,
                committers,
                outgoing);
    }

    /**
     * Looks once, before anything else does.
     *
     * @throws BrokerException if no broker answers, or something is missing
     */
    void require(Duration limit) {
        if (!inputs.isAnswered()) {
            throw new BrokerException(
                    "no broker answered within healthLimit " + ReadableDuration.of(limit)
                            + " and startCheck is FAIL: check bootstrap.servers and the network, or let it WAIT",
                    null);
        }
        List<String> missing = new ArrayList<>();
        inputs.topics(named()).forEach((topic, found) -> {
            if (found.isEmpty() && !(mayCreate && inputs.createsTopics())) {
                missing.add("topic " + topic);
            }
        });
        if (outputs != null && !deadLetters.isEmpty()) {
            outputs.topics(deadLetters).forEach((topic, found) -> {
                if (found.isEmpty() && !outputs.createsTopics()) {
                    missing.add("dead-letter topic " + topic);
                }
            });
        }
        if (!missing.isEmpty()) {
            throw new BrokerException(
                    String.join(", ", missing) + " does not exist and startCheck is FAIL: create it, mend the name, or"
                            + " let it WAIT",
                    null);
        }
    }

    void start() {
        host.background(this::run);
    }

    private void run() {
        thread = Thread.currentThread();
        try {
            if (!closed) {
                host.park(FIRST_LOOK_NANOS);
            }
            while (!closed) {
                look();
                if (!closed) {
                    host.park(Math.max(pauseNanos, describedPartitions * PAUSE_PER_PARTITION_NANOS));
                }
            }
        } finally {
            inputs.close();
            if (outputs != null) {
                outputs.close();
            }
            finished.complete(null);
        }
    }

    private void look() {
        try {
            lookAtTopics();
            lookAtPartitions();
            transactions.look(inputs);
            retention.look(inputs, assigned.get());
        } catch (RuntimeException failure) {
            log.debug("the cluster could not be asked", failure);
        }
    }

    /** Ends it, and waits a moment for its thread and its clients to be gone. */
    void close() {
        closed = true;
        inputs.close();
        if (outputs != null) {
            outputs.close();
        }
        Thread looking = thread;
        if (looking != null) {
            host.unpark(looking);
            try {
                finished.get(LAST_ANSWER_MS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException | ExecutionException late) {
                log.debug("the thread that asks the cluster is late to end", late);
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
            }
        }
    }

    // ---------------------------------------------------------------- topics

    private List<String> named() {
        return switch (subscription) {
            case TopicSelection.Topics(List<String> topics) -> topics;
            case TopicSelection.Partitions(List<TopicPartition> partitions) ->
                partitions.stream().map(TopicPartition::topic).distinct().toList();
            case TopicSelection.Matching _ -> List.of();
        };
    }

    private void lookAtTopics() {
        Set<TopicPartition> own = new HashSet<>();
        assigned.get().forEach(partition -> own.add(partition.id));
        Set<String> wanted = new TreeSet<>(named());
        own.forEach(id -> wanted.add(id.topic()));
        committers.forEach(committer -> wanted.addAll(committer.topics()));
        List<String> some = some(List.copyOf(wanted), nextTopic);
        nextTopic = wanted.size() <= MOST_ASKED ? 0 : (nextTopic + MOST_ASKED) % wanted.size();
        Map<String, Optional<TopicDescription>> found = inputs.topics(some);
        boolean none = !found.isEmpty()
                && found.size() == wanted.size()
                && found.values().stream().allMatch(Optional::isEmpty);
        describedPartitions = 0;
        forget(own, wanted);
        found.forEach((topic, description) -> {
            boolean missing = description.isEmpty() && !(mayCreate && inputs.createsTopics());
            tell(
                    new HealthConditions.Subject(Health.Cause.TOPIC_MISSING, TOPIC, topic),
                    missing,
                    none ? Health.Status.DOWN : Health.Status.DEGRADED,
                    "topic " + topic + " does not exist: create it, or mend the name; it is read when it is there");
            description.ifPresent(known -> lookAtLeaders(known, own));
        });
        tellCommitters(found, wanted);
        if (recreated != null) {
            Map<String, Optional<Uuid>> ids = new HashMap<>();
            found.forEach((topic, description) -> ids.put(topic, description.map(TopicDescription::topicId)));
            recreated.look(ids, assigned.get());
        }
        if (outputs != null) {
            outputTopics.look(outputs);
        }
    }

    private void tellCommitters(Map<String, Optional<TopicDescription>> found, Set<String> wanted) {
        Set<String> before = Set.copyOf(missing);
        missing.retainAll(wanted);
        found.forEach((topic, description) -> {
            if (description.isEmpty()) {
                missing.add(topic);
            } else {
                missing.remove(topic);
            }
        });
        if (!missing.equals(before)) {
            committers.forEach(committer -> committer.missing(Set.copyOf(missing)));
        }
    }

    /** What is no longer read is no reason. */
    private void forget(Set<TopicPartition> own, Set<String> wanted) {
        leaderless.removeIf(id -> {
            boolean gone = !own.contains(id);
            if (gone) {
                conditions.end(new HealthConditions.Subject(Health.Cause.NO_LEADER, "leader", id));
            }
            return gone;
        });
        told.removeIf(subject -> {
            boolean gone = subject.kind().equals(TOPIC) && !wanted.contains((String) subject.what());
            if (gone) {
                conditions.end(subject);
            }
            return gone;
        });
    }

    private void lookAtLeaders(TopicDescription topic, Set<TopicPartition> own) {
        describedPartitions += topic.partitions().size();
        for (TopicPartitionInfo info : topic.partitions()) {
            TopicPartition id = new TopicPartition(topic.name(), info.partition());
            HealthConditions.Subject subject = new HealthConditions.Subject(Health.Cause.NO_LEADER, "leader", id);
            if (own.contains(id) && (info.leader() == null || info.leader().isEmpty())) {
                conditions.begin(
                        subject, Health.Status.DEGRADED, "nothing of " + id + " is fetched: look at its brokers");
                leaderless.add(id);
            } else if (leaderless.remove(id)) {
                conditions.end(subject);
            }
        }
        if (subscription instanceof TopicSelection.Partitions(List<TopicPartition> partitions)) {
            for (TopicPartition id : partitions) {
                if (id.topic().equals(topic.name())) {
                    tell(
                            new HealthConditions.Subject(Health.Cause.TOPIC_MISSING, "partition", id),
                            id.partition() >= topic.partitions().size(),
                            Health.Status.DEGRADED,
                            "partition " + id + " does not exist: mend assign(...), or add partitions");
                }
            }
        }
    }

    /** What is missing is said at once, in health and, once, in the log. */
    private void tell(HealthConditions.Subject subject, boolean isMissing, Health.Status status, String reason) {
        if (isMissing) {
            conditions.tell(subject, status, reason);
            if (told.add(subject)) {
                log.warn("{}", reason);
            }
        } else if (told.remove(subject)) {
            conditions.end(subject);
            log.info("{} {} is there now", subject.kind(), subject.what());
        }
    }

    // ---------------------------------------------------------------- partitions

    /**
     * Partitions that may fetch, hold nothing and stand still: if their logs go on at two looks in a row, no record
     * comes although there are some. Whatever the reason, health says so.
     */
    private void lookAtPartitions() {
        List<Partition> all = List.copyOf(assigned.get());
        List<Partition> some = some(all, nextPartition);
        nextPartition = all.size() <= MOST_ASKED ? 0 : (nextPartition + MOST_ASKED) % all.size();
        Map<TopicPartition, Standing> now = new HashMap<>();
        List<TopicPartition> still = new ArrayList<>();
        for (Partition partition : all) {
            boolean waits = partition.mayFetch() && partition.held.ledger.records() == 0;
            Standing before = standing.get(partition.id);
            if (waits && before != null && before.partition == partition && before.position == partition.position) {
                now.put(partition.id, before);
                if (some.contains(partition)) {
                    still.add(partition.id);
                }
            } else if (waits) {
                now.put(partition.id, new Standing(partition, partition.position, Standing.NOT_BEHIND));
            }
        }
        long nanos = host.nanoTime();
        Map<TopicPartition, Long> ends = still.isEmpty() ? Map.of() : inputs.ends(still);
        ends.forEach((id, end) -> now.computeIfPresent(id, (_, one) -> {
            long since = end <= one.position
                    ? Standing.NOT_BEHIND
                    : one.behindSinceNanos == Standing.NOT_BEHIND ? nanos : one.behindSinceNanos;
            return new Standing(one.partition, one.position, since);
        }));
        standing.keySet().stream()
                .filter(id -> !now.containsKey(id) || now.get(id).behindSinceNanos == Standing.NOT_BEHIND)
                .forEach(id -> conditions.end(new HealthConditions.Subject(Health.Cause.STUCK_MEMBER, "records", id)));
        now.forEach((id, one) -> {
            if (one.behindSinceNanos != Standing.NOT_BEHIND) {
                conditions.begin(
                        new HealthConditions.Subject(Health.Cause.STUCK_MEMBER, "records", id),
                        Health.Status.DEGRADED,
                        "no record of " + id + " comes, from offset " + one.position + " on, although its log goes on:"
                                + " look at its leader, and at the client's log; a restart may help",
                        one.behindSinceNanos);
            }
        });
        standing = now;
    }

    private static <T> List<T> some(List<T> all, int from) {
        if (all.size() <= MOST_ASKED) {
            return all;
        }
        List<T> some = new ArrayList<>(MOST_ASKED);
        for (int i = 0; i < MOST_ASKED; i++) {
            some.add(all.get((from + i) % all.size()));
        }
        return some;
    }
}
