package dev.laneway.engine;

import dev.laneway.Health;
import dev.laneway.engine.commit.ClusterQuestions;
import dev.laneway.engine.commit.TopicRetention;
import dev.laneway.engine.runtime.DurationNanos;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.track.Partition;
import dev.laneway.engine.track.UndoneRecord;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns before the log loses records that wait in it alone. Partitions without such records cause no question. A record
 * that is held can be handled whatever happens to the log, but a restart must read it again: health tells of such a one
 * without being degraded. The thread of {@link ClusterProbe} only.
 */
final class RetentionWatch {
    private static final Logger log = LoggerFactory.getLogger(RetentionWatch.class);
    private static final long SECOND_NANOS = 1_000_000_000;
    private static final long LONGEST_PAUSE_NANOS = 60 * SECOND_NANOS;
    private static final int LIMITS_PER_PAUSE = 6;
    /** Within the shortest time that a topic keeps records it is looked at so often. */
    private static final int LOOKS_PER_RETENTION = 8;

    private static final String REMEDY = ": lengthen retention.ms, retention.bytes or min.compaction.lag.ms of the"
            + " topic, or let the record that the key is stuck at be skipped or dead-lettered";

    private enum AtRisk {
        /** A record that can be handled only if the log has it. */
        IN_LOG(Health.Cause.RETENTION_OVERTAKES, "retention", Health.Status.DEGRADED),
        /** One that is held, and that a restart must read again. */
        HELD(Health.Cause.RESTART_AT_RISK, "retention of held records", Health.Status.UP);

        final Health.Cause cause;
        final String kind;
        final Health.Status status;

        AtRisk(Health.Cause cause, String kind, Health.Status status) {
            this.cause = cause;
            this.kind = kind;
            this.status = status;
        }
    }

    private final Host host;
    private final HealthConditions conditions;
    private final long longestPauseNanos;
    /** Those with records in the log alone that were looked at. */
    private final Map<Partition, RetentionRisk> risks = new HashMap<>();

    private final Set<HealthConditions.Subject> told = new HashSet<>();
    private final Set<String> refused = new HashSet<>();
    private boolean hasLooked;
    private long lookedNanos;
    private long pauseNanos;

    /** @param healthLimit six of them, or a minute if that is less, lie between two looks */
    RetentionWatch(Host host, HealthConditions conditions, Duration healthLimit) {
        this.host = host;
        this.conditions = conditions;
        this.longestPauseNanos =
                LIMITS_PER_PAUSE * Math.min(LONGEST_PAUSE_NANOS / LIMITS_PER_PAUSE, DurationNanos.of(healthLimit));
    }

    /** @param assigned the partitions of all members */
    void look(ClusterQuestions cluster, Collection<Partition> assigned) {
        Map<Partition, UndoneRecord> inLog = new HashMap<>();
        for (Partition partition : assigned) {
            UndoneRecord oldest = partition.watch.oldestInLog();
            if (oldest != null) {
                inLog.put(partition, oldest);
            }
        }
        risks.keySet().removeIf(partition -> {
            boolean isOver = !inLog.containsKey(partition);
            if (isOver) {
                end(partition, AtRisk.IN_LOG);
                end(partition, AtRisk.HELD);
            }
            return isOver;
        });
        long now = host.nanoTime();
        if (!inLog.isEmpty() && (!hasLooked || now - lookedNanos >= pauseNanos)) {
            hasLooked = true;
            lookedNanos = now;
            pauseNanos = longestPauseNanos;
            ask(cluster, inLog);
        }
    }

    private void ask(ClusterQuestions cluster, Map<Partition, UndoneRecord> inLog) {
        Map<TopicPartition, Long> starts = cluster.starts(
                inLog.keySet().stream().map(partition -> partition.id).toList());
        Map<String, Optional<TopicRetention>> topics = cluster.retention(
                starts.keySet().stream().map(TopicPartition::topic).collect(Collectors.toSet()));
        topics.forEach(this::found);
        inLog.forEach((partition, record) -> {
            Long start = starts.get(partition.id);
            Optional<TopicRetention> topic = topics.get(partition.id.topic());
            if (start != null && topic != null) { // Else a broker has not answered, which is no finding.
                judge(partition, record, start, topic.orElse(TopicRetention.UNKNOWN));
            }
        });
    }

    private void found(String topic, Optional<TopicRetention> answer) {
        if (answer.isEmpty() && refused.add(topic)) {
            log.info(
                    "records of topic {} wait in the log, and this user may not DESCRIBE_CONFIGS of it: whether it"
                            + " loses them soon is judged by where its logs begin alone",
                    topic);
        }
        answer.ifPresent(retention -> {
            looksWithin(retention.retentionMs());
            looksWithin(retention.compactionLagMs());
        });
    }

    private void looksWithin(long millis) {
        long pause = DurationNanos.of(Duration.ofMillis(millis)) / LOOKS_PER_RETENTION;
        if (pause > 0) {
            pauseNanos = Math.min(pauseNanos, Math.max(SECOND_NANOS, pause));
        }
    }

    private void judge(Partition partition, UndoneRecord inLog, long start, TopicRetention topic) {
        long nowMs = host.epochMillis();
        RetentionRisk risk = risks.computeIfAbsent(partition, _ -> new RetentionRisk(start, nowMs));
        risk.startsAt(start);
        String why = risk.of(inLog, topic, nowMs);
        if (why == null) {
            end(partition, AtRisk.IN_LOG);
        } else {
            tell(
                    partition,
                    AtRisk.IN_LOG,
                    (inLog.keyHash() == null ? "records" : "records of key hash " + inLog.keyHash())
                            + " wait in the log of " + partition.id
                            + " and may be gone before they are read, the first of them at offset " + inLog.offset()
                            + " or behind: " + why);
        }
        UndoneRecord held = partition.watch.oldestUndone();
        String whyHeld = held == null || held.offset() >= inLog.offset() ? null : risk.of(held, topic, nowMs);
        if (held == null || whyHeld == null) {
            end(partition, AtRisk.HELD);
        } else {
            tell(
                    partition,
                    AtRisk.HELD,
                    "record " + partition.id + '@' + held.offset() + " is unfinished, and a restart may not find it: "
                            + whyHeld);
        }
    }

    private void tell(Partition partition, AtRisk what, String reason) {
        HealthConditions.Subject subject = new HealthConditions.Subject(what.cause, what.kind, partition.id);
        conditions.tell(subject, what.status, reason + REMEDY);
        if (told.add(subject) && what == AtRisk.IN_LOG) {
            log.warn("{}{}", reason, REMEDY);
        }
    }

    private void end(Partition partition, AtRisk what) {
        HealthConditions.Subject subject = new HealthConditions.Subject(what.cause, what.kind, partition.id);
        if (told.remove(subject)) {
            conditions.end(subject);
            if (what == AtRisk.IN_LOG) {
                log.info("what waits in the log of {}, if anything, is at risk no more", partition.id);
            }
        }
    }
}
