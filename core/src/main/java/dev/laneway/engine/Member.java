package dev.laneway.engine;

import dev.laneway.Snapshot;
import dev.laneway.engine.handle.Scheduler;
import dev.laneway.engine.runtime.MemberLifecycle;
import dev.laneway.engine.runtime.OwnerThread;
import dev.laneway.engine.track.Assignment;
import dev.laneway.engine.track.Inbox;

/** One member of a group, as its handle sees it. Thread-safe. */
public record Member(MemberEngine engine, OwnerThread owner) {
    public Member(MemberEngine engine) {
        this(engine, new OwnerThread(engine, engine.core().name()));
    }

    MemberCore core() {
        return engine.core();
    }

    MemberLifecycle lifecycle() {
        return core().lifecycle();
    }

    Inbox inbox() {
        return core().inbox();
    }

    Assignment assignment() {
        return core().assignment();
    }

    Scheduler scheduler() {
        return core().scheduler();
    }

    /** The rebalance listener, while it runs. */
    ListenerCall listenerCall() {
        return engine.listenerCall();
    }

    /** Everything, without waiting for the owner. */
    Snapshot snapshot() {
        return engine.turns().snapshot();
    }

    /** Nanoseconds since the owner's latest turn. */
    long sinceTurnNanos() {
        return engine.turns().sinceTurnNanos();
    }

    /**
     * Refuses what can only be done to partitions that are a member's own.
     *
     * @throws IllegalStateException when its group shares partitions record by record
     */
    void requireOwnPartitions(String call) {
        if (!engine.ownsPartitions()) {
            throw new IllegalStateException(call
                    + " needs partitions of one's own, and a share group hands out records: use pause() and resume()"
                    + " for all of them, or a consumer group");
        }
    }
}
