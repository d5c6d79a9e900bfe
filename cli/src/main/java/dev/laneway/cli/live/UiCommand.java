package dev.laneway.cli.live;

import dev.laneway.ConfigurationException;
import dev.laneway.cli.program.Connection;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Verb;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.cli.watch.MemberOptions;
import dev.laneway.dashboard.Dashboard;
import dev.laneway.dashboard.DashboardBuilder;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
public final class UiCommand extends Verb {
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

    @Option(
            names = "--ask-members",
            description = "Ask each member's own page, at the port in its client id, and show what it says.")
    private boolean asksMembers;

    @Option(
            names = "--member-token-file",
            paramLabel = "FILE",
            description = "With --ask-members: a file with the token of the members' pages. It is sent to the hosts"
                    + " that the group's members come from.")
    private @Nullable Path memberTokenFile;

    public UiCommand(Streams streams) {
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
            TokenFile.read("--token-file", tokenFile);
        }
        if (memberTokenFile != null) {
            if (!asksMembers) {
                throw new ConfigurationException(
                        "--member-token-file",
                        memberTokenFile,
                        "is for --ask-members",
                        "give that too, or leave it out");
            }
            TokenFile.read("--member-token-file", memberTokenFile);
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
        try (GroupClient client = GroupClient.connect(connection, group)) {
            DashboardBuilder described = Dashboard.ofGroup(
                            client.admin(),
                            group,
                            members.inputs(null, false).sources(null, client.config(), connection.brokerLimit()))
                    .port(port)
                    .address(address());
            hosts.forEach(described::allowHost);
            if (tokenFile != null) {
                described.token(TokenFile.read("--token-file", tokenFile));
            }
            if (asksMembers) {
                described.askMembers(
                        memberTokenFile == null ? null : TokenFile.read("--member-token-file", memberTokenFile));
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
}
