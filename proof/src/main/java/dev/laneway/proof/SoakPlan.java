package dev.laneway.proof;

import dev.laneway.Backoff;
import dev.laneway.FailurePolicy;
import java.time.Duration;

/** What a soak does. Immutable. */
record SoakPlan(Duration duration, int partitions, int keys, int concurrency, Duration work) {
    /** The load, as a share of what the consumer can do. */
    static final double LOAD = 0.7;

    /** The share of attempts that fail. */
    static final double FAIL_SHARE = 0.005;

    /** The share of records that always fail and become dead letters. */
    static final double POISON_SHARE = 0.001;

    static final int ATTEMPTS = 3;

    private static final Duration BACKOFF = Duration.ofMillis(20);
    private static final Duration LONGEST_ROUND = Duration.ofMinutes(1);
    private static final int LEAST_ROUNDS = 20;

    /** From one joining of the second member to the next: a minute, less where that would be too few samples. */
    Duration round() {
        Duration share = duration.dividedBy(LEAST_ROUNDS);
        return share.compareTo(LONGEST_ROUND) < 0 ? share : LONGEST_ROUND;
    }

    int rounds() {
        return Math.toIntExact(duration.dividedBy(round()));
    }

    FailurePolicy failurePolicy(String letters) {
        return FailurePolicy.retry(Backoff.fixed(BACKOFF), ATTEMPTS).thenDeadLetter(letters);
    }
}
