package dev.laneway.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import kafka.server.BrokerServer;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.security.authenticator.CredentialCache;
import org.apache.kafka.common.security.scram.ScramCredential;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.server.metrics.KafkaMetricsGroup;
import org.jspecify.annotations.Nullable;

/**
 * One broker of an embedded cluster, started and ended any number of times on the same ports and directory.
 * Thread-safe.
 */
final class BrokerNode {

    /** The limit for handing leadership over; then the broker ends without. */
    private static final Duration HANDOVER_LIMIT = Duration.ofSeconds(10);

    private static final KafkaMetricsGroup LOG_MANAGER = new KafkaMetricsGroup("kafka.log", "LogManager");

    private final int id;
    private final Listeners listeners;
    private final Path directory;
    private final Map<String, String> properties;
    private final ServerFaults faults;
    private volatile @Nullable BrokerServer server;

    BrokerNode(int id, Listeners listeners, Path directory, Map<String, String> properties, ServerFaults faults) {
        this.id = id;
        this.listeners = listeners;
        this.directory = directory;
        this.properties = properties;
        this.faults = faults;
    }

    int id() {
        return id;
    }

    String address(String listener) {
        return listeners.address(listener);
    }

    boolean isRunning() {
        return server != null;
    }

    /** The cluster's metadata as this broker knows it, or empty while it is down. */
    Optional<MetadataImage> metadata() {
        @Nullable BrokerServer running = server;
        return running == null || running.metadataCache() == null
                ? Optional.empty()
                : Optional.of(running.metadataCache().currentImage());
    }

    /** The partition of the offsets topic that keeps a group, or empty while the broker is down. */
    Optional<Integer> offsetsPartitionOf(String group) {
        @Nullable BrokerServer running = server;
        return running == null
                ? Optional.empty()
                : Optional.of(running.groupCoordinator().partitionFor(group));
    }

    /** Whether the running broker lets these users in. */
    boolean knows(SaslMechanism mechanism, Set<String> users) {
        CredentialCache.@Nullable Cache<ScramCredential> cache =
                running().credentialProvider().credentialCache.cache(mechanism.kafkaName(), ScramCredential.class);
        return cache != null && users.stream().allMatch(user -> cache.get(user) != null);
    }

    /** Whether the running broker acts on a rule. */
    boolean hasRule(AclBinding rule) {
        Iterator<AclBinding> found =
                running().authorizerPlugin().get().get().acls(rule.toFilter()).iterator();
        return found.hasNext();
    }

    synchronized void start() {
        if (server != null) {
            throw new IllegalStateException(
                    "node " + id + " is running; stop(" + id + ") or kill(" + id + ") it first");
        }
        try {
            BrokerServer starting = new BrokerServer(
                    ServerParts.of(properties, listeners, faults).shared());
            starting.startup();
            server = starting;
        } catch (RuntimeException e) {
            IllegalStateException told =
                    new IllegalStateException("node " + id + " did not start: " + e.getMessage(), e);
            try {
                listeners.hold();
            } catch (RuntimeException lost) {
                told.addSuppressed(lost);
            }
            throw told;
        }
    }

    /** Hands leadership over, closes the logs, and leaves the clean marker. */
    synchronized void stop() {
        BrokerServer stopping = running();
        server = null;
        stopping.shutdown(HANDOVER_LIMIT);
        ended(stopping);
        listeners.hold();
    }

    synchronized void stopIfRunning() {
        if (server != null) {
            stop();
        }
    }

    /** Ends as {@link EmbeddedKafka#kill} describes. */
    synchronized void kill() {
        BrokerServer killed = running();
        server = null;
        try {
            CrashFiles atCrash = CrashFiles.read(directory);
            abandon(killed);
            killed.shutdown(Duration.ZERO);
            ended(killed);
            atCrash.restore();
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "directory " + directory + " of node " + id + " could not be left as after a crash", e);
        }
        listeners.hold();
    }

    /** Stops a running broker without handing anything over: for a cluster that ends as a whole. */
    synchronized void close() {
        @Nullable BrokerServer closing = server;
        server = null;
        if (closing != null) {
            abandon(closing);
            closing.shutdown(Duration.ZERO);
            ended(closing);
        }
    }

    /**
     * Cuts the clients off, then the controller: with its lifecycle closed a broker cannot ask for a controlled
     * shutdown.
     */
    private void abandon(BrokerServer broker) {
        broker.socketServer().stopProcessingRequests();
        try {
            broker.lifecycleManager().close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while node " + id + " was ending", e);
        }
    }

    /** Removes what a stopped server leaves in the process. */
    private void ended(BrokerServer broker) {
        LateConnections.close(broker.socketServer());
        // Kafka 4.3 does not remove this gauge, which keeps the whole broker in memory.
        LOG_MANAGER.removeMetric("LogDirectoryCordoned", Map.of("logDirectory", directory.toString()));
    }

    private BrokerServer running() {
        @Nullable BrokerServer running = server;
        if (running == null) {
            throw new IllegalStateException("node " + id + " is not running; start(" + id + ") it first");
        }
        return running;
    }
}
