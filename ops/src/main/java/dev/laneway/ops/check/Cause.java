package dev.laneway.ops.check;

import dev.laneway.Health;

/**
 * What can break or limit a group, in the order in which it is asked: what breaks it first, then what more instances
 * would not help against, then what they would.
 */
public enum Cause {
    /** No broker answers, or the group cannot be read. */
    BROKER_AWAY(Kind.BREAKS, Health.Cause.BROKER_AWAY),
    /** A Laneway has ended with a failure. */
    MEMBER_FAILED(Kind.BREAKS, Health.Cause.MEMBER_FAILED),
    /** A Laneway has ended. */
    MEMBER_CLOSED(Kind.BREAKS, Health.Cause.MEMBER_CLOSED),
    /** A topic that is read or written does not exist. */
    TOPIC_MISSING(Kind.BREAKS, Health.Cause.TOPIC_MISSING),
    /** No broker leads a partition. */
    NO_LEADER(Kind.BREAKS, Health.Cause.NO_LEADER),
    /** It is not known where partitions start. */
    NO_START(Kind.BREAKS, Health.Cause.NO_START),
    /** Brokers refuse polls, commits or acknowledgements. */
    CALLS_FAIL(Kind.BREAKS, Health.Cause.CALLS_FAIL),
    /** A static member has gone, and nobody takes its partitions until its session ends. */
    STATIC_MEMBER_GONE(Kind.BREAKS, "a static member is gone and keeps its partitions"),
    /** Records wait, and the group has no member. */
    NO_MEMBERS(Kind.BREAKS, "records wait and no member is there"),
    /** A member took longer between two polls than it may, and was put out of the group. */
    POLL_INTERVAL_EXCEEDED(Kind.BREAKS, "a member polls more rarely than max.poll.interval.ms"),
    /** Heartbeats come too late. */
    SESSION_TIMEOUT(Kind.BREAKS, "members miss their session timeout"),
    /** The group rebalances again and again. */
    REBALANCE_STORM(Kind.BREAKS, "the group rebalances again and again"),
    /** A rebalance waits for handlers. */
    HANDOVER(Kind.BREAKS, Health.Cause.HANDOVER),
    /** Stream threads have died. */
    DEAD_THREADS(Kind.BREAKS, "stream threads have died"),
    /** State is being restored. */
    RESTORING(Kind.BREAKS, "state is being restored"),
    /** Records are deleted before they are read. */
    RETENTION_OVERTAKES(Kind.BREAKS, Health.Cause.RETENTION_OVERTAKES),
    /** The broker gives records of a share group up. */
    GIVEN_UP(Kind.BREAKS, Health.Cause.GIVEN_UP),
    /** A deserialiser fails. */
    UNREADABLE(Kind.BREAKS, Health.Cause.UNREADABLE),
    /** No attempt succeeds. */
    ATTEMPTS_FAIL(Kind.BREAKS, Health.Cause.ATTEMPTS_FAIL),
    /** The user has paused a Laneway, or a member polls and is given none of the records that wait. */
    PAUSED(Kind.BREAKS, Health.Cause.PAUSED),
    /** One record comes up again and again. */
    POISON_RECORD(Kind.BREAKS, "one record fails again and again"),
    /** One key holds up its partition. */
    STUCK_KEY(Kind.BREAKS, Health.Cause.STUCK_KEY),
    /** Records behind a busy key are not read again. */
    REREADING_FAILS(Kind.BREAKS, Health.Cause.REREADING_FAILS),
    /** The stream of a partition was cancelled. */
    UNREAD(Kind.BREAKS, Health.Cause.UNREAD),
    /** A member holds its partitions and makes no progress. */
    STUCK_MEMBER(Kind.BREAKS, Health.Cause.STUCK_MEMBER),

    /** The brokers hold the client back by a quota. */
    THROTTLED(Kind.LIMITS, "the brokers throttle the client"),
    /** Sends wait for acknowledgements. */
    SLOW_ACKS(Kind.LIMITS, "the producer waits for acknowledgements"),
    /** Other work with Kafka takes most of the time: commits, transactions, fetches. */
    KAFKA_BOUND(Kind.LIMITS, "threads wait for Kafka most of the time"),
    /** Handlers wait for another service. */
    EXTERNAL_CALL(Kind.LIMITS, "threads wait for another service"),
    /** The heap is too small for what lives in it. */
    SMALL_HEAP(Kind.LIMITS, "the heap is too small"),
    /** The garbage collector takes too much of the time. */
    GC(Kind.LIMITS, "garbage collection takes too much time"),
    /** State is read from the disk. */
    READ_MEMORY(Kind.LIMITS, "state is read from disk: caches are too small"),
    /** State is written too often, in pieces that are too small. */
    WRITE_MEMORY(Kind.LIMITS, "state is written too often: write buffers are too small"),
    /** The disk does no more. */
    DISK(Kind.LIMITS, "the disk is at its limit"),
    /** One key has more than its share of the records. */
    HOT_KEY(Kind.LIMITS, "one key has more records than one thread can take"),
    /** One partition has more than its share of the records. */
    SKEW(Kind.LIMITS, "a few partitions have most of the records"),
    /** One member has most of the partitions. */
    UNEVEN_ASSIGNMENT(Kind.LIMITS, "one member has most of the partitions"),
    /** There are fewer partitions than members. */
    TOO_FEW_PARTITIONS(Kind.LIMITS, "there are too few partitions"),
    /** What waits fills a Laneway's budgets. */
    BUFFER_FULL(Kind.LIMITS, Health.Cause.BUFFER_FULL),
    /** There are fewer threads, or workers of a Laneway, than the machine could feed. */
    TOO_FEW_THREADS(Kind.LIMITS, Health.Cause.TOO_FEW_THREADS),
    /** The processors are busy. */
    CPU(Kind.LIMITS, "the processors are busy"),

    /** Nothing limits it, and fewer instances would do. */
    OVER_PROVISIONED(Kind.WASTES, "there is more capacity than the load needs"),
    /** State would be lost with the machine's temporary files. */
    STATE_IN_TMP(Kind.RISKS, "state lies in a temporary directory"),
    /** A restart may not find a record that is held. */
    RESTART_AT_RISK(Kind.RISKS, Health.Cause.RESTART_AT_RISK),
    /** Records behind a busy key are read again. */
    REREADING(Kind.RISKS, Health.Cause.REREADING),
    /** The cluster's transactions are not fit for exactly-once. */
    UNSAFE_TRANSACTIONS(Kind.RISKS, Health.Cause.UNSAFE_TRANSACTIONS),
    /** The one offset left is a marker of a transaction: nothing waits. */
    TRANSACTION_MARKER(Kind.RISKS, "the lag of 1 is a transaction's marker");

    /** What a cause does. */
    public enum Kind {
        /** Records do not flow. */
        BREAKS,
        /** Records flow more slowly than they come. */
        LIMITS,
        /** Records flow, for more money than is needed. */
        WASTES,
        /** Records flow. */
        RISKS
    }

    private final Kind kind;
    private final String words;

    Cause(Kind kind, String words) {
        this.kind = kind;
        this.words = words;
    }

    /** What a member knows of itself: in the words of its health. */
    Cause(Kind kind, Health.Cause told) {
        this(kind, told.words());
    }

    /** What it does. */
    public Kind kind() {
        return kind;
    }

    /** It in a few words. */
    public String words() {
        return words;
    }
}
