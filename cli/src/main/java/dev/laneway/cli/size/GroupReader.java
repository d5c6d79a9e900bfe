package dev.laneway.cli.size;

import dev.laneway.cli.program.VerbFailure;
import dev.laneway.ops.GroupLag;
import dev.laneway.ops.LagFailure;
import dev.laneway.ops.LagMonitor;
import dev.laneway.ops.LagOptions;
import dev.laneway.ops.PartitionLag;
import dev.laneway.ops.RecordProbe;
import dev.laneway.ops.size.LagPoint;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/** The group that is sized, as brokers see it. Used by one thread; the caller closes the admin client. */
final class GroupReader {
    private static final Duration LONGEST_LOOK = Duration.ofSeconds(5);

    private final String group;
    private final Set<String> topics;
    private final int partitions;
    private final Duration brokerLimit;
    private final LagMonitor monitor;
    private final long start = System.nanoTime();
    private long answeredNanos = System.nanoTime();
    private String problem = "";

    GroupReader(Admin admin, SizeSetup setup) {
        group = setup.group();
        topics = Set.copyOf(setup.topics());
        partitions = setup.partitions();
        brokerLimit = setup.brokerLimit();
        Duration limit = brokerLimit.compareTo(LONGEST_LOOK) < 0 ? brokerLimit : LONGEST_LOOK;
        monitor = new LagMonitor(admin, new LagOptions(IsolationLevel.READ_UNCOMMITTED, limit), RecordProbe.NONE);
    }

    /**
     * The group at a moment. Immutable.
     *
     * @param isSettled whether no rebalance runs, all partitions of the topics have an owner, and as many members as
     *     there can be have one: Kafka Streams moves nothing to a new one before that has its state
     */
    record View(int members, boolean isSettled, LagPoint point) {}

    /** Empty if the group is not there, or there was no answer for this once. */
    Optional<View> look() {
        try {
            GroupLag lag = monitor.sample(group);
            double seconds = (System.nanoTime() - start) / 1e9;
            List<PartitionLag> known = lag.partitions();
            if (known.stream().anyMatch(each -> each.end() == null)) {
                problem = "not all partitions could be read";
                return Optional.empty();
            }
            answeredNanos = System.nanoTime();
            problem = "";
            return Optional.of(new View(lag.members().size(), isSettled(lag), point(seconds, known)));
        } catch (LagFailure failed) {
            problem = String.valueOf(failed.getMessage());
            return Optional.empty();
        }
    }

    /** Fails if the group could be read before, and cannot for longer than a broker may be silent. */
    void check() {
        if (!problem.isEmpty() && System.nanoTime() - answeredNanos > brokerLimit.toNanos()) {
            throw new VerbFailure("the group can no longer be read: " + problem);
        }
    }

    /** Why the latest look saw nothing; empty if it saw something. */
    String problem() {
        return problem;
    }

    private boolean isSettled(GroupLag lag) {
        Set<TopicPartition> owned = new HashSet<>();
        lag.members().forEach(member -> owned.addAll(member.partitions()));
        long busy = lag.members().stream()
                .filter(member -> !member.partitions().isEmpty())
                .count();
        return lag.state().equalsIgnoreCase("Stable")
                && owned.stream().filter(each -> topics.contains(each.topic())).count() >= partitions
                && busy >= Math.min(lag.members().size(), partitions / topics.size());
    }

    /** Where nothing is committed yet, the group has done nothing: all that is kept waits. */
    private LagPoint point(double seconds, List<PartitionLag> known) {
        double end = 0;
        double lag = 0;
        double committed = 0;
        for (PartitionLag each : known) {
            long last = Objects.requireNonNull(each.end());
            long first = each.committed() != null ? each.committed() : each.start() != null ? each.start() : last;
            committed += first;
            lag += Math.max(0, last - first);
            end += topics.contains(each.partition().topic()) ? last : 0;
        }
        return new LagPoint(seconds, end, lag, committed);
    }

    /** Groups that have members with partitions of the topics, other than the one that is sized. */
    List<String> othersOfTopics() {
        try {
            return monitor.sampleAll().stream()
                    .filter(each -> !each.group().equals(group))
                    .filter(each -> each.members().stream()
                            .anyMatch(member -> member.partitions().stream()
                                    .anyMatch(partition -> topics.contains(partition.topic()))))
                    .map(GroupLag::group)
                    .toList();
        } catch (LagFailure failed) {
            return List.of();
        }
    }
}
