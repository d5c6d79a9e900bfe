package dev.laneway.engine;

import dev.laneway.Snapshot;
import java.util.ArrayList;
import java.util.List;

/** One member of a group, as its handle sees it. Thread-safe. */
interface Member {
    /** Of members that have none. */
    ListenerCall NO_LISTENER = new ListenerCall();

    String PAUSED = "paused by the user, so no further record starts: call resume()";

    MemberLifecycle lifecycle();

    Inbox inbox();

    Assignment assignment();

    Scheduler scheduler();

    StallDetector overseer();

    OwnerThread owner();

    /** Everything, without waiting for the owner. */
    Snapshot snapshot();

    /** Nanoseconds since the owner's last turn. */
    long sinceTurnNanos();

    /** What keeps records from flowing. */
    HealthConditions conditions();

    /** The rebalance listener, while it runs. */
    ListenerCall listenerCall();

    /** What does not work as it should although it goes on, in words. */
    List<String> troubles();

    /**
     * Refuses what can only be done to partitions that are a member's own.
     *
     * @throws IllegalStateException when its group shares partitions record by record
     */
    void ownsPartitions(String call);

    /** A member of a consumer group. */
    record OfConsumerGroup(Engine engine, MemberWiring parts, OwnerThread owner) implements Member {
        @Override
        public MemberLifecycle lifecycle() {
            return parts.lifecycle();
        }

        @Override
        public Inbox inbox() {
            return parts.inbox();
        }

        @Override
        public Assignment assignment() {
            return parts.assignment();
        }

        @Override
        public Scheduler scheduler() {
            return parts.scheduler();
        }

        @Override
        public StallDetector overseer() {
            return parts.overseer();
        }

        @Override
        public Snapshot snapshot() {
            return engine.snapshot();
        }

        @Override
        public long sinceTurnNanos() {
            return engine.sinceTurnNanos();
        }

        @Override
        public HealthConditions conditions() {
            return parts.conditions();
        }

        @Override
        public ListenerCall listenerCall() {
            return parts.listenerCall();
        }

        @Override
        public List<String> troubles() {
            List<String> troubles = new ArrayList<>();
            parts.commits().trouble().ifPresent(troubles::add);
            engine.trouble().ifPresent(troubles::add);
            if (engine.isPausedByUser()) {
                troubles.add(PAUSED);
            }
            return troubles;
        }

        @Override
        public void ownsPartitions(String call) {
            // They are.
        }
    }

    /** A member of a share group. */
    record OfShareGroup(ShareEngine engine, ShareWiring parts, OwnerThread owner) implements Member {
        @Override
        public MemberLifecycle lifecycle() {
            return parts.lifecycle();
        }

        @Override
        public Inbox inbox() {
            return parts.inbox();
        }

        @Override
        public Assignment assignment() {
            return parts.assignment();
        }

        @Override
        public Scheduler scheduler() {
            return parts.scheduler();
        }

        @Override
        public StallDetector overseer() {
            return parts.overseer();
        }

        @Override
        public Snapshot snapshot() {
            return engine.snapshot();
        }

        @Override
        public long sinceTurnNanos() {
            return engine.sinceTurnNanos();
        }

        @Override
        public HealthConditions conditions() {
            return parts.conditions();
        }

        @Override
        public ListenerCall listenerCall() {
            return NO_LISTENER;
        }

        @Override
        public List<String> troubles() {
            return engine.troubles();
        }

        @Override
        public void ownsPartitions(String call) {
            throw new IllegalStateException(call
                    + " needs partitions of one's own, and a share group hands out records: use pause() and resume()"
                    + " for all of them, or a consumer group");
        }
    }
}
