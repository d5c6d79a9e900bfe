package dev.laneway.engine;

import dev.laneway.Health;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * What keeps records of one member from flowing, told by whoever waits for it and read by health. A condition has a
 * subject (a partition, a topic, "the broker") and begins with its first {@link #begin} until {@link #end}; to begin it
 * again changes its words and keeps its age. One that has just begun is no reason yet: waits that are over within
 * {@link #GRACE} are ordinary. Thread-safe.
 */
final class Conditions {
    /** How long something may wait before health tells of it. */
    static final Duration GRACE = Duration.ofSeconds(5);

    /** What a condition is about: the kind of wait and what waits, so that one partition may wait for two things. */
    record Subject(String kind, Object what) {}

    /** It counts until nobody has told of it for {@code validNanos}; for ever where those are negative. */
    private record Condition(Health.Status status, String reason, long sinceNanos, long toldNanos, long validNanos) {
        boolean isOver(long now) {
            return validNanos >= 0 && now - toldNanos >= validNanos;
        }
    }

    private final Host host;
    private final ConcurrentMap<Subject, Condition> ongoing = new ConcurrentHashMap<>();

    Conditions(Host host) {
        this.host = host;
    }

    /**
     * Something waits.
     *
     * @param status {@code DEGRADED} where other records flow, {@code DOWN} where none can
     * @param reason what waits, why, and what to do, without the time that has passed
     */
    void begin(Subject subject, Health.Status status, String reason) {
        begin(subject, status, reason, -1);
    }

    /** As {@link #begin}, for what may end unseen: it is over when it has not begun again for {@code valid}. */
    void begin(Subject subject, Health.Status status, String reason, Duration valid) {
        begin(subject, status, reason, valid.toNanos());
    }

    private void begin(Subject subject, Health.Status status, String reason, long validNanos) {
        long now = host.nanoTime();
        ongoing.compute(
                subject,
                (same, before) -> new Condition(
                        status,
                        reason,
                        before == null || before.isOver(now) ? now : before.sinceNanos,
                        now,
                        validNanos));
    }

    /** It goes on. */
    void end(Subject subject) {
        ongoing.remove(subject);
    }

    /** The reasons of this status whose grace is over, each with its age, the oldest first. */
    List<String> reasons(Health.Status status) {
        long now = host.nanoTime();
        ongoing.values().removeIf(condition -> condition.isOver(now));
        List<Condition> due = new ArrayList<>();
        for (Condition condition : ongoing.values()) {
            if (condition.status == status && now - condition.sinceNanos >= GRACE.toNanos()) {
                due.add(condition);
            }
        }
        due.sort(Comparator.comparingLong((Condition condition) -> condition.sinceNanos - now)
                .thenComparing(Condition::reason));
        return due.stream()
                .map(condition -> condition.reason + " (for "
                        + Duration.ofNanos(now - condition.sinceNanos).toSeconds() + " s)")
                .toList();
    }
}
