package dev.laneway.ops.plan;

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

    static void atLeast(String name, double value, double least) {
        if (!(value >= least) || Double.isInfinite(value)) {
            throw wrong(name, value, "at least " + Say.number(least));
        }
    }

    static void share(String name, double value) {
        if (!(value >= 0 && value <= 1)) {
            throw wrong(name, value, "from 0 to 1");
        }
    }

    private static IllegalArgumentException wrong(String name, double value, String rule) {
        return new IllegalArgumentException(name + " is " + value + " but must be " + rule + ": give such a number");
    }
}
