package dev.laneway.proof;

import dev.laneway.cli.program.Text;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.cli.workload.Cluster;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Deletes the second topic of the members while it is written and read, and creates it again. Used by one thread;
 * requests to brokers run on another one, since they take long.
 */
final class ChaosTopics implements AutoCloseable {
    private static final Duration LEAST_GONE = Duration.ofSeconds(3);
    private static final Duration LONGEST_GONE = Duration.ofSeconds(10);
    /** How long it is written before it is deleted again, so that there is something to read. */
    private static final Duration WRITTEN = Duration.ofSeconds(3);

    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(1);

    private final Cluster cluster;
    private final RandomGenerator chance;
    private final FaultLog log;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final ExecutorService thread = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().name("laneway-topics").daemon().factory());
    private @Nullable CompletableFuture<Long> running;
    private @Nullable CompletableFuture<@Nullable Void> written;
    private int entry;

    /** The cluster's connection is closed with it. */
    ChaosTopics(Cluster cluster, RandomGenerator chance, FaultLog log) {
        this.cluster = cluster;
        this.chance = chance;
        this.log = log;
    }

    /** Whether the topic is away, or has just come back. */
    boolean isBusy() {
        return running != null || written != null;
    }

    /** Begins to delete the topic; false while it is away. */
    boolean begin() {
        if (isBusy()) {
            return false;
        }
        Duration gone = ChaosFaults.between(chance, LEAST_GONE, LONGEST_GONE);
        entry = log.made(
                Fault.Kind.DELETE_TOPIC,
                0,
                "topic " + ChaosPlan.PASSING + " is deleted, and created again after " + Text.duration(gone));
        running = CompletableFuture.supplyAsync(() -> replace(gone), thread);
        return true;
    }

    /** Says how it has ended, when it has. */
    void tick() {
        if (written != null && written.isDone()) {
            written = null;
        }
        CompletableFuture<Long> asked = running;
        if (asked == null || !asked.isDone()) {
            return;
        }
        running = null;
        try {
            long records = asked.join();
            log.over(
                    entry,
                    "topic " + ChaosPlan.PASSING + " is there again; " + Text.count(records) + " records went with it");
            written = CompletableFuture.runAsync(() -> pause(WRITTEN), thread);
        } catch (CompletionException failed) {
            log.failed(entry, "topic " + ChaosPlan.PASSING + " could not be replaced: " + failed.getCause());
        }
    }

    /**
     * Returns how many records it held. Whatever the brokers answer, the topic exists in the end, so that the run can
     * go on with it.
     */
    private long replace(Duration gone) {
        Optional<Uuid> before = Optional.empty();
        long records = 0;
        @Nullable VerbFailure refused = null;
        try {
            before = cluster.topicId(ChaosPlan.PASSING);
            if (before.isPresent()) {
                records = cluster.endOffsets(ChaosPlan.PASSING, ChaosPlan.PASSING_PARTITIONS).values().stream()
                        .mapToLong(Long::longValue)
                        .sum();
                cluster.deleteTopic(ChaosPlan.PASSING);
            }
        } catch (VerbFailure unsure) {
            refused = unsure; // Also if the answer was lost: it may be deleted nevertheless.
        }
        pause(gone);
        Optional<Uuid> after = create();
        if (after.equals(before)) {
            throw refused == null ? new VerbFailure("the brokers have kept it") : refused;
        }
        return records;
    }

    /** Tries until the topic is there, or this is closed. */
    private Optional<Uuid> create() {
        while (true) {
            try {
                cluster.ensureTopic(ChaosPlan.PASSING, ChaosPlan.PASSING_PARTITIONS);
                return cluster.topicId(ChaosPlan.PASSING);
            } catch (VerbFailure failed) {
                if (closed.getCount() == 0) {
                    throw failed;
                }
                pause(BETWEEN_TRIES);
            }
        }
    }

    private void pause(Duration length) {
        try {
            var _ = closed.await(length.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed.countDown();
        thread.shutdownNow();
        cluster.close();
    }
}
