package dev.laneway.ops.simulate;

import java.util.Locale;

/** The rules of values, each worded once. */
final class Check {
    private Check() {}

    static void positive(String name, double value) {
        if (!(value > 0) || Double.isInfinite(value)) {
            throw wrong(name, value, "more than 0");
        }
    }

    static void notNegative(String name, double value) {
        if (!(value >= 0) || Double.isInfinite(value)) {
            throw wrong(name, value, "0 or more");
        }
    }

    static void between(String name, double value, double least, double most) {
        if (!(value >= least && value <= most)) {
            throw wrong(name, value, String.format(Locale.ROOT, "from %,.0f to %,.0f", least, most));
        }
    }

    static IllegalArgumentException wrong(String name, double value, String rule) {
        return new IllegalArgumentException(name + " is " + value + " but must be " + rule + ": give such a number");
    }
}
