package dev.laneway;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * Whether the consumer does its work, and if not, why. Immutable.
 *
 * <p>docs/operations.md lists the reasons and shows how to wire probes.
 *
 * @param status the verdict
 * @param reasons one sentence each, the worst first, which begins with the words of its {@link Cause}; empty when all
 *     is well. Under {@code UP} they stop no record: they say what you should know, such as a cluster whose
 *     transactions are not fit for exactly-once
 * @param live false if only a restart of the process can help: the consumer has failed, or its owner thread has made no
 *     progress for longer than the stall limit. For a liveness probe
 * @param age how long ago the owner thread began its latest turn: positions and confirmed commits are that old
 */
public record Health(Status status, List<String> reasons, boolean live, Duration age) {
    /** The verdict. */
    public enum Status {
        /** Works, or waits for records. */
        UP,
        /** Some records wait or are slow, others flow or could; or the user has paused it. */
        DEGRADED,
        /**
         * No record can flow (failed, closed, no broker, no topic), or a record is unfinished for longer than the stall
         * limit.
         */
        DOWN
    }

    /**
     * What keeps records from flowing. Each reason begins with the words of its cause; {@code laneway check} names the
     * same causes in the same words.
     */
    public enum Cause {
        /** No broker answers. */
        BROKER_AWAY("no broker answers"),
        /** A consumer or a stream has ended with a failure. */
        MEMBER_FAILED("a member has failed"),
        /** A consumer or a stream has ended. */
        MEMBER_CLOSED("a member is closed"),
        /** The user has paused it. */
        PAUSED("paused by the user"),
        /** A topic that is read or written, or an assigned partition, does not exist. */
        TOPIC_MISSING("a topic does not exist"),
        /** No broker leads a partition. */
        NO_LEADER("a partition has no leader"),
        /** It is not known, or not committed, where partitions start. */
        NO_START("partitions cannot start"),
        /** Brokers refuse polls, commits or acknowledgements. */
        CALLS_FAIL("polls or commits fail"),
        /** A rebalance waits for handlers of partitions that are given up. */
        HANDOVER("a rebalance waits for handlers"),
        /** Records are deleted before they are read. */
        RETENTION_OVERTAKES("retention is about to delete records that are not read"),
        /** The broker gives records of a share group up. */
        GIVEN_UP("the broker gives records up"),
        /** The deserialiser fails. */
        UNREADABLE("records cannot be read"),
        /** No attempt succeeds. */
        ATTEMPTS_FAIL("every attempt fails"),
        /** A record is unfinished for long, and its key waits behind it. */
        STUCK_KEY("one key holds up what is behind it"),
        /** Records behind a busy key are not read again. */
        REREADING_FAILS("records that wait in the log cannot be read again"),
        /** The stream of a partition was cancelled. */
        UNREAD("nobody reads a partition"),
        /** The owner thread or a partition stands still. */
        STUCK_MEMBER("a member makes no progress"),
        /** What waits fills the budgets. */
        BUFFER_FULL("the buffer is too small"),
        /** Workers cannot be started. */
        TOO_FEW_THREADS("there are too few threads"),
        /** A restart may not find a record that is held. */
        RESTART_AT_RISK("a restart may not find what it has to read again"),
        /** Records behind a busy key are read again. */
        REREADING("records that wait in the log are read again"),
        /** The cluster's transactions are not fit for exactly-once. */
        UNSAFE_TRANSACTIONS("the cluster's transactions are not safe");

        private final String words;

        Cause(String words) {
            this.words = words;
        }

        /** It in a few words. */
        public String words() {
            return words;
        }

        /** A reason of this cause: its words, then the details, unless these begin with the words themselves. */
        public String reason(String details) {
            return isOf(details) ? details : words + ": " + details;
        }

        private boolean isOf(String reason) {
            return reason.startsWith(words);
        }
    }

    /** As of now, and live. */
    public Health(Status status, List<String> reasons) {
        this(status, reasons, true, Duration.ZERO);
    }

    /** Copies the list. */
    public Health {
        reasons = List.copyOf(reasons);
    }

    /** The causes of the reasons, the worst first, each once. */
    public List<Cause> causes() {
        return reasons.stream()
                .flatMap(reason -> Arrays.stream(Cause.values()).filter(cause -> cause.isOf(reason)))
                .distinct()
                .toList();
    }

    /** False if the status is {@link Status#DOWN}. For a readiness probe. */
    public boolean ready() {
        return status != Status.DOWN;
    }
}
