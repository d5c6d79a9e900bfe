package dev.laneway.ops.scale;

import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Minutes by the five fields of cron: minute, hour, day of month, month, day of week (0 and 7 are Sunday). Each is
 * {@code *}, a number, a range, a step such as {@code 1-5/2}, or several with commas. As with cron, a day matches by
 * either of its fields if both are given. Immutable.
 */
final class Cron {
    private static final int FIELDS = 5;

    private final String text;
    private final BitSet minutes;
    private final BitSet hours;
    private final BitSet days;
    private final BitSet months;
    private final BitSet weekdays;
    private final boolean isEither;

    private Cron(String text, String[] fields) {
        this.text = text;
        minutes = field(text, fields[0], 0, 59);
        hours = field(text, fields[1], 0, 23);
        days = field(text, fields[2], 1, 31);
        months = field(text, fields[3], 1, 12);
        weekdays = field(text, fields[4], 0, 7);
        if (weekdays.get(7)) {
            weekdays.set(0);
        }
        isEither = !fields[2].startsWith("*") && !fields[4].startsWith("*");
    }

    static Cron of(String text) {
        String[] fields = text.strip().split("\\s+", -1);
        if (fields.length != FIELDS) {
            throw wrong(text, "has " + fields.length + " fields");
        }
        return new Cron(text.strip(), fields);
    }

    private static BitSet field(String text, String field, int least, int most) {
        BitSet set = new BitSet();
        for (String part : field.split(",", -1)) {
            String[] steps = part.split("/", -1);
            if (steps.length > 2) {
                throw wrong(text, "'" + part + "' has two steps");
            }
            int step = steps.length == 2 ? number(text, steps[1], 1, most) : 1;
            int from = least;
            int to = most;
            if (!steps[0].equals("*")) {
                String[] range = steps[0].split("-", -1);
                if (range.length > 2) {
                    throw wrong(text, "'" + part + "' is no range");
                }
                from = number(text, range[0], least, most);
                to = range.length == 2 ? number(text, range[1], from, most) : steps.length == 2 ? most : from;
            }
            for (int value = from; value <= to; value += step) {
                set.set(value);
            }
        }
        return set;
    }

    private static int number(String text, String digits, int least, int most) {
        if (!digits.matches("\\d{1,4}")) {
            throw wrong(text, "'" + digits + "' is no number");
        }
        int value = Integer.parseInt(digits);
        if (value < least || value > most) {
            throw wrong(text, digits + " is not from " + least + " to " + most);
        }
        return value;
    }

    private static IllegalArgumentException wrong(String text, String why) {
        return new IllegalArgumentException(
                "'" + text + "' is no time of cron, since it " + (why.startsWith("has") ? "" : "holds what is wrong: ")
                        + why + ": write minute, hour, day of month, month and day of week, such as 0 8 * * 1-5");
    }

    /** The latest minute at or before this time that matches, and not longer ago than that; null if there is none. */
    @Nullable
    ZonedDateTime lastBefore(ZonedDateTime time, long withinMinutes) {
        ZonedDateTime minute = time.truncatedTo(ChronoUnit.MINUTES);
        ZonedDateTime oldest = minute.minusMinutes(withinMinutes);
        while (!minute.isBefore(oldest)) {
            if (!matchesDay(minute)) {
                minute = minute.truncatedTo(ChronoUnit.DAYS).minusMinutes(1);
            } else if (!hours.get(minute.getHour())) {
                minute = minute.truncatedTo(ChronoUnit.HOURS).minusMinutes(1);
            } else if (!minutes.get(minute.getMinute())) {
                minute = minute.minusMinutes(1);
            } else {
                return minute;
            }
        }
        return null;
    }

    private boolean matchesDay(ZonedDateTime time) {
        boolean isDay = days.get(time.getDayOfMonth());
        boolean isWeekday = weekdays.get(time.getDayOfWeek().getValue() % 7);
        return months.get(time.getMonthValue()) && (isEither ? isDay || isWeekday : isDay && isWeekday);
    }

    @Override
    public String toString() {
        return text;
    }
}
