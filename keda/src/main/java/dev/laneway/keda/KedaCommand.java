package dev.laneway.keda;

import dev.laneway.ConfigurationException;
import dev.laneway.cli.program.Connection;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Verb;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.cli.watch.PolicyOptions;
import dev.laneway.ops.control.ExclusiveFile;
import dev.laneway.ops.control.LoopClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Serves KEDA what a scaling policy wants. */
@Command(
        name = "keda",
        header = "Tell KEDA how many members a scaling policy wants.",
        description = {
            "An external scaler for KEDA: ScaledObjects name their groups in the metadata of a trigger, and are told"
                    + " how many members the policy wants, as a metric of which each replica should have 1. What is"
                    + " not known, such as when brokers do not answer, is an error for KEDA, and never 0. It changes"
                    + " nothing itself.",
            "docs/autoscale.md has the policy, the trigger's metadata, and what a HorizontalPodAutoscaler must be"
                    + " told."
        },
        footer = {
            "",
            "Example: laneway keda --logs decisions --listen 0.0.0.0 --bootstrap kafka:9092",
            "",
            "Exit codes: 0 ended as asked; 1 failed; 2 usage."
        })
final class KedaCommand extends Verb {
    private static final int MOST_PORT = 65_535;
    private static final int MOST_TRIGGERS = 1_000;
    private static final Duration END_LIMIT = Duration.ofSeconds(25);

    @Mixin
    private Connection connection = new Connection();

    @Mixin
    private PolicyOptions policy = new PolicyOptions();

    @Mixin
    private TlsFiles tls = new TlsFiles();

    @Option(
            names = "--logs",
            paramLabel = "DIRECTORY",
            required = true,
            description = "Where each trigger has its decision log; one scaler at a time has it.")
    private Path logs = Path.of("");

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "9370",
            description = "The port for gRPC; 0 is a free one (default: ${DEFAULT-VALUE}).")
    private int port = 9370;

    @Option(
            names = "--listen",
            paramLabel = "ADDRESS",
            description = "Where it listens: without it on this machine alone; 0.0.0.0 is everywhere.")
    private @Nullable String listen;

    @Option(
            names = "--triggers",
            paramLabel = "N",
            defaultValue = "50",
            description = "The most triggers that are watched at the same time (default: ${DEFAULT-VALUE}).")
    private int triggers = 50;

    @Option(
            names = "--idle-limit",
            paramLabel = "TIME",
            defaultValue = "15m",
            description = "A trigger that nobody has asked for so long is watched no more (default: ${DEFAULT-VALUE}).")
    private Duration idleLimit = Duration.ofMinutes(15);

    KedaCommand(Streams streams) {
        super(streams);
    }

    @Override
    protected void check() {
        policy.check();
        connection.brokerLimit();
        tls.check();
        Rules.between("--port", port, 0, MOST_PORT);
        Rules.between("--triggers", triggers, 1, MOST_TRIGGERS);
        Rules.positive("--idle-limit", idleLimit);
        Rules.directory("--logs", logs);
        address();
    }

    private InetAddress address() {
        try {
            return listen == null ? InetAddress.getLoopbackAddress() : InetAddress.getByName(listen);
        } catch (UnknownHostException unknown) {
            throw new ConfigurationException(
                    "--listen", listen, "must be an address of this machine", "give 0.0.0.0 for all of them");
        }
    }

    @Override
    protected int run() throws InterruptedException {
        stop().limit(END_LIMIT);
        ExclusiveFile lock = lock();
        try {
            Map<String, Object> config = connection.adminConfig();
            Admin admin = Connection.admin(config);
            try {
                serve(admin, config);
            } finally {
                admin.close(Duration.ZERO); // Without a limit it can wait for ever for a broker that is silent.
            }
            return Program.FINE;
        } finally {
            lock.close();
        }
    }

    private ExclusiveFile lock() {
        Path file = logs.resolve("keda.lock");
        ExclusiveFile lock;
        try {
            Files.createDirectories(logs);
            lock = ExclusiveFile.take(file);
        } catch (IOException failed) {
            throw new VerbFailure("cannot lock " + file + " (" + failed + "): give --logs where you may write", failed);
        }
        if (lock == null) {
            throw new VerbFailure("another scaler writes to --logs " + logs + ": end it, or give another directory");
        }
        return lock;
    }

    private void serve(Admin admin, Map<String, Object> config) throws InterruptedException {
        GroupWatch.Settings settings = new GroupWatch.Settings(
                admin,
                config,
                connection.brokerLimit(),
                policy.interval(),
                policy.window(),
                logs,
                this::print,
                LoopClock.SYSTEM);
        GroupWatches watches = new GroupWatches(settings, triggers, idleLimit);
        ScalerService service = new ScalerService(watches, policy.policy(), policy::isOftenEnough);
        try (ScalerServer server = start(service)) {
            print("serves KEDA at " + address().getHostAddress() + ":" + server.port()
                    + (tls.isGiven() ? " by TLS" : " in plain text"));
            while (!stop().await(Duration.ofHours(1))) {
                // Calls come to the server's threads.
            }
            server.leave();
            watches.close();
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("answers", service.answers());
        json.put("unavailable", service.unavailable());
        json.put("refused", service.refused());
        report(json);
    }

    private ScalerServer start(ScalerService service) {
        try {
            return ScalerServer.start(service, new InetSocketAddress(address(), port), tls.credentials());
        } catch (IllegalArgumentException refused) {
            throw tls.unfit(refused);
        } catch (IOException taken) {
            throw new VerbFailure(
                    "cannot listen at " + address().getHostAddress() + ":" + port + " (" + reason(taken)
                            + "): is another program there? Give another --port or --listen",
                    taken);
        }
    }

    private static String reason(IOException failed) {
        Throwable cause = failed.getCause() == null ? failed : failed.getCause();
        return String.valueOf(cause.getMessage());
    }

    /** One line for each piece of news, for programs that read them. */
    private void print(String line) {
        text().println(Instant.now().truncatedTo(ChronoUnit.SECONDS) + " " + line);
        text().flush();
    }
}
