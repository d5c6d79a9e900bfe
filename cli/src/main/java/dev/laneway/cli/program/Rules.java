package dev.laneway.cli.program;

import dev.laneway.ConfigurationException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The rules that several options share, so that each is worded once. */
public final class Rules {
    private Rules() {}

    /** A whole number within limits, both included. */
    public static void between(String option, long value, long least, long most) {
        if (value < least) {
            throw new ConfigurationException(option, value, "must be at least " + least, "raise it");
        }
        if (value > most) {
            throw new ConfigurationException(option, value, "must be at most " + most, "lower it");
        }
    }

    /** A whole number. */
    public static void atLeast(String option, long value, long least) {
        between(option, value, least, Long.MAX_VALUE);
    }

    /** A number from 0 to 1. */
    public static void share(String option, double value) {
        if (!(value >= 0 && value <= 1)) {
            throw new ConfigurationException(option, value, "must be from 0 to 1", "0.01 is one in a hundred");
        }
    }

    /** A number above 0. */
    public static void positive(String option, double value) {
        if (!(value > 0) || Double.isInfinite(value)) {
            throw new ConfigurationException(option, value, "must be more than 0", "give such a number");
        }
    }

    /** A number of at most something. */
    public static void atMost(String option, double value, double most) {
        if (value > most) {
            throw new ConfigurationException(option, value, "must be at most " + most, "lower it");
        }
    }

    /** A number of at least something. */
    public static void atLeast(String option, double value, double least) {
        if (!(value >= least) || Double.isInfinite(value)) {
            throw new ConfigurationException(option, value, "must be at least " + least, "raise it");
        }
    }

    /** A duration longer than zero. */
    public static void positive(String option, Duration value) {
        if (value.isZero()) {
            throw new ConfigurationException(option, "0", "must be longer than zero", "give a duration such as 5s");
        }
    }

    /** Checks a file to write before the work, not when its result is written. */
    public static void writable(String option, @Nullable Path value) {
        if (value == null) {
            return;
        }
        Path file = value.toAbsolutePath();
        Path directory = file.getParent();
        if (directory == null || !Files.isDirectory(directory)) {
            throw new ConfigurationException(option, value, "must be in a directory that exists", "create it");
        }
        if (Files.isDirectory(file) || !Files.isWritable(Files.exists(file) ? file : directory)) {
            throw new ConfigurationException(option, value, "must be a file that can be written", "give another path");
        }
    }

    /** Checks a directory to write into, which may not exist yet, before the work instead of after it. */
    public static void directory(String option, @Nullable Path value) {
        if (value == null) {
            return;
        }
        Path existing = value.toAbsolutePath();
        while (existing != null && !Files.exists(existing)) {
            existing = existing.getParent();
        }
        if (existing == null || !Files.isDirectory(existing)) {
            throw new ConfigurationException(
                    option, value, "must be a directory, or one that can be made", "give another path");
        }
        if (!Files.isWritable(existing)) {
            throw new ConfigurationException(
                    option, value, "must be a directory that can be written", "give another path");
        }
    }

    /** Not blank. */
    public static void named(String option, String value) {
        if (value.isBlank()) {
            throw new ConfigurationException(option, "blank", "must not be", "give a name");
        }
    }
}
