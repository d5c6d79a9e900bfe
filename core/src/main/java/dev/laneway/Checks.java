package dev.laneway;

import java.time.Duration;

/** The rules that several options share, so that each is worded once. */
final class Checks {
    private Checks() {}

    static void positive(String option, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new ConfigurationException(option, value, "must be longer than zero", "give a positive duration");
        }
    }

    static void atLeast(String option, long value, long least) {
        if (value < least) {
            throw new ConfigurationException(option, value, "must be at least " + least, "raise it");
        }
    }
}
