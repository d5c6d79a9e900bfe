package dev.laneway.cli;

import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Verb;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.testkit.EmbeddedKafka;
import dev.laneway.testkit.EmbeddedKafkaBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.utils.AppInfoParser;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A local Kafka until Ctrl-C. */
@Command(
        name = "broker",
        header = "Run a real Kafka on this machine, until Ctrl-C.",
        description = {
            "Starts one to three KRaft brokers in this process, all on 127.0.0.1, and prints bootstrap.servers when"
                    + " they serve.",
            "Topics are not created by themselves: laneway load, consume and demo create theirs."
        },
        footer = {
            "",
            "Example: laneway broker --port 9092 --directory ./data",
            "",
            "Exit codes: 0 stopped by a signal, 1 failed, 2 usage."
        })
final class BrokerCommand extends Verb {
    /** The text before the addresses in the line that says that the brokers serve. */
    static final String READY = "bootstrap.servers=";

    private static final Duration PARENT_LIMIT = Duration.ofMinutes(5);
    private static final Duration LOOK_AGAIN = Duration.ofHours(1);

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "9092",
            description = "Port of the first broker, the others take the next ones; 0 takes free ones (default:"
                    + " ${DEFAULT-VALUE}).")
    private int port;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            defaultValue = "1",
            description = "How many brokers, 1 to 3 (default: ${DEFAULT-VALUE}).")
    private int nodes;

    @Option(
            names = "--directory",
            paramLabel = "DIR",
            description = "Keep the data here; without it they are deleted at the end.")
    private @Nullable Path directory;

    @Option(names = "--until-input-ends", hidden = true, description = "End with standard input, not with a signal.")
    private boolean untilInputEnds;

    BrokerCommand(Streams streams) {
        super(streams);
    }

    @Override
    protected void check() {
        Rules.between("--port", port, 0, 65_000);
        Rules.between("--nodes", nodes, 1, 3);
        Rules.directory("--directory", directory);
    }

    @Override
    protected int run() throws InterruptedException {
        // Kafka brings Log4j, which logs an error if its shutdown hook is made while a signal ends this process.
        System.setProperty("log4j.shutdownHookEnabled", "false");
        try (EmbeddedKafka kafka = start()) {
            report(result(kafka)); // First: when the line is printed, the report must exist.
            if (!untilInputEnds) {
                text().println("Kafka " + AppInfoParser.getVersion() + " serves on " + nodes
                        + (nodes == 1 ? " node" : " nodes"));
            }
            text().println(READY + kafka.bootstrapServers());
            if (!untilInputEnds) {
                text().println("data in " + kafka.directory()
                        + (directory == null ? ", deleted at the end" : ", kept"));
                text().println("Ctrl-C stops it");
            }
            text().flush();
            awaitEnd();
        }
        return Program.FINE;
    }

    private EmbeddedKafka start() {
        EmbeddedKafkaBuilder builder = EmbeddedKafka.builder().nodes(nodes).port(port);
        if (directory != null) {
            builder.directory(directory);
        }
        try {
            return builder.start();
        } catch (UncheckedIOException failed) {
            throw new VerbFailure(failed.getMessage() + ": " + failed.getCause(), failed);
        } catch (IllegalStateException | IllegalArgumentException failed) {
            throw new VerbFailure(
                    "the broker cannot start with --port " + port
                            + (directory == null ? "" : " --directory " + directory) + ": " + failed.getMessage(),
                    failed);
        }
    }

    private Map<String, Object> result(EmbeddedKafka kafka) {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("bootstrap", kafka.bootstrapServers());
        result.put("nodes", nodes);
        result.put("directory", kafka.directory().toString());
        result.put("kafka_version", AppInfoParser.getVersion());
        return result;
    }

    /**
     * The broker of another process ends when the pipe to its standard input is closed, which happens however that
     * process ends. Ctrl-C reaches both at once, and the other one still needs its broker to commit and leave: so a
     * signal alone ends nothing.
     */
    private void awaitEnd() throws InterruptedException {
        if (!untilInputEnds) {
            while (!stop().await(LOOK_AGAIN)) {
                // Serves.
            }
            return;
        }
        stop().limit(PARENT_LIMIT);
        try {
            while (System.in.read() >= 0) {
                // Only the end of the stream is expected.
            }
        } catch (IOException gone) {
            // A broken pipe means the end, too.
        }
    }
}
