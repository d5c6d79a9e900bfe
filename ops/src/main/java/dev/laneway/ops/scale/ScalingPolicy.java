package dev.laneway.ops.scale;

import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a group's owner wants: bounds, goals, patience, and when. Immutable. */
public final class ScalingPolicy {
    /** All as usual. */
    public static final ScalingPolicy USUAL = of(Map.of());

    private static final String SCHEDULE = "schedule.";
    private static final String EXCLUDED = "excluded.";
    private static final String ZONE = "zone";

    private final SortedMap<String, String> set;
    private final Map<ScalingOption, Double> values;
    private final List<ScheduledPeriod> schedules;
    private final List<ScheduledPeriod> excluded;
    private final ZoneId zone;

    private ScalingPolicy(Map<String, String> given) {
        set = Collections.unmodifiableSortedMap(new TreeMap<>(given));
        values = new EnumMap<>(ScalingOption.class);
        Arrays.stream(ScalingOption.values()).forEach(option -> values.put(option, option.usual()));
        List<ScheduledPeriod> bounded = new ArrayList<>();
        List<ScheduledPeriod> without = new ArrayList<>();
        ZoneId where = ZoneOffset.UTC;
        for (Map.Entry<String, String> each : set.entrySet()) {
            String key = each.getKey();
            String text = each.getValue().strip();
            if (key.startsWith(SCHEDULE)) {
                bounded.add(ScheduledPeriod.of(key, text, true));
            } else if (key.startsWith(EXCLUDED)) {
                without.add(ScheduledPeriod.of(key, text, false));
            } else if (key.equals(ZONE)) {
                where = zone(text);
            } else {
                ScalingOption option = option(key);
                values.put(option, option.checked(number(key, text)));
            }
        }
        schedules = List.copyOf(bounded);
        excluded = List.copyOf(without);
        zone = where;
        checkTogether();
    }

    /**
     * A policy of what differs from the usual one, as a properties file has it.
     *
     * @throws IllegalArgumentException if there is no such option, or a value breaks a rule; says the remedy
     */
    public static ScalingPolicy of(Map<String, String> given) {
        return new ScalingPolicy(given);
    }

    /** The same with another value of one option. */
    public ScalingPolicy with(ScalingOption option, double value) {
        return with(option.key(), option.isWhole() ? Long.toString(whole(option, value)) : Double.toString(value));
    }

    private static long whole(ScalingOption option, double value) {
        return (long) option.checked(value);
    }

    /** The same with another value of one key. */
    public ScalingPolicy with(String key, String value) {
        Map<String, String> changed = new TreeMap<>(set);
        changed.put(key, value);
        return new ScalingPolicy(changed);
    }

    /** What differs from the usual policy, by key. */
    public SortedMap<String, String> given() {
        return set;
    }

    /** The value of an option. */
    public double get(ScalingOption option) {
        return Objects.requireNonNull(values.get(option));
    }

    long millis(ScalingOption option) {
        return (long) (get(option) * 1_000);
    }

    int whole(ScalingOption option) {
        return (int) get(option);
    }

    /** The period with bounds of its own that runs at this time; of several the first by name. */
    @Nullable
    ScheduledPeriod scheduleAt(long atMillis) {
        return running(schedules, atMillis);
    }

    /** The period without changes that runs at this time; of several the first by name. */
    @Nullable
    ScheduledPeriod excludedAt(long atMillis) {
        return running(excluded, atMillis);
    }

    ZoneId zone() {
        return zone;
    }

    private @Nullable ScheduledPeriod running(List<ScheduledPeriod> periods, long atMillis) {
        for (ScheduledPeriod period : periods) {
            if (period.endsAt(atMillis, zone) != null) {
                return period;
            }
        }
        return null;
    }

    private void checkTogether() {
        int min = whole(ScalingOption.REPLICAS_MIN);
        int max = whole(ScalingOption.REPLICAS_MAX);
        ascend(ScalingOption.REPLICAS_MIN, ScalingOption.REPLICAS_MAX);
        ascend(ScalingOption.TARGET, ScalingOption.MAX);
        ascend(ScalingOption.DOWN, ScalingOption.MAX);
        for (ScheduledPeriod schedule : schedules) {
            if (schedule.min() < min || schedule.max() > max || schedule.min() > schedule.max()) {
                throw new IllegalArgumentException(SCHEDULE + schedule.name() + " has the bounds " + schedule.min()
                        + ".." + schedule.max() + " but they must ascend, within replicas.min and replicas.max, " + min
                        + ".." + max + ": narrow them, or widen those");
            }
        }
    }

    private void ascend(ScalingOption low, ScalingOption high) {
        if (get(low) > get(high)) {
            throw new IllegalArgumentException(low.key() + " is " + Num.of(get(low)) + " but must be at most "
                    + high.key() + ", which is " + Num.of(get(high)) + ": lower it, or raise that");
        }
    }

    private static ScalingOption option(String key) {
        return Arrays.stream(ScalingOption.values())
                .filter(option -> option.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(key + " is no option of a policy: it must be one of "
                        + Arrays.stream(ScalingOption.values())
                                .map(ScalingOption::key)
                                .sorted()
                                .collect(Collectors.joining(", "))
                        + ", schedule.NAME, excluded.NAME or zone"));
    }

    private static double number(String key, String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException wrong) {
            throw new IllegalArgumentException(key + " is " + text + " but must be a number: write it like 0.7", wrong);
        }
    }

    private static ZoneId zone(String text) {
        try {
            return ZoneId.of(text);
        } catch (DateTimeException wrong) {
            throw new IllegalArgumentException(
                    "zone is " + text + " but must be a time zone: write it like Europe/Berlin", wrong);
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ScalingPolicy policy && policy.set.equals(set);
    }

    @Override
    public int hashCode() {
        return set.hashCode();
    }

    @Override
    public String toString() {
        return set.toString();
    }
}
