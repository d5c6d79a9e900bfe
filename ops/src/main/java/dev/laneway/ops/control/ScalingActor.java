package dev.laneway.ops.control;

/** Changes the number of a group's members. Used by the thread of one loop; its methods return within seconds. */
public interface ScalingActor extends AutoCloseable {
    /**
     * Looks what there is. Called once at the begin of each turn.
     *
     * @param mayAct whether it also does what keeps that as it was asked for, such as to replace a member that has died
     */
    ActorView look(boolean mayAct);

    /**
     * Changes the number of members. Is called only after the decision is in the log and all limits are checked.
     *
     * @param from members that the latest look has seen
     * @param to members that there should be, at least 1
     * @param sentence the decision, for whoever reads the actor's own traces
     */
    ActorAnswer change(int from, int to, String sentence);

    /** Stops acting. Members stay. */
    @Override
    void close();
}
