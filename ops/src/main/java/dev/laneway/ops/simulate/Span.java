package dev.laneway.ops.simulate;

/**
 * How long is simulated, and how it is looked at. Immutable.
 *
 * @param seconds how long
 * @param warmUpSeconds from when on rate and latency count
 * @param tickSeconds time between two looks of the controller
 * @param goalSeconds how old a record may be when it is done
 * @param seed of all random numbers
 */
public record Span(double seconds, double warmUpSeconds, double tickSeconds, double goalSeconds, long seed) {
    private static final double MOST_TICKS = 10_000_000;
    private static final double MOST_SECONDS = 100L * 366 * 86_400;

    /** Checks each value, and that they fit. */
    public Span {
        Check.positive("seconds", seconds);
        Check.between("seconds", seconds, 0, MOST_SECONDS);
        Check.notNegative("warmUpSeconds", warmUpSeconds);
        Check.positive("tickSeconds", tickSeconds);
        Check.positive("goalSeconds", goalSeconds);
        if (warmUpSeconds >= seconds) {
            throw Check.wrong("warmUpSeconds", warmUpSeconds, "less than the whole time, " + seconds);
        }
        if (seconds / tickSeconds > MOST_TICKS) {
            throw Check.wrong("tickSeconds", tickSeconds, "at least " + seconds / MOST_TICKS);
        }
    }

    /** Looked at every ten seconds, at most thirty seconds of age. */
    public static Span of(double seconds, long seed) {
        return new Span(seconds, 0, Math.min(10, seconds), 30, seed);
    }
}
