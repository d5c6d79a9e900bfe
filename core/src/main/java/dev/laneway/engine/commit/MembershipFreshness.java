package dev.laneway.engine.commit;

/**
 * Whether polls have told all that the client knows of its group, under the consumer protocol. The client hears in the
 * background that the group has thrown this member out, and from then on commits without the member's epoch, see
 * {@link SingleAttemptCommit}; but it is a poll that tells. So whoever has been away from polls for a while, in the
 * callback of a rebalance or waiting for a commit that was not confirmed, polls before anything else is committed. The
 * owner only.
 */
public final class MembershipFreshness {
    /** In which nobody is thrown out, whose partitions others then get, commit and give up. */
    private static final long SHORT_NANOS = 1_000_000_000;

    private final boolean needed;
    private long polledNanos;
    private boolean current = true;
    private boolean inVain;
    /** Whether nothing has happened since the latest poll began that only a later poll can tell of. */
    private boolean tells;

    /** @param needed whether the group has the consumer protocol; else all is always known */
    MembershipFreshness(boolean needed) {
        this.needed = needed;
    }

    /** A poll begins. */
    public void polling(long nowNanos) {
        tells = true;
        polledNanos = nowNanos;
    }

    /** A poll has returned. */
    public void polled() {
        if (tells) {
            current = true;
            inVain = false;
        }
    }

    /** The callback of a rebalance ends. */
    public void waited() {
        current = !needed;
        tells = false;
    }

    /** A commit was waited for and not confirmed. */
    void waitedInVain() {
        waited();
        inVain = needed;
    }

    /** Whether a commit may be made that could as well be made after the next poll. */
    public boolean isCurrent() {
        return current;
    }

    /** Whether even the last commit of a partition has to wait for a poll, which may be the next owner's. */
    boolean isInVain() {
        return inVain;
    }

    /**
     * Whether the latest poll began so long ago that the group may have thrown this member out, in an outage, while it
     * waits in the callback of a rebalance; see {@link OvertakenCheck}.
     */
    boolean isOld(long nowNanos) {
        return needed && nowNanos - polledNanos > SHORT_NANOS;
    }
}
