package dev.laneway.ops.scale;

import org.jspecify.annotations.Nullable;

/**
 * What a change of the number of members takes. Immutable.
 *
 * @param pauseSeconds for which the tasks that move, at worst all, are not processed
 * @param etaSeconds until all tasks are where they belong; until then the members before do the work
 * @param restoreSeconds of work to build state, over all members
 */
record ChangeCost(double pauseSeconds, double etaSeconds, double restoreSeconds) {
    /**
     * Tasks that move warm up a few at a time, in steps of the probing interval: the estimate of sizing rule U4.
     * Without warm-ups they wait until their state is there, unless a standby has it.
     */
    static ChangeCost of(int from, int to, @Nullable RestoreLoad restore, double rebalanceSeconds) {
        if (restore == null || restore.taskReplicas() == 0 || from == to) {
            return new ChangeCost(rebalanceSeconds, rebalanceSeconds, 0);
        }
        int larger = Math.max(from, to);
        long moves = (long) restore.taskReplicas() * Math.abs(to - from) / Math.max(1, larger);
        double work = moves * restore.restoreSeconds();
        if (to < from && from - to <= restore.standbys()) {
            return new ChangeCost(rebalanceSeconds, rebalanceSeconds, work); // A standby takes over.
        }
        if (restore.warmups() > 0 && to > from) {
            double rounds = Math.ceil((double) moves / restore.warmups());
            double eta = rounds * Math.max(restore.probingSeconds(), restore.restoreSeconds());
            return new ChangeCost(rebalanceSeconds, Math.max(rebalanceSeconds, eta), work);
        }
        // Restored by the members that get them, each its own, one after another.
        double each = Math.ceil((double) moves / Math.max(1, to > from ? to - from : to));
        double pause = rebalanceSeconds + each * restore.restoreSeconds();
        return new ChangeCost(pause, pause, work);
    }
}
