package dev.laneway.cli;

import dev.laneway.ConfigurationException;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.ops.simulate.Traffic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code simulate} that describe what comes. */
final class TrafficOptions {
    private static final double NANOS = 1e9;

    /** How the rate changes over time. */
    enum Shape {
        CONSTANT,
        STEP,
        RAMP,
        COSINE,
        SPIKES,
        DAILY
    }

    @Option(names = "--rate", paramLabel = "N", description = "Records a second that come, all partitions together.")
    private @Nullable Double rate;

    @Option(
            names = "--traffic",
            paramLabel = "SHAPE",
            defaultValue = "constant",
            description = "How the rate changes: constant; step (to --peak at --at); ramp (to --peak, from --at on, in"
                    + " --period); cosine (up to --peak and back in --period); spikes (--peak for --lasting at the end"
                    + " of each --period); daily (cosine of a day, with noise and bursts) (default:"
                    + " ${DEFAULT-VALUE}).")
    private Shape shape = Shape.CONSTANT;

    @Option(names = "--peak", paramLabel = "N", description = "The other rate of --traffic.")
    private @Nullable Double peak;

    @Option(
            names = "--at",
            paramLabel = "TIME",
            defaultValue = "1m",
            description = "When a step or ramp begins (default: ${DEFAULT-VALUE}).")
    private Duration at = Duration.ofMinutes(1);

    @Option(
            names = "--period",
            paramLabel = "TIME",
            defaultValue = "5m",
            description = "Of a ramp, cosine or spikes (default: ${DEFAULT-VALUE}).")
    private Duration period = Duration.ofMinutes(5);

    @Option(
            names = "--lasting",
            paramLabel = "TIME",
            defaultValue = "30s",
            description = "How long a spike lasts (default: ${DEFAULT-VALUE}).")
    private Duration lasting = Duration.ofSeconds(30);

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description = "Rates from a file of lines SECONDS,RATE in place of --rate; each holds until the next.")
    private @Nullable Path trace;

    @Option(
            names = "--backlog",
            paramLabel = "N",
            defaultValue = "0",
            description = "Records that wait at the start (default: ${DEFAULT-VALUE}).")
    private long backlog;

    void check() {
        if (rate == null && trace == null) {
            throw new ConfigurationException(
                    "--rate", "not given", "must be, unless --trace is", "give records a second");
        }
        if (rate != null && trace != null) {
            throw new ConfigurationException("--trace", trace, "excludes --rate", "give one of them");
        }
        if (rate != null) {
            Rules.atLeast("--rate", rate, 0);
        }
        boolean needsPeak = trace == null && shape != Shape.CONSTANT;
        if (needsPeak && peak == null) {
            throw new ConfigurationException("--peak", "not given", "must be with --traffic", "give the other rate");
        }
        if (peak != null) {
            if (!needsPeak) {
                throw new ConfigurationException("--peak", peak, "goes with --traffic", "say how the rate changes");
            }
            Rules.atLeast("--peak", peak, 0);
        }
        Rules.positive("--period", period);
        Rules.positive("--lasting", lasting);
        Rules.between("--backlog", backlog, 0, 1_000_000_000_000L);
    }

    long backlog() {
        return backlog;
    }

    Traffic traffic(long seed) {
        if (trace != null) {
            return read(trace);
        }
        double base = rate == null ? 0 : rate;
        double other = peak == null ? base : peak;
        double begins = (double) at.toNanos() / NANOS;
        double seconds = (double) period.toNanos() / NANOS;
        return switch (shape) {
            case CONSTANT -> Traffic.constant(base);
            case STEP -> Traffic.step(base, other, begins);
            case RAMP -> Traffic.ramp(base, other, begins, begins + seconds);
            case COSINE -> Traffic.cosine(base, other, seconds);
            case SPIKES -> Traffic.spikes(base, other, seconds, (double) lasting.toNanos() / NANOS);
            case DAILY -> Traffic.daily(base, other, seed);
        };
    }

    private static Traffic read(Path file) {
        List<Traffic.Point> points = new ArrayList<>();
        int number = 0;
        try {
            for (String line : Files.readAllLines(file)) {
                number++;
                boolean isHead = number == 1 && line.matches("\\D.*");
                if (!line.isBlank() && !isHead) {
                    String[] parts = line.split(",", -1);
                    points.add(new Traffic.Point(
                            Double.parseDouble(parts[0].strip()), Double.parseDouble(parts[1].strip())));
                }
            }
            return Traffic.trace(points);
        } catch (IOException failed) {
            throw new VerbFailure("--trace: " + file + " cannot be read (" + failed + "): give a file of text", failed);
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException wrong) {
            throw new VerbFailure(
                    "--trace: " + file + " is wrong at line " + number + " or before (" + wrong.getMessage()
                            + "): write lines SECONDS,RATE with rising seconds",
                    wrong);
        }
    }
}
