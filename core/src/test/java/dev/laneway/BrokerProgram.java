package dev.laneway;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;

/**
 * A broker in another process, for {@link SharedKafka}. It runs on server jars of another version than it was compiled
 * with, so it uses only what starts a server in each 4.x release. It prints its address and its version, and ends when
 * its standard input does.
 */
final class BrokerProgram {

    private BrokerProgram() {}

    public static void main(String[] args) throws Exception {
        PrintStream out = System.out;
        System.setOut(System.err);
        Path directory = Files.createTempDirectory("laneway-broker-");
        List<Integer> ports = freePorts();
        String address = "127.0.0.1:" + ports.getFirst();
        Properties properties = properties(directory, address, "127.0.0.1:" + ports.getLast());
        format(directory);
        KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(properties, false), Time.SYSTEM);
        server.startup();
        out.println(address + " " + KafkaVersion.found());
        out.flush();
        while (System.in.read() >= 0) {
            // Input is ignored.
        }
        delete(directory);
        // The data are not needed any more: an orderly shutdown would only take time.
        Runtime.getRuntime().halt(0);
    }

    /** As the embedded broker has them, where tests depend on it. */
    private static Properties properties(Path directory, String address, String controller) {
        Properties properties = new Properties();
        properties.put("process.roles", "broker,controller");
        properties.put("node.id", "1");
        properties.put("controller.quorum.voters", "1@" + controller);
        properties.put("controller.listener.names", "CONTROLLER");
        properties.put("listeners", "PLAINTEXT://" + address + ",CONTROLLER://" + controller);
        properties.put("advertised.listeners", "PLAINTEXT://" + address);
        properties.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
        properties.put("log.dirs", directory.toString());
        for (String topic : List.of("offsets.topic", "transaction.state.log", "share.coordinator.state.topic")) {
            properties.put(topic + ".replication.factor", "1");
            properties.put(topic + ".num.partitions", "4");
        }
        properties.put("transaction.state.log.min.isr", "1");
        properties.put("share.coordinator.state.topic.min.isr", "1");
        properties.put("auto.create.topics.enable", "false");
        properties.put("group.initial.rebalance.delay.ms", "0");
        properties.put("group.min.session.timeout.ms", "100");
        properties.put("group.consumer.heartbeat.interval.ms", "500");
        properties.put("group.consumer.min.heartbeat.interval.ms", "100");
        properties.put("group.consumer.min.session.timeout.ms", "1000");
        properties.put("group.share.heartbeat.interval.ms", "500");
        properties.put("group.share.min.heartbeat.interval.ms", "100");
        properties.put("group.share.min.session.timeout.ms", "1000");
        properties.put("group.share.min.record.lock.duration.ms", "1000");
        properties.put("log.initial.task.delay.ms", "500");
        properties.put("log.retention.check.interval.ms", "1000");
        properties.put("log.retention.ms", "-1");
        properties.put("log.cleaner.backoff.ms", "500");
        properties.put("log.cleaner.dedupe.buffer.size", Integer.toString(4 << 20));
        return properties;
    }

    private static void format(Path directory) throws Exception {
        new Formatter()
                .setPrintStream(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8))
                .setClusterId(Uuid.randomUuid().toString())
                .setNodeId(1)
                .addDirectory(directory.toString())
                .setMetadataLogDirectory(directory.toString())
                .setControllerListenerName("CONTROLLER")
                .run();
    }

    /** Two at once, so that they differ. */
    private static List<Integer> freePorts() throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (ServerSocket first = new ServerSocket(0, 1, loopback);
                ServerSocket second = new ServerSocket(0, 1, loopback)) {
            return List.of(first.getLocalPort(), second.getLocalPort());
        }
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> entries = Files.walk(directory)) {
            for (Path entry : entries.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(entry);
            }
        }
    }
}
