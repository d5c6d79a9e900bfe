package dev.laneway.proof;

import java.util.Map;

/** The handled records, by the journals of the members. */
interface Runs {
    /** How often a member has handled a record well. */
    int runs(int partition, long offset, String member);

    /** Whether a member's copies of a key must be in the order of the records. */
    boolean hasOrder(int partition, String member);

    /** Whether the broker has given a record up, as it may. */
    boolean isGivenUp(int partition, long offset);

    Account account();

    /**
     * The counts of an audit. Immutable.
     *
     * @param assignments how often a partition was assigned
     * @param lostPartitions how often a member lost a partition without giving it up
     * @param commits commits that were checked, one for each partition in them; acknowledgements of a share group
     * @param runs handlers that came to their good end
     * @param givenUp records of a share group that no member finished and the broker no longer delivers
     * @param explained duplicates by what explains them
     */
    record Account(
            long assignments,
            long lostPartitions,
            long commits,
            long runs,
            long givenUp,
            Map<ChaosAudit.Why, Long> explained) {
        public Account {
            explained = Map.copyOf(explained);
        }

        long explained(ChaosAudit.Why why) {
            return explained.getOrDefault(why, 0L);
        }
    }
}
