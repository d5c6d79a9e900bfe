package dev.laneway.ops.check;

import dev.laneway.ops.observe.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** C11 and U3: records that are dropped, and records that are restored first. */
final class RecordRules {
    /** Late records are processed and dropped; who loses more than it processes drops them unread. */
    private static final double MOST = 0.5;

    private RecordRules() {}

    /** C11. */
    static Finding dropped(Instance instance, Thresholds limits) {
        String source = instance.source();
        List<Series> dropped = instance.all(StreamsMetric.DROPPED);
        if (dropped.isEmpty()) {
            return Finding.unknown(
                    RuleId.C11,
                    "Dropped records of " + source + " are not seen: no task of it is.",
                    "Give " + source + " with --pid or --jmx while it has a task.");
        }
        boolean once = dropped.stream().allMatch(series -> series.points().size() == 1);
        double lost = once ? instance.sum(StreamsMetric.DROPPED).orElse(0) : instance.growth(StreamsMetric.DROPPED);
        double processed =
                once ? instance.sum(StreamsMetric.PROCESSED).orElse(0) : instance.growth(StreamsMetric.PROCESSED);
        double most = limits.of(Threshold.DROPPED);
        FindingBuilder judged = FindingBuilder.of(
                        RuleId.C11,
                        Figures.number(lost) + " records dropped in " + source
                                + (once ? " since its start" : " while it was watched"),
                        "at most " + Figures.number(most))
                .evidence(dropped.stream()
                        .filter(series -> series.last() > 0)
                        .map(once ? Figures::last : Figures::growth)
                        .toList());
        if (lost <= most) {
            return judged.fine();
        }
        String remedy = "Look at late records of " + source
                + " (grace period of windows), records without a key, and what its exception handlers skip.";
        double share = lost / (lost + processed);
        if (share > MOST) {
            return judged.fail(
                            source + " dropped " + Figures.number(lost) + " records and processed "
                                    + Figures.number(processed) + ": what comes cannot be read, or its exception"
                                    + " handlers skip it.",
                            "Look in the log of " + source + " for what its exception handlers skip, and mend it before"
                                    + " more is lost.")
                    .because(Cause.UNREADABLE, Confidence.HIGH);
        }
        boolean many = share > limits.of(Threshold.DROPPED_SHARE);
        return many
                ? judged.fail(
                        source + " dropped " + Figures.number(lost) + " of " + Figures.number(lost + processed)
                                + " records (" + Figures.percent(share) + ").",
                        remedy)
                : judged.warn(source + " dropped " + Figures.count(lost, "record") + ".", remedy);
    }

    /** U3. */
    static Finding restoring(Instance instance, Thresholds limits) {
        String source = instance.source();
        List<Series> restoring = instance.all(StreamsMetric.ACTIVE_RESTORING);
        if (restoring.isEmpty()) {
            return Finding.unknown(
                    RuleId.U3,
                    "The state updater of " + source + " is not seen.",
                    "Give " + source
                            + " with --pid or --jmx, and export kafka.streams:type=stream-state-updater-metrics.");
        }
        double tasks = restoring.stream().mapToDouble(RecordRules::stillThere).sum();
        List<Series> remaining = instance.all(StreamsMetric.RESTORE_REMAINING);
        double left = remaining.stream().mapToDouble(Series::last).sum();
        List<Series> standbys = instance.all(StreamsMetric.RECORDS_LAG).stream()
                .filter(lag -> lag.metric().tag("client-id").contains("restore-consumer"))
                .filter(lag -> !lag.metric().tag("partition").isEmpty())
                .toList();
        double behind = standbys.stream().mapToDouble(Series::last).sum();
        double updating = instance.sum(StreamsMetric.STANDBY_UPDATING).orElse(0);
        double most = limits.of(Threshold.STANDBY_LAG);
        List<String> evidence = new ArrayList<>();
        restoring.forEach(series -> evidence.add(Figures.last(series)));
        remaining.stream().filter(series -> series.last() > 0).forEach(series -> evidence.add(Figures.last(series)));
        standbys.stream().filter(series -> series.last() > 0).forEach(series -> evidence.add(Figures.last(series)));
        FindingBuilder judged = FindingBuilder.of(
                        RuleId.U3,
                        tasks > 0
                                ? Figures.count(tasks, "task") + " of " + source + " restored, " + Figures.number(left)
                                        + " records left"
                                : Figures.count(updating, "standby task") + " of " + source + ", "
                                        + Figures.number(behind) + " records behind",
                        "no active task restored, standbys at most " + Figures.number(most) + " records behind")
                .evidence(evidence);
        if (tasks > 0) {
            OptionalDouble seconds = secondsLeft(remaining);
            return judged.fail(
                            Figures.count(tasks, "task") + " of " + source + " cannot process until "
                                    + Figures.number(left) + " records are restored"
                                    + (seconds.isPresent()
                                            ? ", in about " + Figures.time(seconds.getAsDouble()) + "."
                                            : "; that they get fewer was not seen."),
                            "Wait for " + source
                                    + "; keep its state on a volume that stays, or have standbys"
                                    + " (num.standby.replicas; with group.protocol=streams the group's"
                                    + " streams.num.standby.replicas), so that the next restart is short.")
                    .because(Cause.RESTORING, Confidence.HIGH);
        }
        GroupPicture group = GroupPicture.of(instance.seen());
        if (updating > 0 && behind > most && group.trend().grows() && group.members() > group.busyMembers()) {
            return judged.fail(
                            Figures.count(updating, "standby task") + " of " + source + " is "
                                    + Figures.number(behind)
                                    + " records behind: until then it takes no task over, and the lag grows.",
                            "Wait for " + source + "; keep its state on a volume that stays, so that the next start is"
                                    + " short.")
                    .because(Cause.RESTORING, Confidence.MEDIUM);
        }
        return updating > 0 && behind > most
                ? judged.warn(
                                Figures.count(updating, "standby task") + " of " + source + " is "
                                        + Figures.number(behind)
                                        + " records behind"
                                        + (secondsLeft(standbys).isPresent()
                                                ? ", for about "
                                                        + Figures.time(secondsLeft(standbys)
                                                                .getAsDouble())
                                                : "")
                                        + ": whoever takes it over restores these first.",
                                "Wait with the next restart until the standbys of " + source + " are less than "
                                        + Figures.number(most) + " records behind.")
                        .because(Cause.RESTORING, Confidence.MEDIUM)
                : judged.fine();
    }

    /** The tasks that were being restored in both of the last two samples: one moment of it is part of any start. */
    private static double stillThere(Series tasks) {
        int size = tasks.points().size();
        return size == 1
                ? tasks.last()
                : Math.min(tasks.last(), tasks.points().get(size - 2).value());
    }

    private static OptionalDouble secondsLeft(List<Series> remaining) {
        double left = 0;
        double pace = 0;
        for (Series series : remaining) {
            left += series.last();
            pace += series.seconds() > 0 ? Math.max(0, series.first() - series.last()) / series.seconds() : 0;
        }
        return pace > 0 ? OptionalDouble.of(left / pace) : OptionalDouble.empty();
    }
}
