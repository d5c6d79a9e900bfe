package dev.laneway;

import java.time.Duration;

/** When and how progress is written to the group. Immutable. */
public sealed interface CommitMode {
    /** The default: asynchronous, every second. */
    CommitMode DEFAULT = async(Duration.ofSeconds(1));

    /**
     * Commits at most once per interval without waiting for the answer. A commit that fails or is not answered is made
     * again. At-least-once.
     */
    static CommitMode async(Duration interval) {
        return new Async(interval);
    }

    /**
     * Commits at most once per interval and waits for the answer before the next poll. Workers go on meanwhile.
     * At-least-once.
     */
    static CommitMode sync(Duration interval) {
        return new Sync(interval);
    }

    /**
     * Commits what a poll returned before any of it is processed: at-most-once. A crash repeats no record and loses at
     * most what was held.
     */
    static CommitMode ahead() {
        return new Ahead();
    }

    /**
     * Exactly-once: what handlers emit, dead letters, and the offsets of their records are written in one transaction,
     * every 100 ms, by one producer per member. Readers with {@code isolation.level=read_committed} see the outputs of
     * each input once, whatever crashes. Workers never wait for a transaction. What handlers do outside Kafka (a call,
     * a database) is at-least-once.
     *
     * @param transactionalId names the transactions of this process. It must differ between processes and should be the
     *     same after a restart. Members and producers append their numbers to it
     */
    static ExactlyOnce exactlyOnce(String transactionalId) {
        return new ExactlyOnce(transactionalId, Duration.ofMillis(100), 1);
    }

    /** Whether a crash repeats records that were done and not committed: at-least-once. */
    default boolean repeatsAfterCrash() {
        return this instanceof Async || this instanceof Sync;
    }

    /** See {@link CommitMode#async}. */
    record Async(Duration interval) implements CommitMode {
        /** Refuses an interval that is not positive. */
        public Async {
            Checks.positive("commit.interval", interval);
        }
    }

    /** See {@link CommitMode#sync}. */
    record Sync(Duration interval) implements CommitMode {
        /** Refuses an interval that is not positive. */
        public Sync {
            Checks.positive("commit.interval", interval);
        }
    }

    /** See {@link CommitMode#ahead}. */
    record Ahead() implements CommitMode {}

    /**
     * See {@link CommitMode#exactlyOnce}.
     *
     * @param transactionalId the prefix of the producers' {@code transactional.id}
     * @param interval the least time between two transactions of a producer; the latency that readers see
     * @param producers how many transactions each member writes at once, for different partitions; at least 1
     */
    record ExactlyOnce(String transactionalId, Duration interval, int producers) implements CommitMode {
        /** Refuses a blank id, an interval that is not positive and less than one producer. */
        public ExactlyOnce {
            Checks.given("commit.transactionalId", transactionalId);
            if (transactionalId.isBlank()) {
                throw new ConfigurationException(
                        "commit.transactionalId",
                        "blank",
                        "it names the transactions of this process",
                        "give each process a name of its own, such as the host's");
            }
            Checks.positive("commit.interval", interval);
            Checks.atLeast("commit.producers", producers, 1);
        }

        /** The same with another least time between two transactions. */
        public ExactlyOnce withInterval(Duration newInterval) {
            return new ExactlyOnce(transactionalId, newInterval, producers);
        }

        /** The same with more producers per member, if one transaction after another is not enough. */
        public ExactlyOnce withProducers(int newProducers) {
            return new ExactlyOnce(transactionalId, interval, newProducers);
        }
    }
}
