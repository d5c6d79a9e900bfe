package dev.laneway.proof;

import dev.laneway.cli.program.Jvm;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.cli.workload.Cluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.kafka.common.Uuid;

/** A cluster whose nodes are processes, so that they can be killed. Used by one thread. */
final class ChaosBrokers implements AutoCloseable {
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(20);
    private static final List<String> JVM_OPTIONS =
            List.of("-Xmx384m", "-Xss512k", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData");

    private final Path directory;
    private final String clusterId = Uuid.randomUuid().toString();
    private final List<ChaosNode> nodes;
    private final List<Path> properties = new ArrayList<>();
    private final List<Jvm> processes = new ArrayList<>();
    /** One for each node, if disks are filled. */
    private final List<SmallDisk> disks = new ArrayList<>();

    private ChaosBrokers(Path directory, List<ChaosNode> nodes) {
        this.directory = directory;
        this.nodes = List.copyOf(nodes);
    }

    /** Starts all nodes; they serve later, see {@link Cluster}. */
    static ChaosBrokers start(ChaosPlan plan, List<ChaosNode> nodes, ChaosNetwork network, Path directory) {
        ChaosBrokers brokers = new ChaosBrokers(directory, nodes);
        try {
            for (ChaosNode node : nodes) {
                if (plan.kinds().contains(Fault.Kind.FILL_DISK)) {
                    brokers.disks.add(SmallDisk.mount(node.directory()));
                }
                brokers.properties.add(node.write(plan, nodes, network.advertised(node)));
                brokers.processes.add(brokers.process(node.id()));
            }
            return brokers;
        } catch (RuntimeException failed) {
            brokers.close();
            throw failed;
        }
    }

    /** Addresses of all nodes, running or not. */
    String bootstrap() {
        return nodes.stream()
                .map(node -> ChaosNode.address(node.clientPorts().getFirst()))
                .collect(Collectors.joining(","));
    }

    int size() {
        return nodes.size();
    }

    /** The process of a node, 1 for the first. */
    Jvm get(int id) {
        return processes.get(id - 1);
    }

    /** The disk of a node; only if disks are filled. */
    SmallDisk disk(int id) {
        return disks.get(id - 1);
    }

    /** Starts a node that has ended, on its data. */
    void restart(int id) {
        processes.set(id - 1, process(id));
    }

    /** Whether a node is in service. Its replicas may still be catching up. */
    boolean isServing(int id) {
        return get(id).isAlive() && Files.exists(ready(id));
    }

    private Path ready(int id) {
        return directory.resolve("node-" + id + ".ready");
    }

    private Jvm process(int id) {
        try {
            Files.deleteIfExists(ready(id));
        } catch (IOException failed) {
            throw new VerbFailure("cannot delete " + ready(id) + ": " + failed, failed);
        }
        List<String> verb = List.of(
                "node",
                "--properties",
                properties.get(id - 1).toString(),
                "--cluster-id",
                clusterId,
                "--ready",
                ready(id).toString());
        return Jvm.start(Main.class, JVM_OPTIONS, verb, directory.resolve("node-" + id + ".log"));
    }

    /** Kills all nodes: their data are not needed any more, and a starting node ignores other signals. */
    @Override
    public void close() {
        processes.forEach(Jvm::kill);
        try {
            for (Jvm process : processes) {
                process.await(CLOSE_LIMIT); // Until then it writes into the directory that is deleted next.
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            disks.forEach(SmallDisk::close);
        }
    }
}
