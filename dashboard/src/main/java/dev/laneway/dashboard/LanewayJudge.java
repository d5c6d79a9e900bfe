package dev.laneway.dashboard;

import dev.laneway.Health;
import dev.laneway.PartitionSnapshot;
import dev.laneway.PauseReason;
import dev.laneway.Snapshot;
import dev.laneway.State;
import dev.laneway.dashboard.Frame.Hold;
import dev.laneway.ops.check.Cause;
import dev.laneway.ops.check.CheckResult.Outcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The verdict on a consumer of this process, by what it tells of itself. Pure functions. First what breaks it; then, if
 * more comes than is done, what limits it. Causes are those of {@code laneway check}, which sees other things: there
 * brokers and JVMs, here workers, lanes and budgets.
 */
final class LanewayJudge {
    /** A record is stuck if it takes this many times as long as others do, and at least the seconds. */
    private static final double STUCK_TIMES = 20;

    private static final double STUCK_SECONDS = 1.5;
    /** Where no other record ends, all may be as slow: then so long. */
    private static final double ALONE_SECONDS = 10;

    private static final double STILL_SECONDS = 8;
    private static final int STORM = 3;
    private static final double FULL = 0.9;
    private static final double MOSTLY = 0.5;
    private static final double SLOWER = 2;
    private static final double CPU_FULL = 0.8;
    private static final double GROWS = 0.05;

    private LanewayJudge() {}

    /** What holds a partition back. */
    record Held(Hold hold, String why) {}

    static Verdict judge(Signs signs) {
        Snapshot snapshot = signs.snapshot();
        if (snapshot.state().isTerminal()) {
            return ended(signs);
        }
        if (signs.rebalances() >= STORM) {
            return Verdict.of(
                    Cause.REBALANCE_STORM,
                    "This member took part in " + signs.rebalances() + " rebalances within a minute.",
                    "Find members that come and go: look at their logs for restarts, and for handlers that exceed"
                            + " limits; a rolling start ends by itself.",
                    List.of("counters.rebalances grew by " + signs.rebalances() + " in 60 s"),
                    null);
        }
        Optional<PartitionSnapshot> stuck = snapshot.partitions().stream()
                .filter(one -> isStuck(one, signs))
                .max(Comparator.comparingDouble(Signs::unfinished));
        if (stuck.isPresent()) {
            return stuck(stuck.get(), signs);
        }
        if (signs.health().status() == Health.Status.DOWN) {
            return Verdict.of(Outcome.BROKEN, "Broken: " + first(signs.health().reasons()) + ".", "", "health is DOWN");
        }
        if (signs.failed() > 0 && signs.done() == 0) {
            return Verdict.of(
                    Cause.POISON_RECORD,
                    "Every attempt of the last " + seconds(signs.seconds()) + " failed, " + signs.failed() + " in all.",
                    "Mend the handler or what it calls; the log names the latest failure.",
                    reasons(signs),
                    null);
        }
        return progress(signs);
    }

    private static Verdict ended(Signs signs) {
        return signs.snapshot().state() == State.FAILED
                ? Verdict.of(
                        Outcome.BROKEN,
                        "Broken: " + first(signs.health().reasons()) + ".",
                        "Mend the cause and start it again.",
                        "state is FAILED")
                : Verdict.of(Outcome.UNKNOWN, "The consumer is closed.", "", "state is CLOSED");
    }

    private static Verdict stuck(PartitionSnapshot one, Signs signs) {
        long offset = one.oldestOffset().orElse(-1);
        double age = Signs.unfinished(one);
        Double usual = signs.attemptSeconds();
        boolean fails = signs.failed() > 0;
        List<String> evidence = new ArrayList<>();
        evidence.add(one.partition() + " offset " + offset + " is unfinished for " + seconds(age));
        evidence.add(usual == null ? "no other record ended" : "others take " + seconds(usual) + " on average");
        if (one.spilledKeys() > 0) {
            evidence.add(one.spilledRecords() + " records of " + one.spilledKeys() + " busy keys wait in the log");
        }
        evidence.addAll(reasons(signs));
        return Verdict.of(
                fails ? Cause.POISON_RECORD : Cause.STUCK_KEY,
                "Record " + one.partition() + "@" + offset + " is unfinished for " + seconds(age)
                        + (fails
                                ? ", and " + signs.failed() + " attempts failed in " + seconds(signs.seconds()) + "."
                                : "; records of other keys go on."),
                fails
                        ? "Mend the handler or what it calls, or give the record up: retry(n).thenDeadLetter."
                        : "Look at what its handler waits for; attemptLimit ends such attempts.",
                evidence,
                one.partition().toString());
    }

