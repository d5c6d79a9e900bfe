package dev.laneway.ills;

import dev.laneway.ops.LagOptions;
import dev.laneway.ops.RecordProbe;
import dev.laneway.ops.check.Cause;
import dev.laneway.ops.check.CheckResult;
import dev.laneway.ops.check.GroupCheck;
import dev.laneway.ops.check.Thresholds;
import dev.laneway.ops.observe.AdminSource;
import dev.laneway.ops.observe.HostSource;
import dev.laneway.ops.observe.JmxSource;
import dev.laneway.ops.observe.KeySource;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Recording;
import dev.laneway.ops.observe.Sample;
import dev.laneway.ops.observe.Source;
import dev.laneway.ops.observe.Watch;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.IsolationLevel;
import org.jspecify.annotations.Nullable;

/**
 * An illness, and what the check makes of it. Immutable.
 *
 * @param strength how ill the group was
 */
record Trial(Illness illness, Strength strength, CheckResult result) {
    private static final Duration LIMIT = Duration.ofSeconds(4);
    private static final Duration INTERVAL = Duration.ofSeconds(2);
    /** A trend takes four looks, two more are to spare; where much else runs, a look takes longer than the interval. */
    private static final int LEAST_LOOKS = 6;

    private static final Duration MOST_LONGER = Duration.ofSeconds(60);

    /**
     * Stages an illness, and has it checked.
     *
     * @param record where what was seen is kept; null for nowhere
     */
    static Trial of(Illness illness, Strength strength, Duration time, @Nullable Path record)
            throws InterruptedException {
        try (Setting setting = illness.start(strength)) {
            return of(illness, strength, setting, time, record);
        }
    }

    /** Has an illness that was staged checked. */
    static Trial of(Illness illness, Strength strength, Setting setting, Duration time, @Nullable Path record)
            throws InterruptedException {
        return new Trial(illness, strength, GroupCheck.judge(watch(setting, time, record), Thresholds.USUAL));
    }

    /** Judges again what was recorded of an illness. */
    static Trial replayed(Illness illness, Strength strength, Path recording) {
        Observations seen = new Observations(Recording.read(recording).samples());
        return new Trial(illness, strength, GroupCheck.judge(seen, Thresholds.USUAL));
    }

    /** Where the recording of an illness lies in a directory. */
    static Path file(Path directory, Illness illness, Strength strength) {
        return directory.resolve(illness.name() + "-" + strength.name().toLowerCase(Locale.ROOT) + ".jsonl.gz");
    }

    private static Observations watch(Setting setting, Duration time, @Nullable Path record)
            throws InterruptedException {
        int millis = (int) LIMIT.toMillis();
        Map<String, Object> config = Map.of(
                "bootstrap.servers",
                setting.bootstrap(),
                "default.api.timeout.ms",
                millis,
                "request.timeout.ms",
                millis);
        Admin admin = Admin.create(config);
        try (Recording recording = record == null ? null : Recording.to(record)) {
            List<Source> sources = new ArrayList<>();
            AdminSource group = new AdminSource(
                    admin, setting.group(), new LagOptions(IsolationLevel.READ_UNCOMMITTED, LIMIT), RecordProbe.NONE);
            sources.add(group);
            sources.add(KeySource.of(group, config));
            for (long pid : setting.pids()) {
                sources.add(JmxSource.ofPid(pid));
                sources.add(HostSource.ofPid(pid));
            }
            Keepsake keepsake = new Keepsake(setting.directory());
            Consumer<Sample> listener = sample -> {
                if (recording != null) {
                    recording.add(keepsake.of(sample));
                }
            };
            try (Watch watch = new Watch(sources, LIMIT, listener)) {
                long begin = System.nanoTime();
                int looks = 0;
                do {
                    watch.round();
                    looks++;
                    Thread.sleep(INTERVAL);
                } while (!hasSeenEnough(looks, System.nanoTime() - begin, time.toNanos()));
                return watch.observations();
            }
        } finally {
            admin.close(Duration.ZERO); // Without a limit it can wait for ever for a broker that is silent.
        }
    }

    private static boolean hasSeenEnough(int looks, long nanos, long wanted) {
        return nanos >= (looks >= LEAST_LOOKS ? wanted : wanted + MOST_LONGER.toNanos());
    }

    /** Whether the verdict is the right one. */
    boolean isRight() {
        return strength == Strength.HEALTHY
                ? result.outcome() == CheckResult.Outcome.HEALTHY && result.cause() == null
                : result.cause() == illness.cause();
    }

    /** Whether a healthy group is called ill. */
    boolean isFalseAlarm() {
        return strength == Strength.HEALTHY
                && (result.outcome() == CheckResult.Outcome.BROKEN || result.outcome() == CheckResult.Outcome.LIMITED);
    }

    /** The verdict in a few words. */
    String verdict() {
        Cause cause = result.cause();
        return (result.outcome() + (cause == null ? "" : " " + cause))
                .toLowerCase(Locale.ROOT)
                .replace('_', '-');
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%-5s %-23s %-8s %s",
                isRight() ? "right" : isFalseAlarm() ? "ALARM" : "WRONG",
                illness.name(),
                strength.name().toLowerCase(Locale.ROOT),
                verdict());
    }
}
