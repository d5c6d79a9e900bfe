package dev.laneway.engine.sim;

import dev.laneway.engine.handle.AttemptSettlement;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at a record as its handler lives it, and what may follow by the options: the truth that the engine is
 * compared with. Where the attempt limit and the handler's end are close, either may have come first.
 */
final class SimAttempt {
    final SimEpoch epoch;
    final long offset;
    /** The record, where others may have its offset in the end. */
    final SimLogs.Written record;

    final String lane;
    /** 1 for the first attempt of the record in its epoch. */
    final int number;
    /** Less than the number where earlier attempts may not have counted. */
    private final int leastNumber;

    final long beganNanos;
    /** The call of a batch handler that makes it; null when the handler gets one record. */
    final @Nullable SimCall call;

    private final SimPlan plan;
    /** Whether the handler has returned a stage: then the attempt limit ends the attempt without it. */
    private boolean pending;

    private boolean ended;
    private boolean expired;
    private long endedNanos;
    /** Whether the limit may have been faster than the handler. */
    private boolean doubtful;

    private boolean mayBeFinal;
    private boolean mayBeRetried;
    private boolean stops;
    /** Whether the record is done, if the attempt is final, without any acknowledgement. */
    private boolean doneAtOnce;

    private long leastDelayNanos;
    private int outputs;
    private final Set<Integer> acknowledged = new HashSet<>();
    private boolean refused;
    private int refusals;
    private boolean letterAcknowledged;

    /** @param previous the attempt before this one, null for the first */
    SimAttempt(
            SimEpoch epoch,
            SimLogs.Written record,
            String lane,
            @Nullable SimAttempt previous,
            @Nullable SimCall call,
            SimPlan plan,
            long nowNanos) {
        this.epoch = epoch;
        this.offset = record.offset();
        this.record = record;
        this.lane = lane;
        if (previous == null) {
            this.number = 1;
            this.leastNumber = 1;
        } else {
            boolean mayBeVoid = previous.call != null && previous.call.mayBeVoid(previous, nowNanos);
            this.number = previous.mayBeRetried(nowNanos) ? previous.number + 1 : previous.number;
            this.leastNumber = mayBeVoid ? previous.leastNumber : previous.leastNumber + 1;
        }
        this.call = call;
        this.plan = plan;
        this.beganNanos = nowNanos;
    }

    void pends() {
        pending = true;
    }

    /** False when it had ended before. */
    boolean ends(SimEnd end, long nowNanos) {
        if (ended) {
            return false;
        }
        settle(nowNanos); // The engine may have given it up long before its stage completes.
        if (!expired) {
            endedNanos = nowNanos;
        }
        ended = true;
        follow(end);
        if (isOverLimit(nowNanos)) {
            doubtful = true;
            follow(SimEnd.FAILED);
        }
        return true;
    }

    private void follow(SimEnd end) {
        switch (end.kind()) {
            case DONE -> {
                mayBeFinal = true;
                outputs = end.outputs();
                doneAtOnce |= outputs == 0;
            }
            case SKIP -> {
                mayBeFinal = true;
                doneAtOnce = true;
            }
            case RETRY -> retried(end.delayNanos());
            case DEAD_LETTER -> {
                mayBeFinal |= plan.last == SimPlan.Last.DEAD_LETTER;
                stops |= plan.last != SimPlan.Last.DEAD_LETTER;
            }
            case STOP -> stops = true;
            case HOPELESS -> {
                mayBeFinal = true;
                doneAtOnce = true;
            }
            case FAILED -> {
                if (leastNumber < plan.maxAttempts) {
                    retried(plan.leastBackoffNanos);
                }
                if (number >= plan.maxAttempts) {
                    mayBeFinal |= plan.last != SimPlan.Last.STOP;
                    doneAtOnce |= plan.last == SimPlan.Last.SKIP;
                    stops |= plan.last == SimPlan.Last.STOP;
                }
            }
        }
    }

    private void retried(long delayNanos) {
        leastDelayNanos = mayBeRetried ? Math.min(leastDelayNanos, delayNanos) : delayNanos;
        mayBeRetried = true;
    }

    /** What is over the limit may have been ended by it, even if its stage has not completed. */
    private void settle(long nowNanos) {
        if (!ended && !expired && pending && isOverLimit(nowNanos)) {
            expired = true;
            doubtful = true;
            endedNanos = beganNanos + plan.attemptLimitNanos;
            follow(SimEnd.FAILED);
        }
    }

    private boolean isOverLimit(long nowNanos) {
        return plan.attemptLimitNanos > 0 && nowNanos - beganNanos >= plan.attemptLimitNanos;
    }

    boolean isRunning(long nowNanos) {
        settle(nowNanos);
        return !ended && !expired;
    }

    boolean mayBeFinal(long nowNanos) {
        settle(nowNanos);
        return mayBeFinal;
    }

    boolean mayBeRetried(long nowNanos) {
        settle(nowNanos);
        return mayBeRetried;
    }

    /** Whether the consumer is to stop for it. */
    boolean stops(long nowNanos) {
        settle(nowNanos);
        return stops;
    }

    /** When the next attempt may begin at the earliest. */
    long nextNanos() {
        return endedNanos + leastDelayNanos;
    }

    /** Whether a commit may say that the record is done. */
    boolean mayBeDone(long nowNanos) {
        // What was refused is sent again some times, then skipped.
        boolean maySkip = outputs > 0 && refused && plan.last == SimPlan.Last.SKIP;
        return mayBeFinal(nowNanos) && (isSettled() || maySkip);
    }

    private boolean isSettled() {
        return doneAtOnce
                || plan.isExactlyOnce() // The transaction has it all, or nothing.
                || letterAcknowledged
                || (outputs > 0 && acknowledged.size() == outputs);
    }

    /** Whether the record is done beyond any doubt. */
    boolean isDone(long nowNanos) {
        return mayBeFinal(nowNanos) && isSettled() && !doubtful && call == null;
    }

    /**
     * Whether it was done then, earlier in this turn of its owner: of what it sends it is only known whether it is now.
     */
    boolean wasDone(long thenNanos, long nowNanos) {
        return isDone(nowNanos) && (thenNanos == nowNanos || (doneAtOnce && endedNanos <= thenNanos));
    }

    /** Whether it may count without outputs. */
    boolean mayLackOutputs(long nowNanos) {
        return mayBeFinal(nowNanos) && (outputs == 0 || doubtful);
    }

    void acknowledged(int output) {
        acknowledged.add(output);
    }

    void refused() {
        refusals++;
        refused = true;
    }

    /** Whether what it sends was refused as often as it is sent at most: then the failure policy decides. */
    boolean isSentInVain() {
        return refusals >= AttemptSettlement.DELIVERY_ATTEMPTS;
    }

    void letterAcknowledged() {
        letterAcknowledged = true;
    }

    @Override
    public String toString() {
        return epoch + "@" + offset + " attempt " + number + (ended ? " ended" : " running");
    }
}
