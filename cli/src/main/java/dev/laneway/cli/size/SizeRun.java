package dev.laneway.cli.size;

import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.Text;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.ops.check.Cause;
import dev.laneway.ops.check.CheckResult;
import dev.laneway.ops.plan.MeasuredWork;
import dev.laneway.ops.size.LagPoint;
import dev.laneway.ops.size.LagWindow;
import dev.laneway.ops.size.RateSearch;
import dev.laneway.ops.size.SearchStep;
import dev.laneway.ops.size.SizeProfile;
import dev.laneway.ops.size.Trial;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.admin.Admin;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a sizing: the smallest number of instances, what limits them, one instance more. Used by one thread;
 * closing it ends the instances and the load.
 */
final class SizeRun implements AutoCloseable {
    /** What is known to be too much, and more, so that what limits the group is at its limit. */
    private static final double OVERLOAD = 1.25;
    /** Above this share of busy processors instances get in each other's way. */
    private static final double BUSY_MACHINE = 0.85;

    private static final double FULL_SCALING = 0.95;
    /** If so much more is handled in an overload than was found, something else had disturbed the search. */
    private static final double FOUND_TOO_LITTLE = 1.08;

    /** A machine that never comes to rest is measured as it is. */
    private static final int MOST_SEARCHES = 3;

    private static final int TRIALS_OF_MORE = 4;

    private final SizeSetup setup;
    private final Admin admin;
    private final SizeProgress progress;
    private final AppInstances instances;
    private final LoadSource load;
    private final TrialRunner runner;
    private final List<Trial> trials = new ArrayList<>();

    SizeRun(SizeSetup setup, Admin admin, Stop stop, Runnable brokerCheck, SizeProgress progress) {
        this.setup = setup;
        this.admin = admin;
        this.progress = progress;
        instances = new AppInstances(setup);
        String generator = setup.generator();
        load = generator == null ? new OwnLoad(setup.kafkaConfig(), setup.plan()) : new CommandLoad(setup, generator);
        runner = new TrialRunner(setup, stop, new GroupReader(admin, setup), instances, load, brokerCheck, progress);
    }

    @Override
    public void close() {
        progress.end();
        load.close();
        instances.close();
    }

    /** Measures the smallest number of instances, and one more. */
    SizeResult size() throws InterruptedException {
        RateSearch from = RateSearch.from(setup.firstRate(), setup.mostRate());
        expect(from, TRIALS_OF_MORE);
        start(setup.instances());
        SearchStep.Found first = search(from, TRIALS_OF_MORE);
        Overload overload = first.tooMuch() < Double.POSITIVE_INFINITY ? overload(first) : null;
        for (int searches = 1; overload != null && overload.isMoreThan(first) && searches < MOST_SEARCHES; searches++) {
            double handled = overload.handled();
            progress.say("In an overload it did " + Text.rate(handled) + "/s: searches there again");
            first = search(RateSearch.near(handled * 0.98, setup.mostRate()), TRIALS_OF_MORE);
            // What was no overload has not shown what limits it either.
            overload = first.tooMuch() < Double.POSITIVE_INFINITY ? overload(first) : null;
        }
        start(1);
        int count = setup.instances();
        double estimate =
                first.rate() * Math.ceilDiv(setup.partitions(), count) / Math.ceilDiv(setup.partitions(), count + 1);
        SearchStep.Found more = search(RateSearch.near(estimate, setup.mostRate()), 0);
        CheckResult verdict = overload == null ? null : overload.verdict();
        return new SizeResult(profile(first, more, overload), first, more, verdict, trials);
    }

    /** Measures one instance more than the smallest number of a profile, for what it predicts. */
    SearchStep.Found verify(double predicted) throws InterruptedException {
        RateSearch search = RateSearch.near(predicted, setup.mostRate());
        expect(search, 0);
        start(setup.instances() + 1);
        return search(search, 0);
    }

    /** Starts so many instances, one after the other has joined, and waits until they have nothing to do. */
    private void start(int count) throws InterruptedException {
        int members = 0;
        for (int i = 0; i < count; i++) {
            int before = i == 0 && instances.count() > 0 ? runner.awaitMembers(1) : members;
            instances.add();
            members = runner.awaitMembers(before + 1);
        }
        runner.catchUp("works off what waits");
    }

