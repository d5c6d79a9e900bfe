package dev.laneway.cli.watch;

import dev.laneway.cli.program.Connection;
import dev.laneway.cli.program.Lines;
import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.Terminal;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.ops.check.Thresholds;
import dev.laneway.ops.control.ExclusiveFile;
import dev.laneway.ops.control.LoopClock;
import dev.laneway.ops.control.LoopStart;
import dev.laneway.ops.control.LoopTurn;
import dev.laneway.ops.control.ScalingActor;
import dev.laneway.ops.control.ScalingLoop;
import dev.laneway.ops.control.ScalingMode;
import dev.laneway.ops.control.WatchMeter;
import dev.laneway.ops.observe.Watch;
import dev.laneway.ops.scale.Decision;
import dev.laneway.ops.scale.DecisionLog;
import dev.laneway.ops.scale.DecisionLogFailure;
import dev.laneway.ops.scale.DecisionLogReader;
import dev.laneway.ops.scale.GroupShape;
import dev.laneway.ops.scale.LogEntry;
import dev.laneway.ops.scale.ScalingState;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.jspecify.annotations.Nullable;

/** One run of an autoscaler, from the log's last decision to Ctrl-C. {@link #run} is called once. */
public final class AutoscaleSession {
    private final AutoscaleRunOptions options;
    private final Connection connection;
    private final Terminal terminal;
    private final PrintStream text;
    private final PrintStream errors;
    private final Stop stop;
    private final LoopClock clock = LoopClock.SYSTEM;

    private List<String> told = List.of();
    private int decisions;
    private int changes;
    private int refused;
    private @Nullable Decision last;

    /** @param text where decisions are printed, and {@code errors} warnings */
    public AutoscaleSession(
            AutoscaleRunOptions options,
            Connection connection,
            Terminal terminal,
            PrintStream text,
            PrintStream errors,
            Stop stop) {
        this.options = options;
        this.connection = connection;
        this.terminal = terminal;
        this.text = text;
        this.errors = errors;
        this.stop = stop;
    }

    /**
     * Runs, and returns the report.
     *
     * @param makeActor makes what acts, of the members that were asked for last, or null
     */
    public Map<String, Object> run(Function<@Nullable Integer, ScalingActor> makeActor) throws InterruptedException {
        ExclusiveFile lock = lock();
        try {
            LogEntry entry = lastEntry();
            ScalingState begin = LoopStart.of(entry, options.mode(), clock.millis());
            GroupShape asked = options.mode() == ScalingMode.ACT ? begin.asked() : null;
            Map<String, Object> config = connection.adminConfig();
            Admin admin = Connection.admin(config);
            try (ScalingActor actor = makeActor.apply(asked == null ? null : (Integer) asked.members());
                    DecisionLog log = DecisionLog.to(options.log(), trouble -> errors.println("laneway: " + trouble));
                    WatchMeter meter = meter(admin, config)) {
                ScalingLoop loop = new ScalingLoop(
                        new ScalingLoop.Settings(
                                options.group(), options.mode(), options.policy(), options::stopReason),
                        meter,
                        actor,
                        log::append,
                        clock,
                        begin);
                turns(loop);
            } finally {
                admin.close(Duration.ZERO); // Without a limit it can wait for ever for a broker that is silent.
            }
            return report();
        } finally {
            lock.close();
        }
    }

    private ExclusiveFile lock() {
        Path file = Path.of(options.log() + ".lock");
        ExclusiveFile lock;
        try {
            lock = ExclusiveFile.take(file);
        } catch (IOException failed) {
            throw new VerbFailure(
                    "cannot lock " + file + " (" + failed + "): give a --log where you may write", failed);
        }
        if (lock == null) {
            throw new VerbFailure("another autoscaler writes --log " + options.log() + ": end it, or give another log");
        }
        return lock;
    }

    private @Nullable LogEntry lastEntry() {
        try {
            if (!Files.exists(options.log()) || Files.size(options.log()) == 0) {
                return null;
            }
        } catch (IOException failed) {
            throw new VerbFailure("cannot read --log " + options.log() + ": " + failed, failed);
        }
        LogEntry entry;
        try {
            entry = new DecisionLogReader(options.log()).last();
        } catch (DecisionLogFailure failed) {
            throw new VerbFailure(String.valueOf(failed.getMessage()), failed);
        }
        if (entry != null && !entry.application().equals(options.group())) {
            throw new VerbFailure("--log " + options.log() + " is of group " + entry.application() + ", not of "
                    + options.group() + ": give each group a log of its own");
        }
        return entry;
    }

    private WatchMeter meter(Admin admin, Map<String, Object> config) {
        Duration limit = connection.brokerLimit();
        return new WatchMeter(
                new Watch(options.inputs().sources(admin, config, limit), limit, _ -> {}),
                new WatchMeter.Settings(options.window(), Thresholds.USUAL),
                options::endpoints,
                clock);
    }

    private void turns(ScalingLoop loop) throws InterruptedException {
        long start = clock.nanos();
        long next = start;
        Duration period = options.period();
        boolean ends = stop.isRequested();
        while (!ends) {
            show(loop.turn());
            // A turn that took longer than the interval is followed by a pause, not by turns that make up for it.
            next = Math.max(next + options.interval().toNanos(), clock.nanos());
            ends = (period != null && next - start >= period.toNanos())
                    || stop.await(Duration.ofNanos(Math.max(1, next - clock.nanos())));
        }
    }

    private void show(LoopTurn turn) {
        String time =
                Instant.ofEpochSecond(Math.floorDiv(turn.atMillis(), 1_000L)).toString();
        turn.news().stream().filter(news -> !told.contains(news)).forEach(news -> print(time + "   " + news));
        told = turn.news();
        Decision decision = turn.decision();
        if (decision == null) {
            return;
        }
        last = decision;
        decisions++;
        changes += turn.isDone() ? 1 : 0;
        String acted = turn.acted();
        refused += acted != null && !turn.isDone() ? 1 : 0;
        print(time + " " + decision.sentence() + (acted == null ? "" : " (" + acted + ")"));
    }

    private void print(String line) {
        if (terminal.live()) {
            Lines.wrap(line, terminal.width()).forEach(text::println);
        } else {
            text.println(line); // One line for each decision, for programs that read them.
        }
        text.flush();
    }

    private Map<String, Object> report() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("group", options.group());
        json.put("mode", options.mode().word());
        json.put("decisions", decisions);
        json.put("changes", changes);
        json.put("refused", refused);
        json.put("members", last == null ? null : (Integer) last.from().members());
        return json;
    }
}
