package dev.laneway.dashboard;

import dev.laneway.ops.LagAge;
import dev.laneway.ops.check.CheckResult;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the page shows at one moment. Numbers that are not known are null, never 0. Immutable.
 *
 * @param state in one word, such as RUNNING or Stable
 * @param counters what happened since the start, by name; what grows is told on the timeline
 * @param partitions in the order of their names
 * @param members empty where one process shows itself
 * @param remarks sentences, such as the reasons of its health
 * @param details of single records; empty unless the consumer is watched for them
 */
record Frame(
        long atMillis,
        String state,
        Verdict verdict,
        Totals totals,
        Map<String, Long> counters,
        List<Row> partitions,
        List<Member> members,
        List<String> remarks,
        Details details) {
    Frame {
        counters = Collections.unmodifiableMap(new LinkedHashMap<>(counters)); // In this order they are shown.
        partitions = List.copyOf(partitions);
        members = List.copyOf(members);
        remarks = List.copyOf(remarks);
    }

    /** Nothing can be seen, and why. What was counted before is no news when it can be seen again. */
    static Frame unseen(long atMillis, Map<String, Long> counters, RuntimeException failed) {
        String message = failed.getMessage();
        String why = failed.getClass().getSimpleName() + (message == null ? "" : ": " + message);
        Verdict verdict = Verdict.of(
                CheckResult.Outcome.UNKNOWN,
                "It cannot be looked at (" + why + ").",
                "The log of the process that serves this page tells more.");
        return unseen(atMillis, verdict, counters, List.of());
    }

    static Frame unseen(long atMillis, Verdict verdict, Map<String, Long> counters, List<String> remarks) {
        return new Frame(
                atMillis, "not seen", verdict, Totals.UNSEEN, counters, List.of(), List.of(), remarks, Details.NONE);
    }

    /** What is known of single records. Immutable. */
    record Details(List<Latency> latencies, List<Unfinished> unfinished, List<BusyKey> keys, List<DeadLetter> letters) {
        static final Details NONE = new Details(List.of(), List.of(), List.of(), List.of());

        Details {
            latencies = List.copyOf(latencies);
            unfinished = List.copyOf(unfinished);
            keys = List.copyOf(keys);
            letters = List.copyOf(letters);
        }
    }

    /**
     * A key whose handler takes much of the time.
     *
     * @param key its hash, unless keys may be shown
     * @param id of its partition
     * @param records within the latest minute
     * @param busy the share of that time in which its handler ran, 0 to 1
     */
    record BusyKey(String key, String id, long records, double busy) {}

    /**
     * A record that was given up.
     *
     * @param id of the partition that it is from, as {@code offset}
     * @param topic where the letter is
     * @param headers names, and values where they may be shown; empty where they were not seen
     */
    record DeadLetter(long atMillis, String id, long offset, String topic, List<String> headers) {
        DeadLetter {
            headers = List.copyOf(headers);
        }
    }

    /**
     * How long something took within the latest minute, in seconds.
     *
     * @param count how many were looked at
     * @param half the median; {@code most} the longest
     */
    record Latency(String name, long count, double half, double p95, double p99, double most) {}

    /**
     * A record that is not done.
     *
     * @param id of its partition
     * @param error the class of its last failure; null if it has none
     * @param stack where its worker is; empty if that is not known, or not to be shown
     */
    record Unfinished(
            String id,
            long offset,
            double seconds,
            int attempts,
            @Nullable String error,
            List<String> stack) {
        Unfinished {
            stack = List.copyOf(stack);
        }
    }

    /**
     * All partitions together.
     *
     * @param done and {@code appended}: records a second
     * @param age how long the first waiting record has waited, of the partition where that is longest
     * @param clear seconds until nothing waits
     * @param running handlers at work, {@code limit} how many may be
     * @param busy share of the limit in use, 0 to 1; {@code waiting} the share of the work that waited for something
     */
    record Totals(
            @Nullable Double done,
            @Nullable Double appended,
            @Nullable Long lag,
            @Nullable LagAge age,
            @Nullable Clearing clear,
            @Nullable Integer running,
            @Nullable Integer limit,
            @Nullable Double busy,
            @Nullable Double waiting,
            @Nullable Long held,
            @Nullable Long heldLimit,
            @Nullable Long heldBytes,
            @Nullable Long bytesLimit) {
        private static final Totals UNSEEN =
                new Totals(null, null, null, null, null, null, null, null, null, null, null, null, null);
    }

    /**
     * One partition.
     *
     * @param id topic and number, as people write it
     * @param hold what holds it back
     * @param why the same in a sentence, with what is known; empty if nothing does
     * @param oldest the lowest record that was started and is not done, {@code oldestSeconds} for how long
     * @param queued records that were started or wait behind a busy key
     * @param spilled records that wait in the log behind one of {@code spilledKeys}
     */
    record Row(
            String id,
            @Nullable Long lag,
            @Nullable LagAge age,
            @Nullable Double done,
            @Nullable Double appended,
            Hold hold,
            String why,
            @Nullable Long committed,
            @Nullable Long oldest,
            @Nullable Double oldestSeconds,
            @Nullable Integer lanes,
            @Nullable Integer queued,
            @Nullable Long held,
            @Nullable Integer spilledKeys,
            @Nullable Long spilled,
            @Nullable String owner,
            boolean pausedByUser) {}

    /**
     * A member of the group.
     *
     * @param page what its own page says; null if members' pages are not asked
     */
    record Member(
            String client,
            String host,
            int partitions,
            @Nullable Long lag,
            @Nullable MemberPage page) {}

    /**
     * What a member's own page says of it. Texts are others' and may hold anything.
     *
     * @param outcome of its verdict, {@code sentence} the verdict itself
     * @param done records a second
     * @param running handlers at work, {@code limit} how many may be, {@code busy} their share, 0 to 1
     * @param why nothing is known; empty if all is
     */
    record MemberPage(
            @Nullable String state,
            @Nullable String outcome,
            @Nullable String sentence,
            @Nullable Double done,
            @Nullable Long lag,
            @Nullable Long running,
            @Nullable Long limit,
            @Nullable Double busy,
            String why) {
        static MemberPage unknown(String why) {
            return new MemberPage(null, null, null, null, null, null, null, null, why);
        }
    }

    /** What holds a partition back, from best to worst. */
    enum Hold {
        /** Nothing waits, or all goes well. */
        NOTHING(0, "nothing"),
        /** Too little is known. */
        UNKNOWN(1, "not known"),
        /** The time of its next record has not come. */
        TIME(2, "its time has not come"),
        /** Nothing is held: the next records are on their way from the broker. */
        FETCH(3, "waits for the broker"),
        /** All workers are busy. */
        WORKERS(4, "waits for a free worker"),
        /** Its records wait behind keys that are busy. */
        KEYS(5, "waits behind busy keys"),
        /** No more is fetched, since what is held fills the budget. */
        ROOM(6, "no room for more records"),
        /** A user has paused it. */
        PAUSED(7, "paused by a user"),
        /** More comes than is done. */
        GROWING(8, "more comes than is done"),
        /** Its committed offset was moved back. */
        REWIND(9, "its offset was moved back"),
        /** One record is unfinished for much longer than others. */
        STUCK(10, "a record is stuck"),
        /** Nothing was committed for a while. */
        STALL(11, "no progress"),
        /** No member has it. */
        STOP(12, "no member has it");

        private final int code;
        private final String words;

        Hold(int code, String words) {
            this.code = code;
            this.words = words;
        }

        /** What the page calls it: its place in the list of words. */
        int code() {
            return code;
        }

        String words() {
            return words;
        }
    }
}