    private SearchStep.Found search(RateSearch from, int trialsAfter) throws InterruptedException {
        RateSearch search = from;
        while (true) {
            SearchStep step = search.next();
            if (step instanceof SearchStep.Found found) {
                return found;
            }
            if (step instanceof SearchStep.Nothing) {
                throw new VerbFailure("no rate is sustained, however low: is the group at work at all? Look at it with:"
                        + " laneway check --group " + setup.group() + "; the output of the instances is in "
                        + setup.directory());
            }
            expect(search, trialsAfter);
            Trial trial = runner.run(step);
            trials.add(trial);
            search = search.after(trial);
        }
    }

    private void expect(RateSearch search, int trialsAfter) {
        Duration trial = setup.warmUp().plus(setup.window());
        Duration after =
                trialsAfter == 0 ? Duration.ZERO : OverloadWatch.time(setup).plusSeconds(15);
        progress.expect(trial.multipliedBy(search.trialsLeft() + trialsAfter).plus(after));
    }

    // ---------------------------------------------------------------- what limits it

    /**
     * What was seen while more came than is sustained. Immutable.
     *
     * @param work null if no process told of it
     */
    private record Overload(
            double handled, CheckResult verdict, @Nullable MeasuredWork work) {
        boolean isMoreThan(SearchStep.Found found) {
            return handled > FOUND_TOO_LITTLE * found.rate();
        }
    }

    private Overload overload(SearchStep.Found found) throws InterruptedException {
        String what = "looks for what limits it";
        runner.raise(found.tooMuch() * OVERLOAD, what);
        runner.pass(setup.warmUp(), what, _ -> {});
        List<LagPoint> points = new ArrayList<>();
        OverloadWatch.Result seen;
        try (OverloadWatch watch = OverloadWatch.start(setup, admin, instances.jvms())) {
            while (!watch.hasEnded()) {
                watch.look();
                runner.pass(OverloadWatch.INTERVAL, what, points::add);
            }
            seen = watch.result();
        }
        runner.catchUp("catches up");
        LagWindow window = LagWindow.of(points);
        double handled = window.commits() < LagWindow.LEAST_COMMITS ? 0 : window.handled();
        Cause cause = OverloadWatch.limit(seen.verdict());
        progress.say("Limited: " + (cause == null ? "by what cannot be seen" : name(cause) + ", " + cause.words()));
        return new Overload(handled, seen.verdict(), seen.work());
    }

    static String name(Cause cause) {
        return cause.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }

    private SizeProfile profile(SearchStep.Found first, SearchStep.Found more, @Nullable Overload overload) {
        MeasuredWork work = overload == null || overload.work() == null
                ? new MeasuredWork(0, 0, 0, 0, List.of("no process told what a record takes"))
                : overload.work();
        Cause cause = overload == null ? null : OverloadWatch.limit(overload.verdict());
        double busy = trials.stream()
                .filter(each -> each.instances() > setup.instances())
                .mapToDouble(Trial::machine)
                .filter(Double::isFinite)
                .max()
                .orElse(Double.NaN);
        SizeProfile made = made(first, more, work, cause, busy, false);
        return busy >= BUSY_MACHINE && made.scaling() < FULL_SCALING
                ? made(first, more, work, cause, busy, true)
                : made;
    }

    private SizeProfile made(
            SearchStep.Found first,
            SearchStep.Found more,
            MeasuredWork work,
            @Nullable Cause cause,
            double busy,
            boolean isMachineLimited) {
        return new SizeProfile(
                Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
                setup.command(),
                setup.topics(),
                setup.partitions(),
                Runtime.getRuntime().availableProcessors(),
                setup.instances(),
                first.rate(),
                Double.isFinite(first.tooMuch()) ? first.tooMuch() : null,
                more.rate(),
                Double.isFinite(busy) ? busy : null,
                isMachineLimited,
                first.hasFallen() || more.hasFallen(),
                cause == null ? "" : cause.name(),
                cause == null
                        ? first.tooMuch() < Double.POSITIVE_INFINITY
                                ? "what could not be seen"
                                : "nothing that was reached: the load could not be raised further"
                        : cause.words(),
                work);
    }
}
