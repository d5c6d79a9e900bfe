package dev.laneway.ops.scale;

/** Numbers and times as sentences write them. Pure functions, and quick: a decision is made often. */
final class Num {
    private Num() {}

    /** Whole from 100 on, with at most two decimals below; thousands as they are. */
    static String of(double value) {
        if (!Double.isFinite(value)) {
            return Double.isNaN(value) ? "unknown" : value > 0 ? "never-ending" : "below all";
        }
        double scale = Math.abs(value) >= 100 ? 1 : Math.abs(value) >= 10 ? 10 : 100;
        double rounded = Math.rint(value * scale) / scale;
        return rounded == Math.rint(rounded) && Math.abs(rounded) < 1e15
                ? Long.toString((long) rounded)
                : Double.toString(rounded);
    }

    /** How far a group is behind; for ever, if nothing is handled. */
    static String behind(double seconds) {
        return Double.isInfinite(seconds) ? "behind without an end in sight" : of(seconds) + " s behind";
    }

    /** A share as a percentage. */
    static String percent(double share) {
        return of(Math.rint(share * 100)) + " %";
    }

    /** A number of things: 1 member, 2 members. */
    static String count(long number, String thing) {
        return number + " " + thing + (number == 1 ? "" : "s");
    }

    /** Seconds between two times, rounded up. */
    static String seconds(long millis) {
        return Long.toString(Math.max(0, (millis + 999) / 1_000)) + " s";
    }

    /** Rounded up, but for what is rounding of the machine itself. */
    static int ceil(double value) {
        double whole = Math.ceil(value - 1e-9 * Math.max(1, Math.min(1e6, Math.abs(value))));
        return (int) Math.max(0, Math.min(1_000_000, whole));
    }
}
