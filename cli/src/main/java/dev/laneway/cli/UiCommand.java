package dev.laneway.cli;

import dev.laneway.ConfigurationException;
import dev.laneway.cli.program.Connection;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Verb;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.cli.watch.MemberOptions;
import dev.laneway.cli.workload.Cluster;
import dev.laneway.dashboard.Dashboard;
import dev.laneway.dashboard.DashboardBuilder;
import dev.laneway.ops.GroupLag;
import dev.laneway.ops.LagFailure;
import dev.laneway.ops.LagMonitor;
import dev.laneway.ops.LagOptions;
import dev.laneway.ops.RecordProbe;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.IsolationLevel;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Serves a live page of a group. */
@Command(
        name = "ui",
        header = "Show a group of any kind on a live page in the browser.",
        description = {
            "Whether it keeps up, what limits it, and which partition is to blame: by the verdict of check and the"
                    + " figures of lag, each second. Changes nothing, and joins no group. Ends with SIGTERM or Ctrl-C."
        },
        footer = {"", "Example: laneway ui --group shop", "", "Exit codes: 0 ended by a signal, 1 failed, 2 usage."})
final class UiCommand extends Verb {
    @Mixin
    private Connection connection = new Connection();

    @Option(
            names = "--group",
            paramLabel = "GROUP",
            required = true,
            description = "The group: classic, consumer, streams or share.")
    private String group = "";

    @Mixin
    private MemberOptions members = new MemberOptions();

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "0",
            description = "The port of the page (default: ${DEFAULT-VALUE}, a free one).")
    private int port;

    @Option(
            names = "--listen",
            paramLabel = "ADDRESS",
            description = "Where the page listens: without it on this machine alone. Elsewhere a token is needed, which"
                    + " is printed with the address; put TLS before it.")
    private @Nullable String listen;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "A file with the token to ask for, at least 16 characters.")
    private @Nullable Path tokenFile;

    @Option(
            names = "--allow-host",
            paramLabel = "NAME",
            description = "A name by which browsers may open the page, such as a proxy's; as often as needed.")
    private List<String> hosts = new ArrayList<>();

    UiCommand(Streams streams) {
        super(streams);
    }

    @Override
    protected void check() {
        Rules.named("--group", group);
        Rules.between("--port", port, 0, 65_535);
        members.check();
        connection.brokerLimit();
        address();
        if (tokenFile != null) {
            token(tokenFile);
        }
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
        Map<String, Object> config = new HashMap<>(connection.kafkaConfig(Connection.LOCAL));
        try (Cluster _ = Cluster.connect(config, connection.brokerLimit())) {
            // A broker answers: a later failure has another reason.
        }
        int millis = (int) Math.min(Integer.MAX_VALUE, connection.brokerLimit().toMillis());
        config.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis);
        config.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, millis);
        try (Admin admin = Admin.create(config)) {
            refuseUnknown(admin);
            DashboardBuilder described = Dashboard.ofGroup(
                            admin, group, members.inputs(null, false).sources(null, config, connection.brokerLimit()))
                    .port(port)
                    .address(address());
            hosts.forEach(described::allowHost);
            if (tokenFile != null) {
                described.token(token(tokenFile));
            }
            try (Dashboard page = described.start()) {
                text().println("Open " + page.uri());
                text().flush();
                while (!stop().await(Duration.ofHours(1))) {
                    // Until a signal.
                }
                report(new LinkedHashMap<>(Map.of("group", group, "url", base(page))));
                return Program.FINE;
            } catch (UncheckedIOException failed) {
                throw new VerbFailure(failed.getMessage() + ": give another --port or --listen", failed);
            }
        }
    }

    /** The report is for files: no token stands in it. */
    private static String base(Dashboard page) {
        return page.uri().toString().replaceFirst("#.*", "");
    }

    /** A group that does not exist is one sentence here, not a page that shows nothing. */
    private void refuseUnknown(Admin admin) {
        try {
            GroupLag _ = new LagMonitor(
                            admin,
                            new LagOptions(IsolationLevel.READ_UNCOMMITTED, connection.brokerLimit()),
                            RecordProbe.NONE)
                    .sample(group);
        } catch (LagFailure failed) {
            throw new VerbFailure(String.valueOf(failed.getMessage()), failed);
        }
    }

    /** The token itself stands in no message. */
    private static String token(Path file) {
        try {
            String token = Files.readString(file).strip();
            Dashboard.checkToken(token);
            return token;
        } catch (IllegalArgumentException weak) {
            throw new ConfigurationException(
                    "--token-file", file, String.valueOf(weak.getMessage()), "make one with openssl rand -hex 16");
        } catch (IOException unreadable) {
            throw new ConfigurationException(
                    "--token-file", file, "must be a file that can be read", "check its path and rights");
        }
    }
}
