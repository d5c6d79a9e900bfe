package dev.laneway.proof;

import dev.laneway.cli.workload.Cluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.random.RandomGenerator;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Moves the leadership of partitions, as an operator or a rebalancing tool does: it reorders their replicas, or chooses
 * other brokers, and the first one is elected. Groups move with their coordinator's partition. Used by one thread;
 * requests to brokers run on another one, since they take long.
 */
final class ChaosLeaders implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Duration SEEN_LIMIT = Duration.ofSeconds(3);

    private final ChaosPlan plan;
    private final Cluster cluster;
    private final RandomGenerator chance;
    private final FaultLog log;
    private final ExecutorService thread = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().name("laneway-leaders").daemon().factory());
    private @Nullable CompletableFuture<Integer> moving;
    private int entry;

    /** The cluster's connection is closed with it. */
    ChaosLeaders(ChaosPlan plan, Cluster cluster, RandomGenerator chance, FaultLog log) {
        this.plan = plan;
        this.cluster = cluster;
        this.chance = chance;
        this.log = log;
    }

    /** Whether a move is on its way. */
    boolean isBusy() {
        return moving != null;
    }

    /** Begins to move about half of the partitions; false while the last move is on its way. */
    boolean begin() {
        if (moving != null) {
            return false;
        }
        long seed = chance.nextLong();
        entry = log.made(Fault.Kind.MOVE_LEADERS, 0, "leaders of about half of the partitions are moved");
        moving = CompletableFuture.supplyAsync(() -> move(new Random(seed)), thread);
        return true;
    }

    /** Says how a move has ended, when it has. */
    void tick() {
        CompletableFuture<Integer> asked = moving;
        if (asked == null || !asked.isDone()) {
            return;
        }
        moving = null;
        try {
            int moved = asked.join();
            if (moved > 0) {
                log.over(entry, "leaders of " + moved + " partitions have moved");
            } else {
                log.failed(entry, "no leader has moved");
            }
        } catch (CompletionException failed) {
            log.failed(entry, "leaders could not be moved: " + failed.getCause());
        }
    }

    private int move(Random random) {
        List<String> topics = plan.allTopics();
        Map<TopicPartition, Integer> before = cluster.leaders(topics);
        Map<TopicPartition, List<Integer>> wanted = new HashMap<>();
        for (TopicPartition id : before.keySet()) {
            if (random.nextBoolean()) {
                wanted.put(id, replicas(random));
            }
        }
        if (wanted.isEmpty()) {
            return 0;
        }
        cluster.reassign(wanted, LIMIT);
        cluster.electPreferred(wanted.keySet());
        long deadline = System.nanoTime() + SEEN_LIMIT.toNanos();
        int moved;
        do { // The broker that answers may not know of it yet.
            Map<TopicPartition, Integer> after = cluster.leaders(topics);
            moved = (int) before.entrySet().stream()
                    .filter(leader -> !leader.getValue().equals(after.get(leader.getKey())))
                    .count();
        } while (moved == 0 && System.nanoTime() - deadline < 0);
        return moved;
    }

    private List<Integer> replicas(Random random) {
        List<Integer> ids = new ArrayList<>();
        for (int id = 1; id <= plan.brokers(); id++) {
            ids.add(id);
        }
        Collections.shuffle(ids, random);
        return List.copyOf(ids.subList(0, plan.replicas()));
    }

    @Override
    public void close() {
        thread.shutdownNow();
        cluster.close();
    }
}
