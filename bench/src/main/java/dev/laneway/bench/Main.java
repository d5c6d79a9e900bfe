package dev.laneway.bench;

import dev.laneway.cli.program.Program;
import java.util.List;

/** The entry of {@code ./laneway bench}. It is a module of its own, since it needs every library that is compared. */
public final class Main {
    private Main() {}

    /** Runs the verb and ends the process with its exit code. */
    public static void main(String[] args) {
        Program.main(args, streams -> List.of(new BenchCommand(streams)));
    }
}
