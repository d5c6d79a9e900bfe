package dev.laneway;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The rules that several options share, so that each is worded once. */
final class Checks {
    /** The longest duration that is meant: longer ones do not fit into nanoseconds. */
    static final Duration LONGEST = Duration.ofDays(36_500);

    private Checks() {}

    static void notTooLong(String option, @Nullable Duration value) {
        if (value != null && value.compareTo(LONGEST) > 0) {
            throw new ConfigurationException(
                    option, value, "must be at most " + LONGEST, "100 years are as good as for ever");
        }
    }

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
