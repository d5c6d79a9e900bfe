package dev.laneway.ops.scale;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import org.jspecify.annotations.Nullable;

/**
 * A period that comes again and again, with bounds of its own or without any change at all. Immutable.
 *
 * @param name in the policy
 * @param starts when it starts
 * @param minutes how long it lasts
 * @param min fewest members meanwhile; 0 if no change is made meanwhile
 * @param max most members meanwhile; 0 if no change is made meanwhile
 */
record ScheduledPeriod(String name, Cron starts, long minutes, int min, int max) {
    private static final long MOST_MINUTES = 31 * 24 * 60;

    /** When the period that runs at this time ends, in milliseconds since 1970; null if none runs. */
    @Nullable
    Long endsAt(long atMillis, ZoneId zone) {
        ZonedDateTime now = Instant.ofEpochMilli(atMillis).atZone(zone);
        ZonedDateTime start = starts.lastBefore(now, minutes);
        if (start == null) {
            return null;
        }
        long end = start.toInstant().toEpochMilli() + minutes * 60_000;
        return atMillis < end ? end : null;
    }

    /** Of text such as {@code 0 8 * * 1-5 | 10h | 4..20}, without bounds for a period without changes. */
    static ScheduledPeriod of(String key, String text, boolean hasBounds) {
        String[] parts = text.split("\\|", -1);
        if (parts.length != (hasBounds ? 3 : 2)) {
            throw refused(key, text, hasBounds);
        }
        String name = key.substring(key.indexOf('.') + 1);
        Cron cron;
        try {
            cron = Cron.of(parts[0]);
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(key + ": " + wrong.getMessage(), wrong);
        }
        long minutes = minutes(key, parts[1].strip());
        if (!hasBounds) {
            return new ScheduledPeriod(name, cron, minutes, 0, 0);
        }
        String[] bounds = parts[2].strip().split("\\.\\.", -1);
        if (bounds.length != 2 || !bounds[0].matches("\\d{1,6}") || !bounds[1].matches("\\d{1,6}")) {
            throw refused(key, text, true);
        }
        return new ScheduledPeriod(name, cron, minutes, Integer.parseInt(bounds[0]), Integer.parseInt(bounds[1]));
    }

    private static long minutes(String key, String text) {
        if (text.matches("\\d{1,6}[mh]")) {
            long number = Long.parseLong(text.substring(0, text.length() - 1));
            long minutes = text.endsWith("h") ? number * 60 : number;
            if (minutes >= 1 && minutes <= MOST_MINUTES) {
                return minutes;
            }
        }
        throw new IllegalArgumentException(
                key + " lasts " + text + " but must last from 1m to 744h: write it like 90m or 10h");
    }

    private static IllegalArgumentException refused(String key, String text, boolean hasBounds) {
        return new IllegalArgumentException(key + " is " + text + " but must be when it starts, how long it lasts"
                + (hasBounds
                        ? ", and its bounds: write it like 0 8 * * 1-5 | 10h | 4..20"
                        : ": write it like 0 22 * * 5 | 8h"));
    }
}
