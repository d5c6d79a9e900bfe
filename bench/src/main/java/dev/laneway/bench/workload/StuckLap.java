package dev.laneway.bench.workload;

import dev.laneway.bench.measure.ArmAdmin;
import dev.laneway.bench.measure.ArmSpec;
import dev.laneway.bench.measure.Audit;
import dev.laneway.bench.measure.Commits;
import dev.laneway.bench.measure.LiveHeap;
import dev.laneway.bench.measure.Probe;
import dev.laneway.bench.measure.Task;
import dev.laneway.bench.peer.Peer;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One lap over a topic of which one key may be stuck: until all records of the other keys are done, then until those of
 * the stuck key are, too, once it is released. Used by one thread.
 */
final class StuckLap {
    private static final long LOOK_NANOS = 200_000;
    private static final long HEAP_NANOS = Duration.ofMillis(200).toNanos();
    private static final Duration JOIN_LIMIT = Duration.ofSeconds(30);
    /** A consumer that does nothing for so long has stalled. */
    private static final Duration STALLED = Duration.ofSeconds(5);
    /** Longer than a commit interval, and its answer. */
    private static final Duration COMMITTED = Duration.ofSeconds(2);

    private final ArmSpec spec;
    private final HangingKeys keys;
    private final String group;
    private final Probe probe;
    private final Peer.Running running;
    private final @Nullable LiveHeap heap;
    private final long stuckRecords;
    private final long startNanos = System.nanoTime();
    private long lookedNanos = startNanos;
    private boolean stalled;

    /**
     * Starts to consume.
     *
     * @param group a new one
     * @param heap looks at the live heap meanwhile, which costs much; null does not
     */
    StuckLap(ArmSpec spec, Peer peer, String group, HangingKeys keys, @Nullable Audit audit, @Nullable LiveHeap heap)
            throws Exception {
        this.spec = spec;
        this.keys = keys;
        this.group = group;
        this.heap = heap;
        this.stuckRecords = spec.number("stuck-records");
        this.probe = new Probe(keys.work(), audit);
        this.running = peer.start(task(spec, spec.topic(), group, probe));
    }

    static Task task(ArmSpec spec, String topic, String group, Probe probe) {
        return new Task(
                spec.bootstrap(),
                topic,
                spec.partitions(),
                group,
                Math.toIntExact(spec.number("concurrency")),
                Commits.BATCH,
                1_000,
                probe);
    }

    HangingKeys keys() {
        return keys;
    }

    /** Waits until all records of the other keys are done; returns the seconds since the first record. */
    double awaitOthers(Duration limit) throws Exception {
        long end = await(this::othersDone, others(), limit);
        return (end - probe.firstNanos()) / 1e9;
    }

    /** Waits until all records are done; returns the seconds that it took. */
    double awaitAll(Duration limit) throws Exception {
        long start = System.nanoTime();
        return (await(probe::done, spec.records(), limit) - start) / 1e9;
    }

    /** Waits until the latest progress is committed; returns the characters of the longest metadata. */
    int awaitMetadata(ArmAdmin admin) throws Exception {
        long start = System.nanoTime();
        await(() -> System.nanoTime() - start > COMMITTED.toNanos());
        return admin.metadataChars(group);
    }

    /** Records of the other keys that are done. */
    long othersDone() {
        return probe.done() - keys.done();
    }

    /** How many records the other keys have. */
    long others() {
        return spec.records() - stuckRecords;
    }

    boolean hasAllOthers() {
        return othersDone() >= others();
    }

    /** Whether it had done nothing for some time when a wait was given up. */
    boolean hasStalled() {
        return stalled;
    }

    /** What is wrong with a lap whose waits have ended well; null if nothing is. */
    @Nullable
    String fault(@Nullable Audit audit) {
        if (audit != null && audit.violation() != null) {
            return audit.violation();
        }
        return probe.done() == spec.records()
                ? null
                : "handled " + probe.done() + " records of " + spec.records() + " after the release";
    }

    /** Returns when it reached the count, or gave up. */
    private long await(LongSupplier done, long count, Duration limit) throws Exception {
        long begun = System.nanoTime();
        long last = -1;
        long moved = begun;
        while (done.getAsLong() < count) {
            long now = System.nanoTime();
            if (probe.firstNanos() == 0) {
                if (now - startNanos > JOIN_LIMIT.toNanos()) {
                    throw new IllegalStateException("handled nothing in " + JOIN_LIMIT.toSeconds() + " s");
                }
                begun = now;
                moved = now;
            }
            long at = done.getAsLong();
            if (at != last) {
                last = at;
                moved = now;
            }
            stalled = now - moved > STALLED.toNanos();
            if (stalled || now - begun > limit.toNanos()) {
                return moved;
            }
            look();
        }
        return System.nanoTime();
    }

    private void await(BooleanSupplier isOver) throws Exception {
        while (!isOver.getAsBoolean()) {
            look();
        }
    }

    private void look() throws Exception {
        running.check();
        long now = System.nanoTime();
        if (heap != null && now - lookedNanos > HEAP_NANOS) {
            heap.look();
            lookedNanos = System.nanoTime();
        }
        LockSupport.parkNanos(LOOK_NANOS);
    }

    /** Releases the key, and ends. */
    void end() throws Exception {
        keys.releaseAll();
        running.close();
    }
}
