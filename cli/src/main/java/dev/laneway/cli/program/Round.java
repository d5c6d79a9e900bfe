package dev.laneway.cli.program;

/** Rounds figures of reports to what they can be trusted for. */
public final class Round {
    private Round() {}

    public static double to3(double value) {
        return Math.round(value * 1e3) / 1e3;
    }
}
