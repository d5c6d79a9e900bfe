package dev.laneway.engine;

import dev.laneway.Counters;
import java.util.concurrent.atomic.LongAdder;

/**
 * What happened, counted by whoever sees it. Workers add once per run of the hot path, not once per record.
 * Thread-safe.
 */
final class Counts {
    final LongAdder processed = new LongAdder();
    final LongAdder failedAttempts = new LongAdder();
    final LongAdder retries = new LongAdder();
    final LongAdder skipped = new LongAdder();
    final LongAdder deadLettered = new LongAdder();
    final LongAdder emitted = new LongAdder();
    final LongAdder late = new LongAdder();
    final LongAdder dropped = new LongAdder();
    final LongAdder commits = new LongAdder();
    final LongAdder failedCommits = new LongAdder();
    final LongAdder archived = new LongAdder();
    final LongAdder rebalances = new LongAdder();
    final LongAdder workersStarted = new LongAdder();

    Counters read() {
        return new Counters(
                processed.sum(),
                failedAttempts.sum(),
                retries.sum(),
                skipped.sum(),
                deadLettered.sum(),
                emitted.sum(),
                late.sum(),
                dropped.sum(),
                commits.sum(),
                failedCommits.sum(),
                archived.sum(),
                rebalances.sum(),
                workersStarted.sum());
    }
}
