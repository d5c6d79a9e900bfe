package dev.laneway.engine;

import dev.laneway.Snapshot;
import dev.laneway.engine.handle.Scheduler;
import dev.laneway.engine.runtime.ListenerCall;
import dev.laneway.engine.runtime.MemberLifecycle;
import dev.laneway.engine.runtime.ObserverCalls;
import dev.laneway.engine.runtime.OwnerThread;
import dev.laneway.engine.track.Assignment;
import dev.laneway.engine.track.Inbox;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

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

    /** The user's code that may keep the owner: the rebalance listener, and the observers if there are any. */
    List<ListenerCall> calls() {
        return Stream.concat(Stream.of(engine.listenerCall()), observers().map(ObserverCalls::call).stream())
                .toList();
    }

    /** Empty where nobody listens. */
    Optional<ObserverCalls> observers() {
        return Optional.ofNullable(core().counts().observers);
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
