package dev.laneway.proof;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What an audit has found, counted, with the first examples of each kind. Not thread-safe. */
final class Findings {
    private static final int EXAMPLES = 5;

    private final Map<Kind, Long> counts = new EnumMap<>(Kind.class);
    private final Map<Kind, List<String>> examples = new EnumMap<>(Kind.class);

    /** The kinds of findings. None may occur. */
    enum Kind {
        /** A record of the input has no copy. */
        LOST,
        /** A record started before its predecessor in its key was done, or while it ran. */
        ORDER_VIOLATIONS,
        /** Two members owned a partition at once although neither was killed, cut off or late. */
        TWO_OWNERS,
        /** A record started at a member that had given its partition up. */
        STARTS_WITHOUT_OWNERSHIP,
        /** A record started although the commit that its owner began with names it done. */
        STARTS_OF_DONE_RECORDS,
        /** A record was handled again, and neither a kill, a loss nor a limit explains it. */
        UNEXPLAINED_DUPLICATES,
        /** A copy is there more often than its record was handled, or out of its key's order. */
        WRONG_COPIES,
        /** A commit names a record done that is not, or is no commit for its offset, or of another's partition. */
        WRONG_COMMITS,
        /** A commit or the start of an owner lies before what was confirmed earlier. */
        COMMITS_BACK,
        /** A partition stood still while another topic was deleted and nothing else was wrong. */
        STANDSTILLS,
        /** A transaction stays open after all members have ended, and blocks readers of committed records. */
        OPEN_TRANSACTIONS;

        /** As in reports: order_violations. */
        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    void add(Kind kind, String example) {
        counts.merge(kind, 1L, Long::sum);
        List<String> kept = examples.computeIfAbsent(kind, first -> new ArrayList<>());
        if (kept.size() < EXAMPLES) {
            kept.add(example);
        }
    }

    long count(Kind kind) {
        return counts.getOrDefault(kind, 0L);
    }

    boolean isEmpty() {
        return counts.isEmpty();
    }

    /** The first examples, each with its kind. */
    List<String> examples() {
        return examples.entrySet().stream()
                .flatMap(kind ->
                        kind.getValue().stream().map(example -> kind.getKey().label() + ": " + example))
                .toList();
    }
}
