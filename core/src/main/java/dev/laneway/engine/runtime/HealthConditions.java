package dev.laneway.engine.runtime;

import dev.laneway.Health;
import dev.laneway.Limits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Collectors;

/**
 * What keeps records of one member from flowing, told by whoever waits for it and read by health. A condition has a
 * subject (a partition, a topic, "the broker") and begins with its first {@link #begin} until {@link #end}; to begin it
 * again changes its words and keeps its age. One that has just begun is no reason yet: waits that are over within half
 * of the health limit are ordinary. The other half is for whoever notices late. Thread-safe.
 */
public final class HealthConditions {
    /** How long something may wait before health tells of it, with the default limit. */
    public static final Duration GRACE = Limits.DEFAULTS.healthLimit().dividedBy(2);

    private static final int NAMED = 5;
    private static final long FOR_EVER = -1;

    /**
     * What a condition is about: its cause, the kind of wait and what waits, so that one partition may wait for two
     * things.
     */
    public record Subject(Health.Cause cause, String kind, Object what) {}

    /** It counts until nobody has told of it for {@code validNanos}; for ever where those are negative. */
    private record Condition(
            Health.Status status,
            String reason,
            long sinceNanos,
            long toldNanos,
            long validNanos,
            boolean isToldAtOnce) {
        boolean isOver(long now) {
            return validNanos >= 0 && now - toldNanos >= validNanos;
        }
    }

    private record Due(String reason, long ageNanos) {}

    private final Host host;
    private final long graceNanos;
    private final ConcurrentMap<Subject, Condition> ongoing = new ConcurrentHashMap<>();

    public HealthConditions(Host host) {
        this(host, Limits.DEFAULTS.healthLimit());
    }

    /** @param healthLimit within which time health tells what has begun */
    public HealthConditions(Host host, Duration healthLimit) {
        this.host = host;
        this.graceNanos = healthLimit.toNanos() / 2;
    }

    /**
     * Something waits.
     *
     * @param status {@code DEGRADED} where other records flow, {@code DOWN} where none can, {@code UP} where all flow
     *     and something should be known
     * @param reason what waits, why, and what to do, without the time that has passed
     */
    public void begin(Subject subject, Health.Status status, String reason) {
        put(subject, status, reason, host.nanoTime(), FOR_EVER, false);
    }

    /** As {@link #begin(Subject, Health.Status, String)}; it has waited since then. */
    public void begin(Subject subject, Health.Status status, String reason, long sinceNanos) {
        put(subject, status, reason, sinceNanos, FOR_EVER, false);
    }

    /**
     * As {@link #begin(Subject, Health.Status, String)}, for what may end unseen: it is over when it has not begun
     * again for {@code valid}.
     */
    public void begin(Subject subject, Health.Status status, String reason, Duration valid) {
        put(subject, status, reason, host.nanoTime(), valid.toNanos(), false);
    }

    /** As {@link #begin(Subject, Health.Status, String)}, for what is no ordinary wait: health tells it at once. */
    public void tell(Subject subject, Health.Status status, String reason) {
        put(subject, status, reason, host.nanoTime(), FOR_EVER, true);
    }

    /** As {@link #tell(Subject, Health.Status, String)}; it has waited since then. */
    public void tell(Subject subject, Health.Status status, String reason, long sinceNanos) {
        put(subject, status, reason, sinceNanos, FOR_EVER, true);
    }

    private void put(
            Subject subject,
            Health.Status status,
            String reason,
            long sinceNanos,
            long validNanos,
            boolean isToldAtOnce) {
        long now = host.nanoTime();
        ongoing.compute(
                subject,
                (same, before) -> new Condition(
                        status,
                        reason,
                        before == null || before.isOver(now) ? sinceNanos : before.sinceNanos,
                        now,
                        validNanos,
                        isToldAtOnce));
    }

    /** It goes on. */
    public void end(Subject subject) {
        ongoing.remove(subject);
    }

    /** The reasons of this status whose grace is over, each with its age, the oldest first. */
    public List<String> reasons(Health.Status status) {
        long now = host.nanoTime();
        ongoing.values().removeIf(condition -> condition.isOver(now));
        List<Due> due = new ArrayList<>();
        ongoing.forEach((subject, condition) -> {
            if (condition.status == status && (condition.isToldAtOnce || now - condition.sinceNanos >= graceNanos)) {
                due.add(new Due(subject.cause.reason(condition.reason), now - condition.sinceNanos));
            }
        });
        due.sort(Comparator.comparingLong(Due::ageNanos).reversed().thenComparing(Due::reason));
        return due.stream()
                .map(one ->
                        one.reason + " (for " + Duration.ofNanos(one.ageNanos).toSeconds() + " s)")
                .toList();
    }

    /** The first few of many, and how many more there are. */
    public static String few(Collection<?> many) {
        String named = many.stream().limit(NAMED).map(String::valueOf).collect(Collectors.joining(", "));
        return many.size() <= NAMED ? named : named + " and " + (many.size() - NAMED) + " more";
    }
}
