package dev.laneway.cli.size;

import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.Text;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.ops.size.LagPoint;
import dev.laneway.ops.size.LagWindow;
import dev.laneway.ops.size.SearchStep;
import dev.laneway.ops.size.Trial;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Runs one trial after the other: raises the load, waits, looks at the lag, and lets the group catch up. */
final class TrialRunner {
    private static final Duration INTERVAL = Duration.ofMillis(100);
    /** Looks are short, since they are followed by trials. */
    private static final double SHARE_OF_A_LOOK = 0.5;

    private static final double MOST_GROWTH_OF_A_LOOK = 0.1;
    /** A window may become so many times as long where it was not clear what it shows. */
    private static final int LONGEST = 2;
    /** As long where the group commits so rarely that a window has too few commits. */
    private static final int LONGEST_FOR_COMMITS = 12;

    private static final int SETTLED_LOOKS = 15;
    private static final double SMALL_LAG_SECONDS = 0.1;

    private final SizeSetup setup;
    private final Stop stop;
    private final GroupReader group;
    private final AppInstances instances;
    private final LoadSource load;
    private final Runnable brokerCheck;
    private final SizeProgress progress;
    private final MachineLoad machine = new MachineLoad();
    private double caughtUpRate;

    TrialRunner(
            SizeSetup setup,
            Stop stop,
            GroupReader group,
            AppInstances instances,
            LoadSource load,
            Runnable brokerCheck,
            SizeProgress progress) {
        this.setup = setup;
        this.stop = stop;
        this.group = group;
        this.instances = instances;
        this.load = load;
        this.brokerCheck = brokerCheck;
        this.progress = progress;
    }

    // ---------------------------------------------------------------- waiting

    /** Waits a moment; fails if the user, a process or the cluster has ended the sizing. */
    private Optional<GroupReader.View> look() throws InterruptedException {
        if (stop.await(INTERVAL)) {
            throw new VerbFailure("stopped before the end: no profile was written");
        }
        brokerCheck.run();
        instances.check();
        load.check();
        return group.look();
    }

