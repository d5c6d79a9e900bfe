package dev.laneway.keda;

import dev.laneway.cli.watch.CheckInputs;
import dev.laneway.cli.watch.NamedEndpoints;
import dev.laneway.ops.check.Thresholds;
import dev.laneway.ops.control.ActorView;
import dev.laneway.ops.control.GroupMeter;
import dev.laneway.ops.control.LoopClock;
import dev.laneway.ops.control.LoopStart;
import dev.laneway.ops.control.LoopTurn;
import dev.laneway.ops.control.NoActor;
import dev.laneway.ops.control.ScalingLoop;
import dev.laneway.ops.control.ScalingMode;
import dev.laneway.ops.control.WatchMeter;
import dev.laneway.ops.observe.Watch;
import dev.laneway.ops.scale.DecisionLog;
import dev.laneway.ops.scale.DecisionLogReader;
import dev.laneway.ops.scale.LogEntry;
import dev.laneway.ops.scale.ScalingOption;
import dev.laneway.ops.scale.ScalingState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.jspecify.annotations.Nullable;

/**
 * Runs the policy of a trigger on its group, in a thread of its own, from the first question for it until nobody has
 * asked for a while. What fails is begun anew. Thread-safe.
 */
final class GroupWatch {
    private static final double NANOS = 1e9;

