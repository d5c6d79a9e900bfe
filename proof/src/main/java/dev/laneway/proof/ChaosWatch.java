package dev.laneway.proof;

import dev.laneway.cli.program.VerbFailure;
import dev.laneway.cli.workload.Cluster;
import dev.laneway.cli.workload.Progress;
import java.time.Duration;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;

/**
 * Looks at the cluster once a second, on its own thread, since requests to brokers that are down take long. Read by any
 * thread.
 */
final class ChaosWatch implements AutoCloseable {
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final ChaosPlan plan;
    private final Cluster cluster;
    private final LongSupplier produced;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;
    private volatile long inSyncAsOfNanos = Long.MIN_VALUE;
    private volatile State state = new State(Long.MIN_VALUE, 0, Progress.emptyLag());

    /**
     * What was seen of the records. Immutable.
     *
     * @param asOfNanos when the question was asked
     * @param copied copies in the output
     * @param lag records that are not committed yet, by partition
     */
    record State(long asOfNanos, long copied, SortedMap<String, Long> lag) {
        long totalLag() {
            return lag.values().stream().mapToLong(Long::longValue).sum();
        }
    }

    private ChaosWatch(ChaosPlan plan, Cluster cluster, LongSupplier produced) {
        this.plan = plan;
        this.cluster = cluster;
        this.produced = produced;
        this.thread = Thread.ofPlatform().name("laneway-watch").daemon().unstarted(this::look);
    }

    /** Starts to look; the cluster's connection is closed with it. */
    static ChaosWatch start(ChaosPlan plan, Cluster cluster, LongSupplier produced) {
        ChaosWatch watch = new ChaosWatch(plan, cluster, produced);
        watch.thread.start();
        return watch;
    }

    /** Whether a question asked after this moment found every replica in sync. */
    boolean isInSyncSince(long nanos) {
        return inSyncAsOfNanos != Long.MIN_VALUE && inSyncAsOfNanos - nanos > 0;
    }

    State state() {
        return state;
    }

    /** How far the run is; the total is what is planned. */
    Progress progress() {
        State seen = state;
        return new Progress(
                Math.min(seen.copied(), Math.max(0, produced.getAsLong() - seen.totalLag())),
                plan.records(),
                Progress.UNKNOWN,
                Progress.UNKNOWN,
                seen.lag());
    }

    private void look() {
        try {
            do {
                quietly(this::lookAtReplicas);
                quietly(this::lookAtRecords);
            } while (!closed.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Brokers are down on purpose; the next look asks again. */
    private static void quietly(Runnable question) {
        try {
            question.run();
        } catch (VerbFailure unanswered) {
            // The state stays as it was.
        }
    }

    private void lookAtReplicas() {
        long now = System.nanoTime();
        if (cluster.brokers() == plan.brokers() && cluster.isInSync(plan.allTopics(), plan.replicas())) {
            inSyncAsOfNanos = now;
        }
    }

    private void lookAtRecords() {
        long now = System.nanoTime();
        Map<TopicPartition, Long> left = plan.uncommitted(cluster, ChaosPlan.TOPIC, plan.partitions());
        long copied = cluster.endOffsets(ChaosPlan.COPIES, plan.partitions()).values().stream()
                .mapToLong(Long::longValue)
                .sum();
        SortedMap<String, Long> lag = Progress.emptyLag();
        left.forEach((id, records) -> lag.put(Integer.toString(id.partition()), records));
        if (plan.hasPassing()) {
            lag.put(ChaosPlan.PASSING, lagOfPassing());
        }
        state = new State(now, copied, lag);
    }

    /** Unknown while the topic is deleted, so not zero. */
    private long lagOfPassing() {
        try {
            return plan.uncommitted(cluster, ChaosPlan.PASSING, ChaosPlan.PASSING_PARTITIONS).values().stream()
                    .mapToLong(Math::abs) // A commit beyond the end is as wrong as one before it.
                    .sum();
        } catch (VerbFailure away) {
            return 1;
        }
    }

    @Override
    public void close() {
        closed.countDown();
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        cluster.close();
    }
}
