package dev.laneway.ops.check;

import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Series;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Stream;

/** C8: each thread of the group has a task, and each member a partition. Looks at all processes together. */
final class TaskRule implements Rule {
    @Override
    public RuleId id() {
        return RuleId.C8;
    }

    @Override
    public Finding judge(Observations seen, Thresholds limits) {
        List<Series> threads = seen.all(StreamsMetric.THREAD_STATE.group(), StreamsMetric.THREAD_STATE.metric());
        if (!threads.isEmpty()) {
            return streams(seen, threads, limits);
        }
        if (!Instance.streams(seen).isEmpty()) {
            return Finding.unknown(
                    RuleId.C8,
                    "The threads of the group's processes are not seen.",
                    "Give its processes with --pid or --jmx, and export thread-state.");
        }
        OptionalDouble members = seen.max(Groups.GROUP, "members");
        OptionalDouble partitions = seen.max(Groups.GROUP, "partitions");
        List<Series> assigned = seen.all(StreamsMetric.ASSIGNED.group(), StreamsMetric.ASSIGNED.metric());
        if (members.isPresent() && partitions.isPresent()) {
            return judge(
                    seen,
                    "member",
                    members.getAsDouble(),
                    partitions.getAsDouble(),
                    "partition",
                    Stream.of("members", "partitions")
                            .flatMap(name -> seen.all(Groups.GROUP, name).stream())
                            .map(Figures::last)
                            .toList(),
                    limits);
        }
        if (assigned.isEmpty()) {
            return Finding.unknown(
                    RuleId.C8,
                    "Neither the members of the group and its partitions nor a member's assignment is seen.",
                    "Give --bootstrap and --group with the right to describe the group, or a member with --jmx.");
        }
        double without = assigned.stream().filter(member -> member.last() == 0).count();
        return judge(
                seen,
                "member",
                assigned.size(),
                assigned.size() - without,
                "partition",
                assigned.stream().map(Figures::last).toList(),
                limits);
    }

    private static Finding streams(Observations seen, List<Series> threads, Thresholds limits) {
        Set<String> busy = new HashSet<>();
        for (Series task : seen.all(StreamsMetric.ACTIVE_TASK.group(), StreamsMetric.ACTIVE_TASK.metric())) {
            busy.add(task.source() + " " + task.metric().tag("thread-id"));
        }
        List<Series> alive = threads.stream()
                .filter(thread -> thread.last() < ThreadRules.THREAD_STOPS)
                .toList();
        List<String> idle = alive.stream()
                .map(thread -> thread.source() + " " + thread.metric().tag("thread-id"))
                .filter(thread -> !busy.contains(thread))
                .toList();
        return judge(
                seen,
                "thread",
                alive.size(),
                alive.size() - idle.size(),
                "active task",
                idle.stream().map(thread -> thread + ": no active task").toList(),
                limits);
    }

    private static Finding judge(
            Observations seen,
            String worker,
            double workers,
            double parts,
            String part,
            List<String> evidence,
            Thresholds limits) {
        double idle = Math.max(0, workers - parts);
        FindingBuilder judged = FindingBuilder.of(
                        RuleId.C8,
                        idle == 0
                                ? "each of " + Figures.count(workers, worker) + " has at least one " + part
                                : Figures.number(idle) + " of " + Figures.count(workers, worker) + " without a " + part,
                        "at least one " + part + " for each " + worker)
                .evidence(evidence);
        if (idle == 0) {
            return judged.fine();
        }
        String diagnosis =
                Figures.number(idle) + " of " + Figures.count(workers, worker) + " of the group have no " + part;
        List<Series> lags = seen.all(Groups.PARTITION, "lag");
        double before = lags.stream().mapToDouble(Series::first).sum();
        double now = lags.stream().mapToDouble(Series::last).sum();
        return now > limits.of(Threshold.WAITING) && now >= before
                ? judged.evidence("the group's lag went from " + Figures.number(before) + " to " + Figures.number(now))
                        .fail(
                                diagnosis + " while " + Figures.number(now) + " records wait.",
                                "Add partitions, or process by key in parallel inside a member: more instances"
                                        + " than " + Figures.number(parts) + " " + part + "s do nothing.")
                        .because(Cause.TOO_FEW_PARTITIONS, Confidence.MEDIUM)
                : judged.warn(
                        diagnosis + ", and do nothing.",
                        "Run " + Figures.number(idle) + " fewer " + worker
                                + "s, or keep them to take over from others.");
    }
}
