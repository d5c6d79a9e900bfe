package dev.laneway.ops.scale;

import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Numbers of members that are worth having: with each of them the fullest member has fewer partitions, or each thread
 * fewer tasks, than with any smaller number. For a sticky assignor, which spreads the partitions of all topics.
 *
 * @param tasks partitions or tasks of all sources; 0 if not known: then every number is useful
 * @param slots threads of a member, at least 1
 */
record UsefulCounts(int tasks, int slots) {
    static UsefulCounts of(ScalingMetrics metrics) {
        long tasks = 0;
        for (SourceLoad source : metrics.sources()) {
            if (source.partitions() == 0) {
                return new UsefulCounts(0, 1);
            }
            tasks += source.partitions();
        }
        return new UsefulCounts(
                (int) Math.min(Integer.MAX_VALUE / 2, tasks),
                Math.max(1, metrics.shape().threads()));
    }

    /** All of them, the least first. */
    SortedSet<Integer> all() {
        SortedSet<Integer> counts = new TreeSet<>();
        for (int each = 1; each <= tasks; each++) {
            counts.add(membersFor(each));
        }
        return counts;
    }

    /** The largest one; without limit if the tasks are not known. */
    int largest() {
        return tasks == 0 ? Integer.MAX_VALUE : membersFor(1);
    }

    /** The least useful number that is at least this one, or the largest. */
    int atLeast(int members) {
        if (tasks == 0 || members >= largest()) {
            return Math.min(members, largest());
        }
        int alike = membersFor(load(members));
        return alike >= members ? alike : membersFor(load(members) - 1);
    }

    /** The least number of members that are loaded as these: so many of them do all that more can do. */
    int atMost(int members) {
        return tasks == 0 ? members : Math.min(members, membersFor(load(members)));
    }

    /** Tasks of the fullest thread. */
    int load(int members) {
        long threads = (long) Math.max(1, members) * slots;
        return (int) Math.max(1, (tasks + threads - 1) / threads);
    }

    /** The fewest members whose threads have at most so many tasks each. */
    private int membersFor(int each) {
        long perMember = (long) each * slots;
        return (int) Math.max(1, (tasks + perMember - 1) / perMember);
    }
}
