package dev.laneway.cli.size;

import java.util.ArrayList;
import java.util.List;

/** The instances of the application that is sized. Used by one thread. */
final class AppInstances implements AutoCloseable {
    private final SizeSetup setup;
    private final List<AppProcess> running = new ArrayList<>();

    AppInstances(SizeSetup setup) {
        this.setup = setup;
    }

    /** Starts one more. */
    void add() {
        int number = running.size() + 1;
        running.add(AppProcess.start(
                "instance " + number,
                setup.command().stream()
                        .map(word -> word.replace("{bootstrap}", setup.bootstrap())
                                .replace("{instance}", String.valueOf(number)))
                        .toList(),
                setup.directory().resolve("instance-" + number + ".log")));
    }

    int count() {
        return running.size();
    }

    /** Fails if one has ended. */
    void check() {
        running.forEach(AppProcess::check);
    }

    List<Long> jvms() {
        return running.stream().flatMap(each -> each.jvms().stream()).toList();
    }

    /** Asks all to end at once, then waits for each. */
    @Override
    public void close() {
        running.forEach(AppProcess::terminate);
        running.forEach(AppProcess::close);
    }
}
