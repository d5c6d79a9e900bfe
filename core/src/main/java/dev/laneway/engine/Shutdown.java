package dev.laneway.engine;

import dev.laneway.State;
import dev.laneway.engine.commit.BlockingCalls;
import dev.laneway.engine.handle.StreamOutlet;
import dev.laneway.engine.runtime.DurationNanos;
import dev.laneway.engine.runtime.MemberLifecycle;
import dev.laneway.engine.runtime.ReadableDuration;
import dev.laneway.engine.runtime.Timers;
import dev.laneway.engine.track.Assignment;
import dev.laneway.engine.track.DelayedRecords;
import dev.laneway.engine.track.Partition;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The way to the end: drain, then close. Turns go on meanwhile, so the member stays in its group. The owner only. */
public final class Shutdown {
    /** How soon a last commit that was refused is made again. */
    static final long REFUSED_COMMIT_NANOS = 10_000_000;

    private static final long MOST_LEFT_NANOS = 10_000_000_000L;

    private final Assignment assignment;
    private final Runnable stopFetching;
    private final Timers timers;
    private final MemberLifecycle lifecycle;
    private final StreamOutlet outlet;
    private final BooleanSupplier leftovers;
    private boolean draining;
    private long drainUntilNanos;
    /** Whether what is held and can be done is done, where the rest is not waited for; null when all is. */
    private @Nullable BooleanSupplier finished;

    private boolean closing;
    /** What is waited for, in words. */
    private String waited = "a failure, which waits for nothing";

    private long closeUntilNanos;
    private boolean committing;
    private long commitUntilNanos;
    private boolean refused;
    private long commitAgainNanos;
    private boolean drainedAll;
    private @Nullable CompletableFuture<Boolean> answer;

    /** @param leftovers whether handlers are at work on what was given up */
    public Shutdown(MemberCore core, Runnable stopFetching, StreamOutlet outlet, BooleanSupplier leftovers) {
        this.assignment = core.assignment();
        this.stopFetching = stopFetching;
        this.timers = core.timers();
        this.lifecycle = core.lifecycle();
        this.outlet = outlet;
        this.leftovers = leftovers;
    }

    /** Fetches nothing new and closes when all that is held is done, or at the limit. */
    public void drain(Duration limit, CompletableFuture<Boolean> whenDone, long nowNanos) {
        CompletableFuture<Boolean> earlier = answer;
        if (earlier != null) {
            var _ = earlier.thenAccept(whenDone::complete);
            return;
        }
        answer = whenDone;
        if (!closing) {
            draining = true;
            drainUntilNanos = until(nowNanos, limit);
            waited = "the drain's limit of " + ReadableDuration.of(limit);
            stopFetching.run();
            lifecycle.to(State.DRAINING);
            timers.add(drainUntilNanos, () -> {});
        }
    }

    /**
     * Closes when all that is held and can be done is done, or at the limit: as {@link #drain}, for whom closing asks.
     * The shortest limit counts.
     *
     * @param enough whether the rest cannot be done within the limit
     */
    public void finish(Duration limit, BooleanSupplier enough, long nowNanos) {
        finished = enough;
        drain(limit, new CompletableFuture<>(), nowNanos);
        long wanted = until(nowNanos, limit);
        if (!closing && wanted - drainUntilNanos < 0) {
            drainUntilNanos = wanted;
            timers.add(drainUntilNanos, () -> {});
        }
    }

    /** When what is held must be done. */
    public long finishUntilNanos() {
        return drainUntilNanos;
    }

