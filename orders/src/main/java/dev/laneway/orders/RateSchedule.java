package dev.laneway.orders;

import dev.laneway.ConfigurationException;
import dev.laneway.cli.program.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import picocli.CommandLine.TypeConversionException;

/**
 * Rates, one after the other. Immutable.
 *
 * @param phases at least one
 */
record RateSchedule(List<Phase> phases) {
    static final double FASTEST = 10_000_000;
    private static final Durations DURATIONS = new Durations();

    /** Copies the list. */
    RateSchedule {
        phases = List.copyOf(phases);
    }

    /** For so long, so many records a second. */
    record Phase(Duration length, double rate) {}

    /** For ever. */
    static RateSchedule of(double rate) {
        return new RateSchedule(List.of(new Phase(Duration.ofNanos(Long.MAX_VALUE), rate)));
    }

    /** Reads what {@code --rates} says, such as {@code 1m@1000,2m@10000}. */
    static RateSchedule parse(String text) {
        List<Phase> phases = new ArrayList<>();
        for (String phase : text.split(",", -1)) {
            int at = phase.indexOf('@');
            if (at < 0) {
                throw wrong(text, "must be times with rates", "write it like 1m@1000,2m@10000");
            }
            Duration length;
            try {
                length = DURATIONS.convert(phase.substring(0, at));
            } catch (TypeConversionException malformed) {
                throw wrong(text, "has a time that is none", "write it like 1m@1000,2m@10000");
            }
            phases.add(new Phase(
                    length,
                    rate(phase.substring(at + 1))
                            .orElseThrow(() -> wrong(
                                    text,
                                    "has a rate that is none",
                                    "give numbers of records a second from 0 to " + (long) FASTEST))));
        }
        return new RateSchedule(phases);
    }

    private static ConfigurationException wrong(String text, String rule, String remedy) {
        return new ConfigurationException("--rates", text, rule, remedy);
    }

    /** Reads a rate; empty if it is none. */
    static OptionalDouble rate(String text) {
        if (!text.matches("\\d{1,8}(\\.\\d{1,6})?")) {
            return OptionalDouble.empty();
        }
        double rate = Double.parseDouble(text);
        return rate <= FASTEST ? OptionalDouble.of(rate) : OptionalDouble.empty();
    }

    /** The rate at a time since the start; empty after the last phase. */
    OptionalDouble at(long nanos) {
        long left = nanos;
        for (Phase phase : phases) {
            if (left < phase.length().toNanos()) {
                return OptionalDouble.of(phase.rate());
            }
            left -= phase.length().toNanos();
        }
        return OptionalDouble.empty();
    }
}
