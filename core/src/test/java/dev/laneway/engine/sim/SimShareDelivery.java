package dev.laneway.engine.sim;

import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * One delivery of a record to one member, as its handlers live it, and what may follow by the options: the truth that
 * the engine is compared with. Where the attempt limit and the handler's end are close, either may have come first.
 */
final class SimShareDelivery {
    final SimShareProcess owner;
    final TopicPartition id;
    final long offset;
    /** How often the broker had delivered the record by then, this time included. */
    final int number;

    final long polledNanos;
    private final SimPlan plan;
    /** How often a handler was called. */
    int attempts;

    private boolean running;
    /** Whether the handler has returned a stage: then the attempt limit ends the attempt without it. */
    private boolean pending;

    private long beganNanos;
    private long endedNanos;
    private boolean mayBeAccepted;
    private boolean mayBeRejected;
    private boolean mayBeRetried;
    private boolean stops;
    private boolean doubtful;
    private long leastDelayNanos;
    private boolean letterSent;
    /** What was acknowledged for good; null as long as nothing was. */
    @Nullable
    AcknowledgeType said;

    /** Whether the client told that what was said of it was refused: its lock runs out. */
    boolean isRefused;
    /** Since when its lock is being renewed; -1 when it is not. */
    long renewingNanos = -1;
    /**
     * Whether the engine may take it for another delivery: a renewal that had no answer in time was answered after all.
     */
    boolean isUnsure;
    /** When the client told that the lock is lost; -1 as long as it did not. */
    long lostNanos = -1;

    SimShareDelivery(
            SimShareProcess owner, TopicPartition id, long offset, int number, SimPlan plan, long polledNanos) {
        this.owner = owner;
        this.id = id;
        this.offset = offset;
        this.number = number;
        this.plan = plan;
        this.polledNanos = polledNanos;
    }

    /** Whether the broker delivers the record no more. */
    boolean isLast() {
        return number >= SimShareGroup.MOST_DELIVERIES;
    }

    /** Null when a handler may be called with it. */
    @Nullable
    String whyNotBegin(long now, boolean hastened) {
        settle(now);
        if (said != null) {
            return "B91 after it was acknowledged: " + said;
        }
        if (lostNanos >= 0 && now > lostNanos) {
            return "B91 although its lock was lost";
        }
        if (isUnsure) {
            return null;
        }
        if (running) {
            return "B18 while another attempt at it runs";
        }
        if (attempts > 0 && !mayBeRetried) {
            return "B42 although it has come to its end";
        }
        return attempts > 0 && now < endedNanos + leastDelayNanos && !hastened ? "B43 before its time" : null;
    }

    void begins(long now) {
        attempts++;
        running = true;
        pending = false;
        beganNanos = now;
        mayBeAccepted = false;
        mayBeRejected = false;
        mayBeRetried = false;
        doubtful = false;
    }

    void pends() {
        pending = true;
    }

    /** The handler has ended, or its stage. */
    void ends(int attempt, SimEnd end, long now) {
        if (attempt != attempts) {
            return; // The limit ended it long ago, and another one has begun.
        }
        boolean wasRunning = running;
        settle(now);
        if (running) {
            endedNanos = now;
            running = false;
        }
        if (wasRunning || doubtful) {
            follow(end);
            if (isOverLimit(now)) {
                doubtful = true;
                follow(SimEnd.FAILED);
            }
        }
    }

    private void follow(SimEnd end) {
        switch (end.kind()) {
            case DONE, SKIP -> mayBeAccepted = true;
            case RETRY -> retried(end.delayNanos());
            case DEAD_LETTER -> {} // By its letter.
            case STOP -> stops = true;
            case HOPELESS -> mayBeRejected = true;
            case FAILED -> {
                if (attempts < plan.maxAttempts) {
                    retried(plan.leastBackoffNanos);
                } else {
                    mayBeRejected |= plan.last == SimPlan.Last.SKIP;
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
    private void settle(long now) {
        if (running && pending && isOverLimit(now)) {
            running = false;
            doubtful = true;
            endedNanos = beganNanos + plan.attemptLimitNanos;
            follow(SimEnd.FAILED);
        }
    }

    private boolean isOverLimit(long now) {
        return plan.attemptLimitNanos > 0 && now - beganNanos >= plan.attemptLimitNanos;
    }

    boolean isRunning(long now) {
        settle(now);
        return running;
    }

    boolean stops(long now) {
        settle(now);
        return stops;
    }

    /** Its dead letter was taken. */
    void lettered() {
        letterSent = true;
    }

    /** Whether another attempt is to follow, no earlier than that. */
    boolean isRetriedAfter(long nanos, long now) {
        settle(now);
        // The back-off of a failure has jitter, both ways.
        return mayBeRetried && endedNanos + leastDelayNanos * 15 / 10 >= nanos;
    }

    boolean mayBeDone(long now) {
        settle(now);
        return mayBeAccepted || mayBeRejected || letterSent;
    }

    /** Whether it is done beyond any doubt, and the engine knows. */
    boolean isDone(long now) {
        return mayBeDone(now) && !isUnsure && !running && !doubtful && !pending && !mayBeRetried && !letterSent;
    }

    /** Null when it may be said. */
    @Nullable
    String whyNotSay(AcknowledgeType type, long now) {
        settle(now);
        if (said != null) {
            return "B91 again, after " + said;
        }
        if (lostNanos >= 0) {
            return "B91 although its lock was lost";
        }
        if (renewingNanos >= 0) {
            return "B91 while its lock is being renewed";
        }
        return switch (type) {
            case ACCEPT -> mayBeAccepted || letterSent ? null : "B91 before it is done";
            case REJECT -> mayBeRejected ? null : "B91 although it was not given up";
            case RELEASE -> isDone(now) ? "B100 although it is done" : null;
            case RENEW -> null;
        };
    }

    @Override
    public String toString() {
        return owner + " has " + id + "@" + offset + " for the " + number + ". time, attempt " + attempts
                + (running ? " running" : "") + (said == null ? "" : " " + said)
                + (renewingNanos >= 0 ? " renewing" : "")
                + (lostNanos >= 0 ? " lost" : "");
    }
}
