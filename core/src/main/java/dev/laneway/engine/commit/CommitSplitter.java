package dev.laneway.engine.commit;

import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.track.Assignment;
import dev.laneway.engine.track.Partition;
import dev.laneway.engine.track.PartitionStates;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidCommitOffsetSizeException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * In which requests is progress sent? The broker writes all of a request as one batch, which must fit into the topic of
 * offsets; and Kafka's client tells one failure for all of a request, although the broker stores what it can. So large
 * progress goes in several requests, and a partition that the broker may not know any more goes by itself, so that it
 * fails nobody else's. It does so after a pause: a topic is deleted or grown as one, and in a rebalance, in which all
 * wait, each more request costs them a round trip. The owner only.
 *
 * <pre>
 *   together  --unknown--&gt;  by topic  --unknown--&gt;  alone, after a pause
 *       ^--------- stored --------'-------- stored --------'
 * </pre>
 */
final class CommitSplitter {
    /** Half of Kafka's default of the topic's max.message.bytes: what is reckoned here is not exact. */
    private static final int MOST_BYTES = 512 << 10;

    /** What brokers limit a request by. */
    static final String SETTING = "max.message.bytes of the topic of offsets";

    private static final int RECORD_BYTES = 120;
    /** The longest character of a map in UTF-8. */
    private static final int CHAR_BYTES = 3;
    /** Requests below that are not refused for their size. */
    private static final int LEAST_BYTES = 1 << 10;

    private static final int TOGETHER = 0;
    private static final int BY_TOPIC = 1;
    private static final int ALONE = 2;
    private static final long PAUSE_NANOS = 1_000_000_000;
    private static final int MOST_PAUSES = 30;
    private static final Logger log = LoggerFactory.getLogger(CommitSplitter.class);

    private final Host host;
    private final PartitionStates<Knowledge> knowledge;
    private int mostBytes = MOST_BYTES;

    /** How well the brokers know one partition. */
    private static final class Knowledge {
        /** {@link #TOGETHER} as long as they do. */
        int level = TOGETHER;
        /** They are not asked to commit anything of it before. */
        long pausedUntilNanos;
    }

    CommitSplitter(Host host, Assignment assignment) {
        this.host = host;
        this.knowledge = new PartitionStates<>(assignment, _ -> new Knowledge());
    }

    /** Whether the broker does not know the partition, so that it is asked now and then only. */
    boolean isPaused(Partition partition) {
        Knowledge known = knowledge.of(partition);
        return known.level >= ALONE && host.nanoTime() - known.pausedUntilNanos < 0;
    }

    /** The requests, in order; each partition is in one of them. */
    List<Map<Partition, Progress>> of(Map<Partition, Progress> progress) {
        Map<Object, List<Map<Partition, Progress>>> groups = new LinkedHashMap<>();
        Map<Object, Integer> sizes = new LinkedHashMap<>();
        progress.forEach((partition, committed) -> {
            Object group = switch (knowledge.of(partition).level) {
                case TOGETHER -> "";
                case BY_TOPIC -> partition.id.topic();
                default -> partition.id;
            };
            int bytes = bytes(partition, committed);
            List<Map<Partition, Progress>> requests = groups.computeIfAbsent(group, any -> new ArrayList<>());
            int before = sizes.getOrDefault(group, 0);
            if (requests.isEmpty() || before + bytes > mostBytes) {
                requests.add(new LinkedHashMap<>());
                before = 0;
            }
            sizes.put(group, before + bytes);
            requests.getLast().put(partition, committed);
        });
        return groups.values().stream().flatMap(List::stream).toList();
    }

    private static int bytes(Partition partition, Progress progress) {
        return RECORD_BYTES
                + partition.id.topic().length()
                + CHAR_BYTES * progress.metadata().length();
    }

    private static int bytes(Map<Partition, Progress> request) {
        return request.entrySet().stream()
                .mapToInt(one -> bytes(one.getKey(), one.getValue()))
                .sum();
    }

    /** The broker has stored it, so it knows all of these. */
    void stored(Map<Partition, Progress> request) {
        request.keySet().forEach(partition -> knowledge.of(partition).level = TOGETHER);
    }

    /** What a request may have failed with that concerns it, and not others that were sent with it. */
    static boolean isOwn(Exception failure, Map<Partition, Progress> request) {
        return isUnknown(failure) || isTooLarge(failure, request);
    }

    static boolean isUnknown(Exception failure) {
        return failure instanceof UnknownTopicOrPartitionException
                || failure.getCause() instanceof UnknownTopicOrPartitionException;
    }

    /** Brokers say of a batch that is too large for the topic of offsets only that something unexpected happened. */
    static boolean isTooLarge(Exception failure, Map<Partition, Progress> request) {
        return failure instanceof InvalidCommitOffsetSizeException
                || (bytes(request) > LEAST_BYTES
                        && failure instanceof KafkaException
                        && String.valueOf(failure.getMessage()).contains(Errors.UNKNOWN_SERVER_ERROR.message()));
    }

    /**
     * The broker does not know one of these. It has stored what it could of the others, but does not say which. Whether
     * they are left alone for now.
     */
    boolean unknown(Map<Partition, Progress> request) {
        if (request.keySet().stream()
                        .map(partition -> partition.id.topic())
                        .distinct()
                        .count()
                > 1) {
            for (Partition partition : request.keySet()) {
                Knowledge known = knowledge.of(partition);
                known.level = Math.max(known.level, BY_TOPIC);
            }
            return false;
        }
        List<TopicPartition> lately = new ArrayList<>();
        for (Partition partition : request.keySet()) {
            Knowledge known = knowledge.of(partition);
            if (known.level < ALONE) {
                lately.add(partition.id);
            }
            known.level = Math.min(ALONE + MOST_PAUSES - 1, Math.max(BY_TOPIC, known.level)) + 1;
            known.pausedUntilNanos = host.nanoTime() + PAUSE_NANOS * (known.level - BY_TOPIC);
        }
        if (!lately.isEmpty()) {
            log.warn(
                    "the broker does not know all of {}: was the topic deleted? They are committed when it is known",
                    HealthConditions.few(lately));
        }
        return true;
    }

    /** The broker refused that much. False when it was of one partition: then that must become shorter. */
    boolean split(Map<Partition, Progress> request) {
        if (request.size() == 1) {
            return false;
        }
        int less = Math.max(1, Math.min(mostBytes, bytes(request)) / 2);
        if (less < mostBytes) {
            mostBytes = less;
            log.warn(
                    "the broker refused a commit of {} partitions for its size: max.message.bytes of its topic of"
                            + " offsets is too low for it. Commits are sent in requests of {} bytes from now on",
                    request.size(),
                    less);
        }
        return true;
    }

    /** For messages. */
    static String names(List<Map<Partition, Progress>> requests) {
        return HealthConditions.few(requests.stream()
                .flatMap(request -> request.keySet().stream())
                .map(partition -> partition.id)
                .toList());
    }

    /** A request, as the client takes it. */
    static Map<TopicPartition, OffsetAndMetadata> offsets(Map<Partition, Progress> request) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new LinkedHashMap<>();
        request.forEach((partition, progress) -> offsets.put(partition.id, partition.offset(progress)));
        return offsets;
    }
}
