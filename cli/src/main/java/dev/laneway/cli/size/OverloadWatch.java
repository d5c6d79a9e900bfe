package dev.laneway.cli.size;

import dev.laneway.ops.LagOptions;
import dev.laneway.ops.RecordProbe;
import dev.laneway.ops.check.Cause;
import dev.laneway.ops.check.CheckResult;
import dev.laneway.ops.check.GroupCheck;
import dev.laneway.ops.check.Thresholds;
import dev.laneway.ops.observe.AdminSource;
import dev.laneway.ops.observe.GivenConfig;
import dev.laneway.ops.observe.HostSource;
import dev.laneway.ops.observe.JmxSource;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Recording;
import dev.laneway.ops.observe.Source;
import dev.laneway.ops.observe.Watch;
import dev.laneway.ops.plan.MeasuredWork;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.IsolationLevel;
import org.jspecify.annotations.Nullable;

/** Watches the group and its processes while more comes than they sustain, as {@code check} does. */
final class OverloadWatch implements AutoCloseable {
    /** A verdict takes twice as long as a window, and so many looks. */
    private static final int WINDOWS = 2;

    private static final int LEAST_LOOKS = 8;
    /** So many times as long where it is not yet clear what limits the group. */
    private static final int LONGEST = 3;
    /** On a machine that is so busy that looks take long, so much longer may they take. */
    private static final Duration MOST_LONGER = Duration.ofSeconds(60);

    static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Duration SOURCE_LIMIT = Duration.ofSeconds(5);
    private static final String FILE = "overload.jsonl.gz";

    private final Recording recording;
    private final Watch watch;
    private final long endNanos;
    private final long latestNanos;
    private int looks;

    private OverloadWatch(Duration time, Recording recording, Watch watch) {
        long now = System.nanoTime();
        endNanos = now + time.toNanos();
        latestNanos = now + LONGEST * time.toNanos();
        this.recording = recording;
        this.watch = watch;
    }

    /** @param jvms the processes of the instances, as far as they are JVMs */
    static OverloadWatch start(SizeSetup setup, Admin admin, List<Long> jvms) {
        List<Source> sources = new ArrayList<>();
        sources.add(new GivenConfig(setup.kafkaConfig()));
        sources.add(new AdminSource(
                admin, setup.group(), new LagOptions(IsolationLevel.READ_UNCOMMITTED, SOURCE_LIMIT), RecordProbe.NONE));
        for (long pid : jvms) {
            sources.add(JmxSource.ofPid(pid));
            sources.add(HostSource.ofPid(pid));
        }
        Recording recording = Recording.to(file(setup));
        return new OverloadWatch(time(setup), recording, new Watch(sources, SOURCE_LIMIT, recording::add));
    }

    /** What was seen, to be judged again by {@code check --replay}. */
    static Path file(SizeSetup setup) {
        return setup.directory().resolve(FILE);
    }

    static Duration time(SizeSetup setup) {
        return setup.window().multipliedBy(WINDOWS);
    }

    void look() {
        watch.round();
        looks++;
    }

    boolean hasEnded() {
        long now = System.nanoTime();
        long longer = now - endNanos;
        if (longer <= 0 || looks < LEAST_LOOKS) {
            return longer > MOST_LONGER.toNanos();
        }
        return now - latestNanos > 0 || limit(verdict()) != null;
    }

    /** What limits the group; null if that cannot be seen, or if it kept up. */
    static @Nullable Cause limit(CheckResult verdict) {
        return verdict.outcome() == CheckResult.Outcome.HEALTHY ? null : verdict.cause();
    }

    private CheckResult verdict() {
        return GroupCheck.judge(watch.observations(), Thresholds.USUAL);
    }

    /**
     * What was seen. Immutable.
     *
     * @param work null if no process told what a record takes
     */
    record Result(CheckResult verdict, @Nullable MeasuredWork work) {}

    Result result() {
        return new Result(verdict(), work(watch.observations()));
    }

    private static @Nullable MeasuredWork work(Observations seen) {
        try {
            return MeasuredWork.of(seen);
        } catch (IllegalArgumentException unseen) {
            return null; // Its command may be no JVM at all.
        }
    }

    @Override
    public void close() {
        watch.close();
        recording.close();
    }
}