    private static Verdict progress(Signs signs) {
        Snapshot snapshot = signs.snapshot();
        List<PartitionSnapshot> all = snapshot.partitions();
        if (!all.isEmpty() && all.stream().allMatch(PartitionSnapshot::pausedByUser)) {
            return Verdict.of(
                    Outcome.LIMITED, "Limited: a user has paused it.", "Resume it.", "all partitions are paused");
        }
        if (isStill(signs)) {
            return Verdict.of(
                    Cause.STUCK_MEMBER,
                    "No record was done for " + seconds(signs.seconds()) + " while " + count((double) waiting(signs))
                            + " wait, and no handler runs.",
                    "Look at the log and at the brokers; if they are well, take a thread dump and restart it.",
                    reasons(signs),
                    mostLag(snapshot));
        }
        if (isGrowing(signs)) {
            return limited(signs);
        }
        if (signs.health().status() == Health.Status.DEGRADED) {
            return Verdict.of(
                    Outcome.LIMITED,
                    "Limited: " + first(signs.health().reasons()) + ".",
                    "",
                    "health is DEGRADED, and the lag does not grow");
        }
        if (signs.slopes() == null) {
            return Verdict.of(
                    Outcome.UNKNOWN,
                    all.isEmpty()
                            ? "It has no partition yet."
                            : "Whether it keeps up cannot be told yet: its lag is watched for a few seconds first.",
                    "");
        }
        long lag = waiting(signs);
        return Verdict.of(
                Outcome.HEALTHY,
                lag > 0 && signs.slopes().median() < 0
                        ? "Healthy: it catches up, " + count(signs.doneRate()) + " records are done a second."
                        : "Healthy: it keeps up with " + count(signs.appended()) + " records a second.",
                "",
                reasons(signs).toArray(String[]::new));
    }

    /** Records of the lag, as far as that is known. */
    private static long waiting(Signs signs) {
        Long lag = signs.lag();
        return lag == null ? 0 : lag;
    }

    /** Nothing happens, though nothing tells it to wait. */
    private static boolean isStill(Signs signs) {
        Snapshot snapshot = signs.snapshot();
        return signs.seconds() >= STILL_SECONDS
                && signs.done() == 0
                && snapshot.runningWorkers() == 0
                && waiting(signs) > 0
                && snapshot.partitions().stream()
                        .noneMatch(one -> one.delayed() > 0
                                || one.pauseReason().orElse(null) == PauseReason.DELAYED
                                || one.pausedByUser());
    }

    private static boolean isGrowing(Signs signs) {
        Clearing.Slopes slopes = signs.slopes();
        return slopes != null && slopes.low() > 0 && slopes.median() > Math.max(1, GROWS * signs.appended());
    }

    private static Verdict limited(Signs signs) {
        Snapshot snapshot = signs.snapshot();
        String blame = mostLag(snapshot);
        double busy = signs.busy() == null ? 0 : signs.busy();
        Clearing.Slopes slopes = signs.slopes();
        String grows = "The lag grows by " + count(slopes == null ? 0 : slopes.median()) + " records a second";
        List<String> evidence = new ArrayList<>();
        evidence.add(grows + ": " + count(signs.appended()) + " come, " + count(signs.doneRate()) + " are done");
        int workers = snapshot.utilisation().workers();
        evidence.add("workers are busy for " + percent(busy) + " of " + workers);
        if (busy >= FULL) {
            return workersBusy(signs, grows, evidence);
        }
        long lanes = snapshot.partitions().stream()
                .mapToLong(PartitionSnapshot::lanes)
                .sum();
        boolean isFull = snapshot.partitions().stream()
                .flatMap(one -> one.pauseReason().stream())
                .anyMatch(LanewayJudge::isRoom);
        if (snapshot.held() > 2L * Math.max(1, snapshot.runningWorkers()) || isFull) {
            evidence.add(lanes + " keys or partitions are busy, and " + snapshot.held() + " records are held");
            return Verdict.of(
                    Cause.HOT_KEY,
                    grows + ", while workers are idle: records wait behind " + lanes
                            + (lanes == 1 ? " busy key." : " busy keys."),
                    "Give hot keys' records a finer lane key, if their order allows; or make the handler faster. More"
                            + " workers do not help.",
                    evidence,
                    blame);
        }
        if (snapshot.partitions().stream().anyMatch(PartitionSnapshot::pausedByUser)) {
            return Verdict.of(Outcome.LIMITED, "Limited: a user has paused partitions.", "Resume them.", grows);
        }
        evidence.add(snapshot.held() + " records are held");
        return Verdict.of(
                Cause.KAFKA_BOUND,
                grows + ", while workers wait for records.",
                "Look at the brokers and the network, and at fetch.min.bytes and fetch.max.wait.ms.",
                evidence,
                blame);
    }