    private final Trigger trigger;
    private final Settings settings;
    private final @Nullable GroupWatch former;
    private final Predicate<GroupWatch> isForgotten;
    private final OpenStreams streams = new OpenStreams();
    private final CountDownLatch ending = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);

    private volatile ScalingAdvice advice = ScalingAdvice.unknown("the group is not measured yet");
    private volatile long askedNanos;
    /** By the watch's thread. */
    private String told = "";

    /**
     * What all watches have. Immutable.
     *
     * @param admin shared, closed by whoever made it
     * @param config that it was made of
     * @param brokerLimit how long a broker may take
     * @param logs directory of the decision logs
     * @param news shown what there is to tell, in lines
     */
    record Settings(
            Admin admin,
            Map<String, Object> config,
            Duration brokerLimit,
            Duration interval,
            Duration window,
            Path logs,
            Consumer<String> news,
            LoopClock clock) {
        Settings {
            config = Map.copyOf(config);
        }
    }

    /**
     * @param former of the same name, whose log this one goes on with once it has ended; null if there is none
     * @param isForgotten asked each turn: whether this watch is no longer needed
     */
    GroupWatch(Trigger trigger, Settings settings, @Nullable GroupWatch former, Predicate<GroupWatch> isForgotten) {
        this.trigger = trigger;
        this.settings = settings;
        this.former = former;
        this.isForgotten = isForgotten;
        this.askedNanos = settings.clock().nanos();
    }

    void start() {
        Thread.ofVirtual().name("laneway-keda " + trigger.name()).start(this::run);
    }

    Trigger trigger() {
        return trigger;
    }

    OpenStreams streams() {
        return streams;
    }

    /** Somebody asks for this group. */
    void ask() {
        askedNanos = settings.clock().nanos();
    }

    /** For how long nobody has asked; an open stream asks all the time. */
    Duration idle() {
        return streams.isEmpty() ? Duration.ofNanos(settings.clock().nanos() - askedNanos) : Duration.ZERO;
    }

    /** What is known now: what is older than the policy believes is not. */
    ScalingAdvice advice() {
        ScalingAdvice known = advice;
        long age = settings.clock().nanos() - known.measuredNanos();
        if (known.wanted() == null || age <= trigger.policy().get(ScalingOption.STALE) * NANOS) {
            return known;
        }
        return ScalingAdvice.unknown("what was measured last is " + Math.round(age / NANOS) + " s old, more than the "
                + Math.round(trigger.policy().get(ScalingOption.STALE)) + " s that are believed");
    }

    /** Ends soon; does not wait. */
    void end() {
        ending.countDown();
    }

    /** Waits until it has ended, but no longer than the limit. */
    void awaitEnd(Duration limit) {
        try {
            boolean _ = ended.await(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether its thread has ended, for whatever reason. */
    boolean hasStopped() {
        return ended.getCount() == 0;
    }

    private void run() {
        try {
            if (former != null) {
                // A broker that is silent holds it for as long.
                former.awaitEnd(settings.brokerLimit().multipliedBy(2));
            }
            print("is watched");
            while (!hasEnded()) {
                try {
                    decide();
                } catch (RuntimeException failed) {
                    advice = ScalingAdvice.unknown("the group cannot be watched: " + failed.getMessage());
                    tell();
                    boolean _ = ending.await(settings.interval().toNanos(), TimeUnit.NANOSECONDS);
                }
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            advice = ScalingAdvice.unknown("the scaler no longer watches the group");
            streams.end("the scaler no longer watches the group: ask again");
            print("is watched no more");
            ended.countDown();
        }
    }

    private boolean hasEnded() {
        return ending.getCount() == 0 || isForgotten.test(this);
    }

    private void decide() throws InterruptedException {
        Path file = settings.logs().resolve(trigger.fileName());
        LogEntry last = last(file);
        long now = settings.clock().millis();
        ScalingState begin = LoopStart.of(last, ScalingMode.RECOMMEND, now);
        List<String> troubles = new ArrayList<>();
        ToldNumber number = new ToldNumber(Path.of(file + ".told"), troubles::add);
        WantedMembers wanted = new WantedMembers(trigger.policy(), isRecent(last, now) ? number.read() : null);
        try (DecisionLog log = DecisionLog.to(file, troubles::add);
                Meter meter = new Meter(meter(), settings.clock())) {
            ScalingLoop loop = new ScalingLoop(
                    new ScalingLoop.Settings(trigger.group(), ScalingMode.RECOMMEND, trigger.policy(), () -> null),
                    meter,
                    new NoActor(),
                    log::append,
                    settings.clock(),
                    begin);
            long next = settings.clock().nanos();
            while (!hasEnded()) {
                LoopTurn turn = loop.turn();
                ScalingAdvice known = wanted.after(turn, meter.measuredNanos);
                if (known.wanted() != null) {
                    number.write(known.wanted());
                }
                advice = known;
                troubles.forEach(this::print);
                troubles.clear();
                tell();
                streams.tell(advice().wanted() != null);
                next = Math.max(
                        next + settings.interval().toNanos(), settings.clock().nanos());
                boolean _ = ending.await(Math.max(1, next - settings.clock().nanos()), TimeUnit.NANOSECONDS);
            }
        }
    }

    private static @Nullable LogEntry last(Path file) {
        try {
            return !Files.exists(file) || Files.size(file) == 0 ? null : new DecisionLogReader(file).last();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Whether the last decision is so young that nobody can have changed anything since. */
    private boolean isRecent(@Nullable LogEntry last, long now) {
        double age = last == null ? -1 : (now - last.decision().atMillis()) / 1e3;
        return age >= 0 && age <= trigger.policy().get(ScalingOption.COOL_DOWN);
    }

    private WatchMeter meter() {
        CheckInputs inputs = new CheckInputs(trigger.group(), List.of(), List.of(), List.of(), false);
        return new WatchMeter(
                new Watch(
                        inputs.sources(settings.admin(), settings.config(), settings.brokerLimit()),
                        settings.brokerLimit(),
                        _ -> {}),
                new WatchMeter.Settings(settings.window(), Thresholds.USUAL),
                this::endpoints,
                settings.clock());
    }

    private Set<String> endpoints() {
        Set<String> urls = new TreeSet<>();
        trigger.endpoints().forEach(url -> urls.addAll(NamedEndpoints.of(url)));
        return urls;
    }

    /** Tells what has changed: another number, or that none is known and why. */
    private void tell() {
        ScalingAdvice known = advice();
        Integer wanted = known.wanted();
        String now =
                wanted == null ? "unknown, since " + known.reason() : wanted + (wanted == 1 ? " member" : " members");
        String kind = wanted == null ? now.replaceAll("\\d+", "") : now; // Seconds that pass are no news.
        if (kind.equals(told)) {
            return;
        }
        told = kind;
        if (wanted == null) {
            print(now);
            return;
        }
        print(now + ": " + known.reason());
        if (MetricValue.isTolerated(wanted, known.seen())) {
            print("a HorizontalPodAutoscaler leaves " + known.seen() + " as they are, unless its tolerance is 0");
        }
    }

    private void print(String line) {
        settings.news().accept(trigger.name() + ": " + line);
    }

    /** Remembers when the latest metrics were measured. */
    private static final class Meter implements GroupMeter {
        private final GroupMeter meter;
        private final LoopClock clock;
        private long measuredNanos;

        Meter(GroupMeter meter, LoopClock clock) {
            this.meter = meter;
            this.clock = clock;
        }

        @Override
        public Reading read(ActorView view) {
            Reading reading = meter.read(view);
            measuredNanos = clock.nanos() - reading.ageNanos();
            return reading;
        }

        @Override
        public void close() {
            meter.close();
        }
    }
}
