package dev.laneway.cli;

/** Rounds figures of reports to what they can be trusted for. */
final class Round {
    private Round() {}

    static double to3(double value) {
        return Math.round(value * 1e3) / 1e3;
    }
}
