package dev.laneway.testkit;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Server properties of an embedded cluster: one controller and its brokers.
 *
 * <p>The controller is a node of its own, so that a broker can be killed without touching the quorum, as in a
 * production cluster.
 */
final class ServerProperties {

    static final int CONTROLLER_ID = 100;
    static final String CONTROLLER_LISTENER = "CONTROLLER";

    /** Properties that the cluster sets itself; the builder refuses them. */
    static final Set<String> RESERVED = Set.of(
            "process.roles",
            "node.id",
            "broker.id",
            "controller.quorum.voters",
            "controller.quorum.bootstrap.servers",
            "controller.listener.names",
            "listeners",
            "advertised.listeners",
            "inter.broker.listener.name",
            "log.dir",
            "log.dirs",
            "metadata.log.dir");

    private final int nodes;
    private final String quorumVoters;
    private final List<String> clientListeners;
    private final Security security;
    private final @Nullable Certificates certificates;
    private final Map<String, String> overrides;

    ServerProperties(EmbeddedKafkaBuilder.Options options, Port controllerPort, @Nullable Certificates certificates) {
        this.nodes = options.nodes();
        this.quorumVoters = CONTROLLER_ID + "@" + controllerPort.address();
        this.clientListeners = Stream.concat(
                        Stream.of(Listeners.CLIENT), options.networks().stream().map(Listeners::ofNetwork))
                .toList();
        this.security = options.security();
        this.certificates = certificates;
        this.overrides = options.serverProperties();
    }

    Map<String, String> controller(Port port, Path directory) {
        Map<String, String> properties = common(CONTROLLER_ID, directory);
        properties.put("process.roles", "controller");
        // Only for the controller, which decides; brokers would warn about it.
        properties.putIfAbsent("default.replication.factor", Integer.toString(nodes));
        properties.put("listeners", CONTROLLER_LISTENER + "://" + port.address());
        return properties;
    }

    Map<String, String> broker(int id, Listeners listeners, Path directory) {
        Map<String, String> properties = common(id, directory);
        properties.put("process.roles", "broker");
        properties.put("listeners", listeners.bound());
        properties.put("advertised.listeners", listeners.advertised());
        properties.put("inter.broker.listener.name", security.isOn() ? Listeners.INTERNAL : Listeners.CLIENT);
        return properties;
    }

    private Map<String, String> common(int id, Path directory) {
        Map<String, String> properties = new HashMap<>();
        replication(properties);
        footprint(properties);
        pace(properties);
        properties.put("auto.create.topics.enable", "false");
        properties.put("listener.security.protocol.map", protocols());
        properties.putAll(security.server(certificates, clientListeners));
        properties.putAll(overrides);
        properties.put("node.id", Integer.toString(id));
        properties.put("log.dirs", directory.toString());
        properties.put("controller.quorum.voters", quorumVoters);
        properties.put("controller.listener.names", CONTROLLER_LISTENER);
        return properties;
    }

    private String protocols() {
        return Stream.concat(
                        Stream.of(CONTROLLER_LISTENER + ":PLAINTEXT", Listeners.INTERNAL + ":PLAINTEXT"),
                        clientListeners.stream().map(name -> name + ":" + security.protocol()))
                .collect(Collectors.joining(","));
    }

    /** As many replicas as nodes. With three nodes two in-sync replicas are required, so that one may die. */
    private void replication(Map<String, String> properties) {
        String replicas = Integer.toString(nodes);
        String inSync = nodes >= 3 ? "2" : "1";
        properties.put("min.insync.replicas", inSync);
        properties.put("offsets.topic.replication.factor", replicas);
        properties.put("transaction.state.log.replication.factor", replicas);
        properties.put("transaction.state.log.min.isr", inSync);
        properties.put("share.coordinator.state.topic.replication.factor", replicas);
        properties.put("share.coordinator.state.topic.min.isr", inSync);
    }

    /**
     * Few threads and little memory, since the tests share the process. The cleaner's buffer alone has 128 MiB per
     * broker by default.
     */
    private static void footprint(Map<String, String> properties) {
        properties.put("offsets.topic.num.partitions", "4");
        properties.put("transaction.state.log.num.partitions", "4");
        properties.put("share.coordinator.state.topic.num.partitions", "4");
        properties.put("num.network.threads", "2");
        properties.put("num.io.threads", "4");
        properties.put("background.threads", "2");
        properties.put("num.recovery.threads.per.data.dir", "1");
        properties.put("log.cleaner.dedupe.buffer.size", Integer.toString(4 << 20));
        properties.put("metric.reporters", "");
    }

    /** Makes rebalances, fail-over, retention and compaction quick, and allows short sessions. */
    private static void pace(Map<String, String> properties) {
        properties.put("group.initial.rebalance.delay.ms", "0");
        properties.put("group.min.session.timeout.ms", "100");
        properties.put("group.consumer.heartbeat.interval.ms", "500");
        properties.put("group.consumer.min.heartbeat.interval.ms", "100");
        properties.put("group.consumer.min.session.timeout.ms", "1000");
        properties.put("group.share.heartbeat.interval.ms", "500");
        properties.put("group.share.min.heartbeat.interval.ms", "100");
        properties.put("group.share.min.session.timeout.ms", "1000");
        properties.put("group.share.min.record.lock.duration.ms", "1000");
        properties.put("group.share.assignment.interval.ms", "0");
        properties.put("broker.heartbeat.interval.ms", "500");
        properties.put("broker.session.timeout.ms", "3000");
        properties.put("log.initial.task.delay.ms", "500");
        properties.put("log.retention.check.interval.ms", "1000");
        // Tests choose timestamps: records of 1970 would be deleted at once with a retention of a week.
        properties.put("log.retention.ms", "-1");
        properties.put("log.cleaner.backoff.ms", "500");
        properties.put("server.max.startup.time.ms", "60000");
    }
}
