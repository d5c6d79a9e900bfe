package dev.laneway.proof;

import dev.laneway.cli.program.VerbFailure;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;

/**
 * The configuration of one node: broker and controller in one process, as in a small production cluster, so that a kill
 * hits the quorum too. Immutable.
 *
 * @param clientPorts one for each listener of clients; each group of clients has its own, so that it can be cut off
 */
record ChaosNode(int id, int controllerPort, int brokerPort, List<Integer> clientPorts, Path directory) {
    private static final String HOST = "127.0.0.1";
    private static final String CONTROLLER = "CONTROLLER";
    private static final String BROKER = "BROKER";
    private static final String CLIENT = "CLIENT";

    ChaosNode {
        clientPorts = List.copyOf(clientPorts);
    }

    /**
     * The nodes of a cluster, with free ports; their data go below a directory. The first listener is for the producer
     * and the checks. If the network is disturbed each member has its own besides.
     */
    static List<ChaosNode> all(ChaosPlan plan, FreePorts ports, Path directory) {
        int listeners = plan.kinds().stream().anyMatch(Fault.Kind::isCut) ? 1 + plan.members() : 1;
        List<ChaosNode> nodes = new ArrayList<>();
        for (int id = 1; id <= plan.brokers(); id++) {
            List<Integer> clientPorts = new ArrayList<>();
            for (int i = 0; i < listeners; i++) {
                clientPorts.add(ports.take());
            }
            nodes.add(new ChaosNode(id, ports.take(), ports.take(), clientPorts, directory.resolve("node-" + id)));
        }
        return nodes;
    }

    static String address(int port) {
        return HOST + ":" + port;
    }

    /**
     * Writes server.properties beside the data.
     *
     * @param advertised the advertised addresses, one for each listener
     */
    Path write(ChaosPlan plan, List<ChaosNode> all, List<String> advertised) {
        Properties properties = common();
        properties.putAll(wiring(all, advertised));
        properties.putAll(replication(plan));
        Path file = directory.resolveSibling("node-" + id + ".properties");
        try (Writer writer = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
            properties.store(writer, null);
        } catch (IOException failed) {
            throw new VerbFailure("cannot write " + file + ": " + failed, failed);
        }
        return file;
    }

    private Map<String, String> wiring(List<ChaosNode> all, List<String> advertised) {
        List<String> listeners = new ArrayList<>(List.of(CONTROLLER + "://" + address(controllerPort)));
        List<String> told = new ArrayList<>(List.of(BROKER + "://" + address(brokerPort)));
        List<String> protocols = new ArrayList<>(List.of(CONTROLLER + ":PLAINTEXT", BROKER + ":PLAINTEXT"));
        listeners.addAll(told);
        for (int i = 0; i < clientPorts.size(); i++) {
            listeners.add(CLIENT + i + "://" + address(clientPorts.get(i)));
            told.add(CLIENT + i + "://" + advertised.get(i));
            protocols.add(CLIENT + i + ":PLAINTEXT");
        }
        return Map.of(
                "process.roles", "broker,controller",
                "node.id", Integer.toString(id),
                "log.dirs", directory.toString(),
                "controller.quorum.voters",
                        all.stream()
                                .map(node -> node.id + "@" + address(node.controllerPort))
                                .collect(Collectors.joining(",")),
                "controller.listener.names", CONTROLLER,
                "inter.broker.listener.name", BROKER,
                "listeners", String.join(",", listeners),
                "advertised.listeners", String.join(",", told),
                "listener.security.protocol.map", String.join(",", protocols));
    }

    private static Map<String, String> replication(ChaosPlan plan) {
        String replicas = Integer.toString(plan.replicas());
        return Map.of(
                "default.replication.factor",
                replicas,
                "min.insync.replicas",
                Integer.toString(plan.inSyncReplicas()),
                "offsets.topic.replication.factor",
                replicas,
                "transaction.state.log.replication.factor",
                replicas,
                "transaction.state.log.min.isr",
                Integer.toString(plan.inSyncReplicas()),
                "share.coordinator.state.topic.replication.factor",
                replicas,
                "share.coordinator.state.topic.min.isr",
                Integer.toString(plan.inSyncReplicas()));
    }

    private static Properties common() {
        Properties properties = new Properties();
        try (InputStream stream = ChaosNode.class.getResourceAsStream("node.properties")) {
            properties.load(stream);
            return properties;
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
