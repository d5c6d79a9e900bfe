package dev.laneway;

import java.time.Duration;

/** When and how progress is written to the group. Immutable. */
public sealed interface CommitMode {
    /** The default: asynchronous, every second. */
    CommitMode DEFAULT = async(Duration.ofSeconds(1));

    /**
     * Commits at most once per interval without waiting for the answer; a commit that fails or is not answered is made
     * again. At-least-once.
     */
    static CommitMode async(Duration interval) {
        return new Async(interval);
    }

    /**
     * Commits at most once per interval and waits for the answer before the next poll. At-least-once; the owner thread
     * pauses, workers go on.
     */
    static CommitMode sync(Duration interval) {
        return new Sync(interval);
    }

    /**
     * Commits what a poll returned before any of it is processed: at-most-once. After a crash no record is seen twice,
     * and at most what was held is lost.
     */
    static CommitMode ahead() {
        return new Ahead();
    }

    /** See {@link CommitMode#async}. */
    record Async(Duration interval) implements CommitMode {
        /** Refuses an interval that is not positive. */
        public Async {
            Checks.positive("commit.interval", interval);
            Checks.notTooLong("commit.interval", interval);
        }
    }

    /** See {@link CommitMode#sync}. */
    record Sync(Duration interval) implements CommitMode {
        /** Refuses an interval that is not positive. */
        public Sync {
            Checks.positive("commit.interval", interval);
            Checks.notTooLong("commit.interval", interval);
        }
    }

    /** See {@link CommitMode#ahead}. */
    record Ahead() implements CommitMode {}
}
