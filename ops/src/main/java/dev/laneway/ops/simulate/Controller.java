package dev.laneway.ops.simulate;

/** Decides after each tick how large the group is. Called in order, by the thread that runs the simulation. */
@FunctionalInterface
public interface Controller {
    /** Changes nothing. */
    Controller NONE = tick -> new Decision(tick.requestedMembers(), tick.concurrency());

    /** What the group shall have from now on; the same as it has for no change. */
    Decision decide(Tick tick);

    /**
     * A size of the group. Immutable.
     *
     * @param members how many; those that are new take their time to join, those that are too many leave at once
     * @param concurrency of each, from now on
     */
    record Decision(int members, int concurrency) {
        /** Checks both. */
        public Decision {
            Check.between("members", members, 1, Group.MOST_MEMBERS);
            Check.between("concurrency", concurrency, 1, Group.MOST_AT_ONCE);
        }
    }
}