    private static Verdict workersBusy(Signs signs, String grows, List<String> evidence) {
        int workers = signs.snapshot().utilisation().workers();
        double waiting = signs.waiting() == null ? 0 : signs.waiting();
        Double each = signs.attemptSeconds();
        String time = each == null ? "not known" : seconds(each);
        evidence.add("a record takes " + time + ", of which handlers wait " + percent(waiting));
        Double usual = signs.usualSeconds();
        if (waiting >= MOSTLY && each != null && usual != null && each >= SLOWER * usual) {
            evidence.add("it took " + seconds(usual) + " before");
            return Verdict.of(
                    Cause.EXTERNAL_CALL,
                    grows + ": what the handlers call has become slower, " + time + " instead of " + seconds(usual)
                            + ".",
                    "Look at the service that the handlers call. More workers send it more at once.",
                    evidence,
                    null);
        }
        if (waiting < MOSTLY && signs.cpu() >= CPU_FULL) {
            evidence.add("this process uses " + percent(signs.cpu()) + " of all processors");
            return Verdict.of(
                    Cause.CPU,
                    grows + ", and handlers compute.",
                    "Start more instances, or make the handler cheaper.",
                    evidence,
                    null);
        }
        String enough = each == null ? "" : " to " + (int) Math.ceil(1.2 * signs.appended() * each);
        return Verdict.of(
                Cause.TOO_FEW_THREADS,
                grows + ", all " + workers + " workers are busy, and each record takes " + time + ".",
                "Raise concurrency from " + workers + enough + ", if what the handlers call can take that.",
                evidence,
                null);
    }

    static Held held(PartitionSnapshot one, Signs signs) {
        if (one.pausedByUser()) {
            return new Held(Hold.PAUSED, "pause() was called");
        }
        if (isStuck(one, signs)) {
            return new Held(
                    Hold.STUCK,
                    "offset " + one.oldestOffset().orElse(-1) + " is unfinished for " + seconds(Signs.unfinished(one)));
        }
        long waits = one.lag().orElse(0);
        if (waits == 0) {
            return new Held(Hold.NOTHING, "");
        }
        PauseReason reason = one.pauseReason().orElse(null);
        if (reason == PauseReason.DELAYED) {
            return new Held(Hold.TIME, one.delayed() + " lanes wait for the time of their record");
        }
        double busy = signs.busy() == null ? 0 : signs.busy();
        if (busy >= FULL) {
            return new Held(Hold.WORKERS, "all workers are busy");
        }
        boolean behindKeys = one.spilledKeys() > 0 || one.held() > 2L * Math.max(1, one.lanes());
        if (behindKeys && one.lanes() > 0) {
            String spilled = one.spilledKeys() == 0 ? "" : ", " + one.spilledRecords() + " of them in the log";
            return new Held(
                    Hold.KEYS,
                    one.held() + " records wait behind " + one.lanes() + (one.lanes() == 1 ? " busy key" : " busy keys")
                            + spilled);
        }
        if (reason != null && isRoom(reason)) {
            return new Held(Hold.ROOM, reason.name());
        }
        return one.held() == 0 ? new Held(Hold.FETCH, "nothing is held") : new Held(Hold.NOTHING, "");
    }

    private static boolean isRoom(PauseReason reason) {
        return switch (reason) {
            case SHARE_FULL, RECORDS_FULL, BYTES_FULL, METADATA_FULL -> true;
            case USER, ENDING, CANCELLED, UNREAD, DELAYED, AT_END -> false;
        };
    }

    private static boolean isStuck(PartitionSnapshot one, Signs signs) {
        if (one.pausedByUser() || one.oldestOffset().isEmpty()) {
            return false;
        }
        return Signs.unfinished(one) > stuckLimit(signs);
    }

    private static double stuckLimit(Signs signs) {
        Double each = signs.attemptSeconds();
        return signs.done() == 0 || each == null ? ALONE_SECONDS : Math.max(STUCK_SECONDS, STUCK_TIMES * each);
    }

    /** When the next record will be stuck unless it ends before; infinity if none is under way. */
    static double secondsUntilStuck(Signs signs) {
        double limit = stuckLimit(signs);
        return signs.snapshot().partitions().stream()
                .filter(one -> one.oldestOffset().isPresent() && !isStuck(one, signs))
                .mapToDouble(one -> limit - Signs.unfinished(one))
                .min()
                .orElse(Double.POSITIVE_INFINITY);
    }

    private static @Nullable String mostLag(Snapshot snapshot) {
        return snapshot.partitions().stream()
                .filter(one -> one.lag().orElse(0) > 0)
                .max(Comparator.comparingLong(one -> one.lag().orElse(0)))
                .map(one -> one.partition().toString())
                .orElse(null);
    }

    private static List<String> reasons(Signs signs) {
        return Stream.concat(
                        signs.failed() == 0
                                ? Stream.empty()
                                : Stream.of(signs.failed() + " attempts failed in " + seconds(signs.seconds())),
                        signs.health().reasons().stream())
                .toList();
    }

    private static String first(List<String> reasons) {
        return reasons.isEmpty() ? "it tells no reason" : reasons.getFirst();
    }

    static String seconds(double seconds) {
        if (seconds < 0.9995) {
            return String.format(Locale.ROOT, seconds < 0.01 ? "%.1f ms" : "%.0f ms", seconds * 1e3);
        }
        return seconds < 10
                ? String.format(Locale.ROOT, "%.1f s", seconds)
                : Math.round(seconds) < 600 ? Math.round(seconds) + " s" : Math.round(seconds / 60) + " min";
    }

    private static String count(double value) {
        return String.format(Locale.ROOT, value < 10 ? "%.1f" : "%,.0f", value);
    }

    private static String percent(double share) {
        return Math.round(100 * share) + " %";
    }
}
