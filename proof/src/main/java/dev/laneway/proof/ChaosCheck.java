package dev.laneway.proof;

import dev.laneway.cli.program.Text;
import dev.laneway.cli.workload.Cluster;
import dev.laneway.cli.workload.TopicReader;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.TopicPartition;

/** Checks the result of a chaos run: the input, the journals, the output and what is committed. Used by one thread. */
final class ChaosCheck {
    /** Longer than transactions of members that were killed stay open. */
    private static final Duration OPEN_LIMIT = Duration.ofSeconds(60);

    private final ChaosPlan plan;
    private final Map<String, Object> config;
    private final Cluster cluster;
    private final Findings findings = new Findings();

    ChaosCheck(ChaosPlan plan, Map<String, Object> kafkaConfig, Cluster cluster) {
        this.plan = plan;
        this.config = kafkaConfig;
        this.cluster = cluster;
    }

    /**
     * The run before the check.
     *
     * @param loadedMicros until when records were produced
     * @param startNanos when the run began
     */
    record Played(
            FaultLog log,
            List<String> failures,
            List<ChaosMembers.Life> lives,
            long produced,
            long loadedMicros,
            boolean stalled,
            boolean allEnded,
            long startNanos) {}

    ChaosResult result(Played played) {
        boolean committed = isAllCommitted();
        Map<TopicPartition, Long> ends = cluster.endOffsets(ChaosPlan.TOPIC, plan.partitions());
        SourceLog source = new SourceLog(ends);
        TopicReader.read(config, ends, source::add);
        Runs audit = audit(source, played.log().faults(), played.lives());
        return new ChaosResult(
                plan,
                Duration.ofNanos(System.nanoTime() - played.startNanos()),
                played.produced(),
                source.faults(played.produced()),
                played.log().counts(),
                audit.account(),
                copies(source, audit),
                passingRecords(played),
                findings,
                committed,
                played.stalled(),
                played.allEnded(),
                played.failures());
    }

    private Runs audit(SourceLog source, List<Fault> faults, List<ChaosMembers.Life> lives) {
        if (plan.mode() == ChaosPlan.Mode.SHARE) {
            ShareAudit audit = new ShareAudit(source, faults, ChaosPlan.DELIVERY_LIMIT, findings);
            audit.replay(lives);
            audit.finish();
            return audit;
        }
        ChaosAudit audit = new ChaosAudit(plan.mode(), source, faults, findings);
        lives.forEach(audit::replay);
        audit.finish();
        return audit;
    }

    private boolean isAllCommitted() {
        return isAllCommitted(ChaosPlan.TOPIC, plan.partitions())
                && (!plan.hasPassing() || isAllCommitted(ChaosPlan.PASSING, ChaosPlan.PASSING_PARTITIONS));
    }

    private boolean isAllCommitted(String topic, int partitions) {
        return plan.uncommitted(cluster, topic, partitions).values().stream().allMatch(records -> records == 0);
    }

    /** Returns how many copies there are. */
    private long copies(SourceLog source, Runs audit) {
        CopiesAudit copies = new CopiesAudit(plan.mode(), source, audit, findings);
        Map<TopicPartition, Long> ends = cluster.endOffsets(ChaosPlan.COPIES, plan.partitions());
        Map<String, Object> reading = new HashMap<>(config);
        if (plan.mode() == ChaosPlan.Mode.EXACTLY_ONCE) {
            reading.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
            ends = stableEnds(ends);
        }
        TopicReader.read(reading, ends, copies::add);
        copies.finish();
        return copies.copies();
    }

    /** How far a reader of committed records gets: to the ends, unless a transaction stays open. */
    private Map<TopicPartition, Long> stableEnds(Map<TopicPartition, Long> ends) {
        long deadline = System.nanoTime() + OPEN_LIMIT.toNanos();
        Map<TopicPartition, Long> stable = cluster.stableEndOffsets(ChaosPlan.COPIES, plan.partitions());
        while (!stable.equals(ends) && System.nanoTime() - deadline < 0) {
            stable = cluster.stableEndOffsets(ChaosPlan.COPIES, plan.partitions());
        }
        Map<TopicPartition, Long> readable = stable;
        ends.forEach((id, end) -> {
            long offset = readable.getOrDefault(id, 0L);
            if (offset < end) {
                findings.add(
                        Findings.Kind.OPEN_TRANSACTIONS,
                        id + " is read to " + offset + " of " + end + ", " + Text.duration(OPEN_LIMIT)
                                + " after all members had ended");
            }
        });
        return stable;
    }

    private long passingRecords(Played played) {
        PassingAudit passing = new PassingAudit(played.log().faults(), played.loadedMicros(), findings);
        if (plan.hasPassing()) {
            played.lives().forEach(passing::replay);
            TopicReader.read(config, cluster.endOffsets(ChaosPlan.PASSING, ChaosPlan.PASSING_PARTITIONS), passing::add);
            passing.finish();
        }
        return passing.records();
    }
}
