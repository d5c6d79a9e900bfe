package dev.laneway.kubernetes;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfig;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElector;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Which one of several autoscalers acts: the one that has a Lease. One that loses it, such as by a pause or a lost
 * network, stands for election again. Thread-safe.
 */
final class Leadership implements AutoCloseable {
    private static final Duration LEASE = Duration.ofSeconds(15);
    private static final Duration RENEW = Duration.ofSeconds(10);
    private static final Duration RETRY = Duration.ofSeconds(2);

    private final KubernetesClient client;
    private final LeaderElectionConfig config;
    private final ExecutorService executor = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("laneway-lease-", 0).factory());

    private volatile boolean isLeader;
    private volatile boolean isClosed;
    private volatile @Nullable String leader;
    private @Nullable CompletableFuture<?> election;
    private @Nullable CompletableFuture<?> next;

    /** @param identity of this process, another one for each */
    Leadership(KubernetesClient client, String namespace, String lease, String identity) {
        this(client, namespace, lease, identity, new Duration[] {LEASE, RENEW, RETRY});
    }

    Leadership(KubernetesClient client, String namespace, String lease, String identity, Duration[] pace) {
        this.client = client;
        this.config = new LeaderElectionConfigBuilder()
                .withName(lease)
                .withLeaseDuration(pace[0])
                .withRenewDeadline(pace[1])
                .withRetryPeriod(pace[2])
                .withReleaseOnCancel(true)
                .withLock(new LeaseLock(namespace, lease, identity))
                .withLeaderCallbacks(
                        new LeaderCallbacks(() -> isLeader = true, () -> isLeader = false, name -> leader = name))
                .build();
        stand();
    }

    private synchronized void stand() {
        if (isClosed) {
            return;
        }
        CompletableFuture<?> begun = new LeaderElector(client, config, executor).start();
        election = begun;
        next = begun.whenCompleteAsync(
                (_, _) -> {
                    isLeader = false;
                    stand();
                },
                CompletableFuture.delayedExecutor(RETRY.toMillis(), TimeUnit.MILLISECONDS));
    }

    /** Why this one must not act, in words; null if it leads. */
    @Nullable
    String standby() {
        if (isLeader) {
            return null;
        }
        String name = leader;
        return name == null || name.isEmpty()
                ? "no autoscaler has lease " + config.getName() + " yet"
                : "autoscaler " + name + " has lease " + config.getName();
    }

    /** Gives the lease up. */
    @Override
    public synchronized void close() {
        isClosed = true;
        isLeader = false;
        if (election != null) {
            election.cancel(true);
        }
        if (next != null) {
            next.cancel(false);
        }
        executor.shutdown();
    }
}
