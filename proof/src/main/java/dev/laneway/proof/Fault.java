package dev.laneway.proof;

import java.util.Locale;

/**
 * A fault that was made. Immutable.
 *
 * @param fromMicros when it began, since the epoch
 * @param toMicros when its cause was gone; {@link Long#MAX_VALUE} while it lasts
 * @param target the number of the member or broker that it hit; 0 for what hits all
 */
record Fault(Kind kind, int target, long fromMicros, long toMicros) {
    /** The kinds of faults. */
    enum Kind {
        /** kill -9 of a member. */
        KILL_MEMBER("kill -9 of a member"),
        /** SIGTERM to a member. */
        STOP_MEMBER("SIGTERM to a member"),
        /** SIGSTOP to a member, and SIGCONT after its session has ended. */
        FREEZE_MEMBER("SIGSTOP of a member beyond its session"),
        /** kill -9 of a broker. */
        KILL_BROKER("kill -9 of a broker"),
        /** The orderly end of a broker. */
        STOP_BROKER("orderly end of a broker"),
        /** The network between a member and all brokers is disturbed. */
        CUT_MEMBER("network of a member"),
        /** The network between a broker and all members is disturbed. */
        CUT_BROKER("network of a broker"),
        /** Leadership of partitions moves to other brokers, coordinators of groups among them. */
        MOVE_LEADERS("moves of leaders"),
        /** The second topic is deleted under load, and created again. */
        DELETE_TOPIC("deletions of the second topic"),
        /** The file system of a broker's data is full. */
        FILL_DISK("full disks of a broker");

        private final String words;

        Kind(String words) {
            this.words = words;
        }

        /** For people. */
        String words() {
            return words;
        }

        boolean hitsBroker() {
            return this == KILL_BROKER || this == STOP_BROKER || this == CUT_BROKER || this == FILL_DISK;
        }

        /** Whether it is made only while all brokers are well. */
        boolean hitsBrokers() {
            return hitsBroker() || this == MOVE_LEADERS || this == DELETE_TOPIC;
        }

        /** Whether it needs a prepared machine, and so is made only if it is named. */
        boolean isSpecial() {
            return this == FILL_DISK;
        }

        boolean isCut() {
            return this == CUT_MEMBER || this == CUT_BROKER;
        }

        /** Whether the group may throw a member out without the member noticing. */
        boolean isUnnoticed() {
            return isCut() || this == FREEZE_MEMBER;
        }

        /** As in reports: kill_member. */
        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Whether it keeps a member from reaching brokers that work. */
    boolean hinders(int member) {
        return kind.hitsBroker() || kind == Kind.MOVE_LEADERS || (kind.isUnnoticed() && target == member);
    }

    /** Whether it was in force at any time from one moment to another. */
    boolean overlaps(long from, long to) {
        return fromMicros <= to && from <= toMicros;
    }

    Fault until(long micros) {
        return new Fault(kind, target, fromMicros, micros);
    }
}
