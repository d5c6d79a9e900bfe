package dev.laneway.cli.live;

import dev.laneway.ConfigurationException;
import dev.laneway.cli.live.TopPicture.Room;
import dev.laneway.cli.program.Connection;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Terminal;
import dev.laneway.cli.program.Verb;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.cli.watch.MemberOptions;
import dev.laneway.dashboard.LiveFrames;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jline.terminal.TerminalBuilder;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows a group, or a consumer that has a page, in the terminal. */
@Command(
        name = "top",
        header = "Show a group, or a consumer that has a live page, in the terminal.",
        description = {
            "The figures and the verdict of the live page, full screen, each second: of any group by its brokers, or by"
                    + " the page of an application or of demo --ui. Changes nothing, and joins no group.",
            "",
            "Keys: q quits, Tab shows members and events, s sorts, arrows scroll, ? tells all. Without a terminal, and"
                    + " with TERM=dumb, each frame is printed as text."
        },
        footer = {
            "",
            "Example: laneway top --group shop",
            "Example: laneway top --page http://localhost:8080/",
            "",
            "Exit codes: 0 ended by a key, a signal or --for, 1 failed, 2 usage."
        })
public final class TopCommand extends Verb {
    @Mixin
    private Connection connection = new Connection();

    @Option(names = "--group", paramLabel = "GROUP", description = "The group: classic, consumer, streams or share.")
    private @Nullable String group;

    @Option(
            names = "--page",
            paramLabel = "URL",
            description = "In place of --group: the address of a live page, as it was printed.")
    private @Nullable String page;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "A file with the token that the page of --page asks for, unless its address has it.")
    private @Nullable Path tokenFile;

    @Mixin
    private MemberOptions members = new MemberOptions();

    @Option(
            names = "--interval",
            paramLabel = "TIME",
            defaultValue = "1s",
            description = "Time between two frames that are printed, without a terminal (default: ${DEFAULT-VALUE}).")
    private Duration interval = Duration.ofSeconds(1);

    @Option(names = "--for", paramLabel = "TIME", description = "How long; without it until a key or a signal.")
    private @Nullable Duration period;

    public TopCommand(Streams streams) {
        super(streams);
    }

    @Override
    protected void check() {
        if ((group == null) == (page == null)) {
            throw new ConfigurationException(
                    "--group",
                    group == null ? "not given" : group,
                    group == null ? "must be, unless --page is" : "excludes --page",
                    "name a group, or the address of a page");
        }
        Rules.positive("--interval", interval);
        if (period != null) {
            Rules.positive("--for", period);
        }
        connection.brokerLimit();
        members.check();
        if (group != null) {
            Rules.named("--group", group);
            if (tokenFile != null) {
                throw new ConfigurationException("--token-file", tokenFile, "is for --page", "leave it out");
            }
        }
        if (page != null) {
            PageFrames.checked(page);
            if (!members.inputs(null, false).isEmpty()) {
                throw new ConfigurationException(
                        "--page", "given", "has its own verdict", "leave out --pid, --jmx and --prometheus");
            }
            if (tokenFile != null) {
                TokenFile.read("--token-file", tokenFile);
            }
        }
    }

    @Override
    protected int run() throws InterruptedException {
        if (page != null) {
            String token = tokenFile == null ? null : TokenFile.read("--token-file", tokenFile);
            try (FrameSource source = new PageFrames(page, token)) {
                return show(source);
            }
        }
        String named = String.valueOf(group);
        try (GroupClient client = GroupClient.connect(connection, named);
                FrameSource source = new OwnFrames(LiveFrames.ofGroup(
                        client.admin(),
                        named,
                        members.inputs(null, false).sources(null, client.config(), connection.brokerLimit())))) {
            return show(source);
        }
    }

    private int show(FrameSource source) throws InterruptedException {
        Terminal kind = terminal();
        org.jline.terminal.Terminal screen = kind.live() && System.out.equals(text()) ? open() : null;
        long frames = screen == null ? print(source, kind) : draw(source, kind, screen);
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("frames", frames);
        json.put("last", source.latest().frame());
        report(json);
        return Program.FINE;
    }

    /** Null if there is no terminal to read keys from: then frames are printed. */
    private static org.jline.terminal.@Nullable Terminal open() {
        try {
            return TerminalBuilder.builder()
                    .system(true)
                    .dumb(false)
                    .nativeSignals(false) // Ctrl-C ends the verb as it ends every other one.
                    .build();
        } catch (IOException | IllegalStateException none) {
            return null;
        }
    }

    private long draw(FrameSource source, Terminal kind, org.jline.terminal.Terminal screen) {
        try (LogKeeper _ = new LogKeeper();
                TopScreen shown = new TopScreen(screen, kind.colour(), kind.unicode())) {
            return shown.run(source, stop(), period);
        } catch (IOException lost) {
            throw new VerbFailure("the terminal cannot be used any more: " + lost.getMessage(), lost);
        }
    }

    private long print(FrameSource source, Terminal kind) throws InterruptedException {
        Room room = new Room(kind.width(), 0, false, false);
        TopTrail trail = new TopTrail();
        long end = period == null ? Long.MAX_VALUE : period.toNanos();
        long begun = System.nanoTime();
        long frames = 0;
        do {
            TopPicture picture = TopPicture.of(source.latest(), TopView.FIRST, trail, room, System.currentTimeMillis());
            picture.lines().forEach(line -> text().println(line.toString().stripTrailing()));
            text().println();
            if (text().checkError()) {
                return frames; // Nobody reads it any more; the frame of all verbs says so.
            }
            frames++;
        } while (!stop().await(interval) && System.nanoTime() - begun < end);
        return frames;
    }
}
