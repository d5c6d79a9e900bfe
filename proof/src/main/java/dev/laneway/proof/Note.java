package dev.laneway.proof;

import java.util.Locale;

/**
 * The notes in a journal of a chaos run, one line each. Times are microseconds since the epoch; all processes run on
 * one machine and share a clock. Immutable.
 */
sealed interface Note {
    /** When it was noted. */
    long micros();

    /** The line in the journal. */
    String line();

    /**
     * The member has read where a partition starts.
     *
     * @param offset the committed offset; -1 when there is none
     * @param map its metadata
     */
    record Read(long micros, int partition, long offset, String map) implements Note {
        @Override
        public String line() {
            return "R " + micros + " " + partition + " " + offset + " " + map;
        }
    }

    /** The member owns a partition from now on. */
    record Assigned(long micros, int partition) implements Note {
        @Override
        public String line() {
            return "A " + micros + " " + partition;
        }
    }

    /** The member is asked to give a partition up. */
    record Revoking(long micros, int partition) implements Note {
        @Override
        public String line() {
            return "G " + micros + " " + partition;
        }
    }

    /** The member begins to close. */
    record Closing(long micros) implements Note {
        @Override
        public String line() {
            return "Q " + micros;
        }
    }

    /** The member has given a partition up, and committed it if it could. */
    record Revoked(long micros, int partition) implements Note {
        @Override
        public String line() {
            return "V " + micros + " " + partition;
        }
    }

    /** The member has learnt that a partition is no longer its own. */
    record Lost(long micros, int partition) implements Note {
        @Override
        public String line() {
            return "L " + micros + " " + partition;
        }
    }

    /**
     * A handler begins.
     *
     * @param attempt the handler's at this member; in a share group how often the broker has delivered the record
     */
    record Started(long micros, int partition, long offset, int attempt) implements Note {
        @Override
        public String line() {
            return "S " + micros + " " + partition + " " + offset + " " + attempt;
        }
    }

    /** A handler has ended. */
    record Ended(long micros, int partition, long offset, How how) implements Note {
        /** How a handler ends. */
        enum How {
            DONE,
            FAILED,
            INTERRUPTED
        }

        @Override
        public String line() {
            return "E " + micros + " " + partition + " " + offset + " "
                    + how.name().charAt(0);
        }
    }

    /**
     * A handler has ended well for a record of the topic that is deleted and created again.
     *
     * @param index the record's number in the load of that topic
     */
    record Passed(long micros, long index) implements Note {
        @Override
        public String line() {
            return "P " + micros + " " + index;
        }
    }

    /**
     * The broker has acknowledged the copy of a record.
     *
     * @param startedMicros the time of the attempt that made the copy: an earlier assignment in the same process may
     *     have handled the record before
     */
    record Copied(long micros, int partition, long offset, long startedMicros) implements Note {
        @Override
        public String line() {
            return "K " + micros + " " + partition + " " + offset + " " + startedMicros;
        }
    }

    /** The broker has confirmed that a record of a share group is done. */
    record Accepted(long micros, int partition, long offset) implements Note {
        @Override
        public String line() {
            return "Z " + micros + " " + partition + " " + offset;
        }
    }

    /** The broker has refused, or did not confirm, that a record of a share group is done. */
    record Refused(long micros, int partition, long offset) implements Note {
        @Override
        public String line() {
            return "X " + micros + " " + partition + " " + offset;
        }
    }

    /**
     * A commit is about to be sent; it has a note for each of its partitions.
     *
     * @param ticket counts the commits of the member
     */
    record Committing(long micros, long ticket, int partition, long offset, String map) implements Note {
        @Override
        public String line() {
            return "C " + micros + " " + ticket + " " + partition + " " + offset + " " + map;
        }
    }

    /**
     * A commit was answered.
     *
     * @param failure the name of what went wrong; empty when the broker has confirmed it
     */
    record Answered(long micros, long ticket, String failure) implements Note {
        @Override
        public String line() {
            return "Y " + micros + " " + ticket + " " + failure;
        }

        boolean isConfirmed() {
            return failure.isEmpty();
        }
    }

    /** Reads a line. */
    static Note of(String line) {
        String[] parts = line.split(" ", -1);
        long micros = Long.parseLong(parts[1]);
        return switch (parts[0]) {
            case "R" -> new Read(micros, Integer.parseInt(parts[2]), Long.parseLong(parts[3]), parts[4]);
            case "A" -> new Assigned(micros, Integer.parseInt(parts[2]));
            case "G" -> new Revoking(micros, Integer.parseInt(parts[2]));
            case "Q" -> new Closing(micros);
            case "V" -> new Revoked(micros, Integer.parseInt(parts[2]));
            case "L" -> new Lost(micros, Integer.parseInt(parts[2]));
            case "S" ->
                new Started(micros, Integer.parseInt(parts[2]), Long.parseLong(parts[3]), Integer.parseInt(parts[4]));
            case "E" -> new Ended(micros, Integer.parseInt(parts[2]), Long.parseLong(parts[3]), how(parts[4]));
            case "K" ->
                new Copied(micros, Integer.parseInt(parts[2]), Long.parseLong(parts[3]), Long.parseLong(parts[4]));
            case "Z" -> new Accepted(micros, Integer.parseInt(parts[2]), Long.parseLong(parts[3]));
            case "X" -> new Refused(micros, Integer.parseInt(parts[2]), Long.parseLong(parts[3]));
            case "P" -> new Passed(micros, Long.parseLong(parts[2]));
            case "C" ->
                new Committing(
                        micros,
                        Long.parseLong(parts[2]),
                        Integer.parseInt(parts[3]),
                        Long.parseLong(parts[4]),
                        parts[5]);
            case "Y" -> new Answered(micros, Long.parseLong(parts[2]), parts[3]);
            default -> throw new IllegalArgumentException(String.format(Locale.ROOT, "no note begins like: %s", line));
        };
    }

    private static Ended.How how(String letter) {
        for (Ended.How how : Ended.How.values()) {
            if (how.name().startsWith(letter)) {
                return how;
            }
        }
        throw new IllegalArgumentException("no end of a handler is called " + letter);
    }
}