    /**
     * Starts no further record and ends when what is in flight has ended, or at the limit. The shortest limit counts.
     *
     * @param askedNanos since when the limit counts
     */
    public void close(Duration limit, long askedNanos) {
        long wanted = until(askedNanos, limit);
        if (closing && wanted - closeUntilNanos >= 0) {
            return;
        }
        closeUntilNanos = wanted;
        if (!limit.isZero() || !(closing || draining)) {
            waited = "the close limit of " + ReadableDuration.of(limit);
        }
        timers.add(closeUntilNanos, () -> {});
        if (!closing) {
            closing = true;
            stopFetching.run();
            lifecycle.to(State.CLOSING);
            outlet.ended(lifecycle.failure());
            assignment.all().forEach(partition -> partition.held.close());
        }
    }

    /** Whether the turn that asks is the last one. */
    public boolean isOver(long nowNanos) {
        if (draining && !closing) {
            boolean all = assignment.all().stream().allMatch(Shutdown::isEmpty);
            boolean enough = finished != null && (all || finished.getAsBoolean());
            boolean later = assignment.all().stream().allMatch(Shutdown::canDoNoMore);
            if (all || enough || later || nowNanos - drainUntilNanos >= 0) {
                drainedAll = all;
                close(enough ? Duration.ofNanos(Math.max(0, drainUntilNanos - nowNanos)) : Duration.ZERO, nowNanos);
            } else {
                assignment.all().forEach(partition -> {
                    partition.held.ripen(Long.MAX_VALUE); // No more will come to fill a batch.
                    if (partition.held.ledger.records() > 0) {
                        partition.held.signalBelow(0); // With none held it would signal at once, turn after turn.
                    }
                });
            }
        }
        if (!closing) {
            return false;
        }
        assignment.all().forEach(partition -> partition.held.close()); // Those assigned meanwhile too.
        return (isIdle() && !leftovers.getAsBoolean()) || nowNanos - closeUntilNanos >= 0;
    }

    /** All that it holds, if anything, waits for a time that has not come. */
    private static boolean canDoNoMore(Partition partition) {
        return isEmpty(partition) || (partition.track != null && DelayedRecords.areAll(partition.track));
    }

    private static boolean isEmpty(Partition partition) {
        return partition.held.ledger.allRecords() == 0
                && partition.held.busy() == 0
                && (partition.track == null || !DelayedRecords.areSome(partition.track));
    }

    /** Whether what is held is processed to its end before the close. */
    public boolean isDraining() {
        return draining && !closing;
    }

    /** Whether nothing may start any more. */
    boolean isClosing() {
        return closing;
    }

    /** The time left for the last commit and for leaving, each: what is left of the limit, but 1 s to 10 s. */
    Duration left(long nowNanos) {
        long left = closing ? closeUntilNanos - nowNanos : 0;
        return Duration.ofNanos(Math.max(BlockingCalls.LEAST_LEFT_NANOS, Math.min(MOST_LEFT_NANOS, left)));
    }

    /** The time left for the last commit, once everything else is over; zero when it has passed. */
    Duration leftToCommit(long nowNanos) {
        if (!committing) {
            committing = true;
            commitUntilNanos = nowNanos + left(nowNanos).toNanos();
        }
        return Duration.ofNanos(Math.max(0, commitUntilNanos - nowNanos));
    }

    /** The last commit was refused: it is made again, but not at once, since only polls can mend that. */
    void commitRefused(long nowNanos) {
        refused = true;
        commitAgainNanos = nowNanos + REFUSED_COMMIT_NANOS;
    }

    /** Whether the last commit was refused a moment ago. */
    boolean isCommitRefused(long nowNanos) {
        return refused && nowNanos - commitAgainNanos < 0;
    }

    /** How long what is in flight was waited for, in words. */
    String waited() {
        return waited;
    }

    /** Whether nothing is in flight. */
    boolean isIdle() {
        return assignment.all().stream().allMatch(partition -> partition.held.busy() == 0);
    }

    /** Everything has been closed: answer who waits. */
    void ended() {
        if (answer != null) {
            answer.complete(drainedAll);
        }
    }

    private static long until(long nowNanos, Duration limit) {
        return nowNanos + DurationNanos.of(limit);
    }
}
