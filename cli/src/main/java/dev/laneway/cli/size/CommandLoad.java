package dev.laneway.cli.size;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A shell command of the user's, started anew for each rate. */
final class CommandLoad implements LoadSource {
    private final SizeSetup setup;
    private final String command;
    private @Nullable AppProcess running;

    CommandLoad(SizeSetup setup, String command) {
        this.setup = setup;
        this.command = command;
    }

    @Override
    public void changeRate(double perSecond) {
        close();
        if (perSecond > 0) {
            String filled = command.replace("{rate}", String.valueOf(Math.max(1, Math.round(perSecond))))
                    .replace("{bootstrap}", setup.bootstrap());
            running = AppProcess.start(
                    "the generator",
                    List.of("/bin/sh", "-c", filled),
                    setup.directory().resolve("generator.log"));
        }
    }

    @Override
    public void check() {
        if (running != null) {
            running.check();
        }
    }

    @Override
    public void close() {
        AppProcess former = running;
        running = null;
        if (former != null) {
            former.close();
        }
    }
}
