package dev.laneway;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The rules that several options share, so that each is worded once. */
final class Checks {
    /** The longest duration that is meant: longer ones do not fit into nanoseconds. */
    static final Duration LONGEST = Duration.ofDays(36_500);

    private Checks() {}

    /** The compiler refuses null only to those who let it. */
    static void given(String option, @Nullable Object value) {
        if (value == null) {
            throw new ConfigurationException(option, "null", "must have a value", "give one, or leave the option out");
        }
    }

    /** Longer than zero, and not too long. */
    static void positive(String option, Duration value) {
        given(option, value);
        if (value.isNegative() || value.isZero()) {
            throw new ConfigurationException(option, value, "must be longer than zero", "give a positive duration");
        }
        notTooLong(option, value);
    }

    /** Zero or longer, and not too long. */
    static void notNegative(String option, Duration value, String remedy) {
        given(option, value);
        if (value.isNegative()) {
            throw new ConfigurationException(option, value, "must not be negative", remedy);
        }
        notTooLong(option, value);
    }

    static void notTooLong(String option, Duration value) {
        if (value.compareTo(LONGEST) > 0) {
            throw new ConfigurationException(
                    option, value, "must be at most " + LONGEST, "100 years are as good as for ever");
        }
    }

    static void atLeast(String option, long value, long least) {
        if (value < least) {
            throw new ConfigurationException(option, value, "must be at least " + least, "raise it");
        }
    }
}
