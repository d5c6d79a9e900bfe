package dev.laneway.cli.watch;

import dev.laneway.cli.program.Rules;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that name members whose processes are looked into. Filled by the parser, then read only. */
public final class MemberOptions {
    @Option(
            names = "--pid",
            paramLabel = "PID",
            description = "A member's process on this machine, of the same user; as often as needed.")
    private List<Long> pids = new ArrayList<>();

    @Option(
            names = "--jmx",
            paramLabel = "HOST:PORT",
            description = "A member's remote JMX port, or a service:jmx URL; as often as needed.")
    private List<String> jmx = new ArrayList<>();

    @Option(
            names = "--prometheus",
            paramLabel = "URL",
            description = "A member's metrics as Prometheus text; as often as needed.")
    private List<String> prometheus = new ArrayList<>();

    /** Refuses what is no process and no address, before anything is connected. */
    public void check() {
        pids.forEach(pid -> Rules.atLeast("--pid", pid, 1));
        inputs(null, false).check();
    }

    /** These members, and what else is looked at; see {@link CheckInputs}. */
    public CheckInputs inputs(@Nullable String group, boolean keys) {
        return new CheckInputs(group, pids, jmx, prometheus, keys);
    }
}
