package dev.laneway.proof;

import dev.laneway.cli.program.Parent;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Verb;
import dev.laneway.cli.program.VerbFailure;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * One node of a cluster as a process, for {@link ChaosCommand}: does what Kafka's own start script does. Hidden, since
 * it is of no use alone.
 */
@Command(name = "node", hidden = true, header = "Run one node of a Kafka cluster until standard input ends.")
final class NodeCommand extends Verb {
    private static final Duration PARENT_LIMIT = Duration.ofMinutes(5);

    @Option(names = "--properties", paramLabel = "FILE", required = true, description = "Its server.properties.")
    private Path file = Path.of("");

    @Option(names = "--cluster-id", paramLabel = "ID", required = true, description = "The cluster that it belongs to.")
    private String clusterId = "";

    @Option(names = "--ready", paramLabel = "FILE", required = true, description = "A file to make when it serves.")
    private Path ready = Path.of("");

    NodeCommand(Streams streams) {
        super(streams);
    }

    @Override
    protected void check() {
        Rules.named("--cluster-id", clusterId);
    }

    @Override
    protected int run() {
        Properties properties = read(file);
        format(properties);
        KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(properties, false), Time.SYSTEM);
        server.startup(); // Returns when the controller has taken the broker into service.
        tellReady();
        // Ctrl-C reaches the parent too, which still needs its brokers for a clean end: so a signal alone ends nothing.
        stop().limit(PARENT_LIMIT);
        Parent.awaitEnd(System.in);
        server.shutdown();
        server.awaitShutdown();
        return Program.FINE;
    }

    private void tellReady() {
        try {
            Files.createFile(ready);
        } catch (IOException failed) {
            throw new VerbFailure("cannot make --ready " + ready + ": " + failed, failed);
        }
    }

    private static Properties read(Path file) {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            properties.load(reader);
            return properties;
        } catch (IOException unreadable) {
            throw new VerbFailure("cannot read --properties " + file + ": " + unreadable, unreadable);
        }
    }

    /** What {@code kafka-storage.sh format --ignore-formatted} does. */
    private void format(Properties properties) {
        String directory = properties.getProperty("log.dirs");
        try {
            new Formatter()
                    .setPrintStream(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8))
                    .setClusterId(clusterId)
                    .setNodeId(Integer.parseInt(properties.getProperty("node.id")))
                    .addDirectory(directory)
                    .setMetadataLogDirectory(directory)
                    .setControllerListenerName(properties.getProperty("controller.listener.names"))
                    .setIgnoreFormatted(true)
                    .run();
        } catch (Exception failed) {
            throw new VerbFailure("cannot format " + directory + ": " + failed.getMessage(), failed);
        }
    }
}