    /** Waits, and shows each moment to somebody. */
    void pass(Duration time, String what, Consumer<LagPoint> points) throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            progress.doing(what);
            Optional<GroupReader.View> view = look();
            group.check();
            machine.look();
            view.ifPresent(seen -> points.accept(seen.point()));
        }
    }

    /** Waits until all instances are members and all partitions have an owner. Returns the number of members. */
    int awaitMembers(int more) throws InterruptedException {
        long end = System.nanoTime() + setup.joinLimit().toNanos();
        int settled = 0;
        int members = 0;
        while (settled < SETTLED_LOOKS) {
            progress.doing("instance " + instances.count() + " joins group " + setup.group());
            Optional<GroupReader.View> view = look();
            int now = view.map(GroupReader.View::members).orElse(0);
            boolean isSettled = view.map(GroupReader.View::isSettled).orElse(false);
            settled = isSettled && now >= more && now == members ? settled + 1 : 0;
            members = now;
            if (System.nanoTime() > end) {
                throw new VerbFailure(notJoined(now, more));
            }
        }
        return members;
    }

    private String notJoined(int members, int more) {
        String output = "; its output is in " + setup.directory();
        String time = " within " + Text.duration(setup.joinLimit());
        if (members == 0) {
            List<String> others = group.othersOfTopics();
            return "no instance joined group " + setup.group() + time
                    + (others.isEmpty()
                            ? ": does the command read this cluster as this group?"
                            : ", but " + String.join(", ", setup.topics()) + " has members of group "
                                    + String.join(", ", others) + ": give --group as the command does")
                    + output;
        }
        return members < more
                ? "instance " + instances.count() + " did not join group " + setup.group() + time + ": the group has "
                        + members + " members" + output
                : "group " + setup.group() + " did not settle" + time + ": not all " + setup.partitions()
                        + " partitions of " + String.join(", ", setup.topics())
                        + " have an owner; raise --join-limit if it restores state" + output;
    }

    /** Stops the load until nothing waits; fails if nothing gets less for too long. */
    void catchUp(String what) throws InterruptedException {
        load.changeRate(0);
        double small = Math.max(setup.partitions(), caughtUpRate * SMALL_LAG_SECONDS);
        double least = Double.POSITIVE_INFINITY;
        long since = System.nanoTime();
        while (true) {
            progress.doing(what);
            Optional<GroupReader.View> view = look();
            group.check();
            double lag = view.map(seen -> seen.point().lag()).orElse(least);
            if (lag <= small) {
                return;
            }
            if (lag < least) {
                least = lag;
                since = System.nanoTime();
            }
            if (System.nanoTime() - since > setup.joinLimit().toNanos()) {
                throw new VerbFailure("the group stands still: " + Text.count(Math.round(lag))
                        + " records wait and for " + Text.duration(setup.joinLimit())
                        + " there were no fewer; look at it with: laneway check --group " + setup.group()
                        + "; the output of the instances is in " + setup.directory());
            }
        }
    }

    // ---------------------------------------------------------------- trials

    /** Does what a search asks for. */
    Trial run(SearchStep step) throws InterruptedException {
        return switch (step) {
            case SearchStep.Look(double rate) -> trial(rate, SHARE_OF_A_LOOK, true);
            case SearchStep.Measure(double rate) -> trial(rate, 1, false);
            case SearchStep.Confirm(double rate) -> trial(rate, 2, false);
            case SearchStep.Found found -> throw new IllegalArgumentException(found + " asks for nothing");
            case SearchStep.Nothing nothing -> throw new IllegalArgumentException(nothing + " asks for nothing");
        };
    }

    /**
     * Changes the load, and waits until it comes: a generator that is a process takes time to begin, and a window
     * without its load would tell that it makes no more.
     */
    void raise(double rate, String what) throws InterruptedException {
        load.changeRate(rate);
        double before = Double.POSITIVE_INFINITY;
        long end = System.nanoTime() + setup.joinLimit().toNanos();
        while (true) {
            progress.doing(what + ": waits for the load");
            double written = look().map(seen -> seen.point().end()).orElse(Double.NaN);
            group.check();
            if (written > before) {
                return;
            }
            before = Double.isNaN(written) ? before : Math.min(before, written);
            if (System.nanoTime() > end) {
                throw new VerbFailure("no record came to " + String.join(", ", setup.topics()) + " within "
                        + Text.duration(setup.joinLimit()) + ", at " + Text.rate(rate)
                        + " records/s: is that where the load goes? Its output, if any, is in " + setup.directory());
            }
        }
    }

    private Trial trial(double rate, double times, boolean isLook) throws InterruptedException {
        String what = instances.count() + " x " + Text.rate(rate) + "/s";
        raise(rate, what);
        Duration warmUp = scaled(setup.warmUp(), isLook ? SHARE_OF_A_LOOK : 1);
        pass(warmUp, what + ": warms up", _ -> {});
        machine.begin();
        List<LagPoint> points = new ArrayList<>();
        Duration window = scaled(setup.window(), times);
        pass(window, what + ": measures", points::add);
        LagWindow seen = LagWindow.of(points);
        for (int more = 1; needsLonger(seen, isLook, more); more++) {
            pass(window, what + ": looks longer", points::add);
            seen = LagWindow.of(points);
        }
        Trial trial = new Trial(instances.count(), rate, seen, isSustained(seen, isLook), machine.busy());
        progress.trial(trial, seen.commits() < LagWindow.LEAST_COMMITS ? "hardly commits" : "");
        caughtUpRate = rate;
        if (!trial.keepsUp()) {
            catchUp("catches up");
        }
        return trial;
    }

    private static boolean needsLonger(LagWindow seen, boolean isLook, int windows) {
        if (seen.commits() < LagWindow.LEAST_COMMITS) {
            return windows < (seen.commits() == 0 ? LONGEST : LONGEST_FOR_COMMITS);
        }
        return !isLook && windows < LONGEST && seen.pace() == LagWindow.Pace.UNCLEAR;
    }

    private static boolean isSustained(LagWindow seen, boolean isLook) {
        if (isLook) {
            return seen.slope() <= MOST_GROWTH_OF_A_LOOK * seen.offered();
        }
        LagWindow.Pace pace = seen.pace() == LagWindow.Pace.UNCLEAR ? seen.likelyPace() : seen.pace();
        return pace == LagWindow.Pace.KEEPS_UP;
    }

    private static Duration scaled(Duration time, double times) {
        return Duration.ofNanos(Math.round(time.toNanos() * times));
    }
}
