package dev.laneway.ops.check;

import dev.laneway.ops.check.GroupPicture.Part;
import java.util.Comparator;
import java.util.Optional;

/** Which partition has more than its share of what comes, and whether that holds the group up. Stateless. */
final class Skew {
    /** With few partitions even one that has all is only so many times above the mean. */
    private static final double ALL_BUT = 0.75;

    private Skew() {}

    /** The partition with most of what is appended; empty if it is its topic's only one, or nothing is. */
    static Optional<Part> top(GroupPicture group) {
        return group.parts.stream()
                .max(Comparator.comparingDouble(Part::appended))
                .filter(part -> part.appended() > 0 && group.ofTopic(part).size() > 1);
    }

    static Optional<Part> hot(GroupPicture group, Thresholds thresholds) {
        return top(group)
                .filter(part -> isHot(
                        part.appended(), mean(group, part), group.ofTopic(part).size(), thresholds));
    }

    /** The mean load of the partitions of its topic: topics may differ. */
    static double mean(GroupPicture group, Part part) {
        return group.ofTopic(part).stream()
                .mapToDouble(Part::appended)
                .average()
                .orElse(0);
    }

    static boolean isHot(double load, double mean, int partitions, Thresholds thresholds) {
        return load > mean * Math.min(thresholds.of(Threshold.SKEW), partitions * ALL_BUT);
    }

    /** The partition that is furthest behind is this one, has most of the lag, and the lag grows. */
    static boolean holdsUp(GroupPicture group, Part part, Thresholds thresholds) {
        Part behind = group.parts.getFirst();
        return behind.name().equals(part.name())
                && group.lag() > 0
                && behind.lag() / group.lag() > thresholds.of(Threshold.LAG_SHARE)
                && group.trend().grows();
    }
}
