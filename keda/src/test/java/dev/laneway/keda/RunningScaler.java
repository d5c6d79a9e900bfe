package dev.laneway.keda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.Verb;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The verb in a thread of this JVM, at a free port, with turns of a fifth of a second. Thread-safe. */
final class RunningScaler implements AutoCloseable {
    static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Pattern PORT = Pattern.compile("serves KEDA at [^ ]+:(\\d+) (.*)");

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Stop stop = new Stop();
    private final CompletableFuture<Integer> ended;

    RunningScaler(String bootstrap, Path logs, String... more) {
        List<String> line = new ArrayList<>(List.of("keda", "--bootstrap", bootstrap, "--logs", logs.toString()));
        line.addAll(List.of("--port", "0", "--interval", "200ms", "--window", "3s", "--broker-limit", "2s"));
        line.addAll(List.of("--json", "-"));
        line.addAll(List.of(more));
        ended = CompletableFuture.supplyAsync(
                () -> Main.run(new Verb.Streams(stream(out), stream(err), stop), line.toArray(String[]::new)));
    }

    private static PrintStream stream(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }

    int port() {
        await().atMost(LIMIT)
                .failFast(ended::isDone)
                .until(() -> PORT.matcher(text()).find());
        Matcher found = PORT.matcher(text());
        assertThat(found.find()).isTrue();
        return Integer.parseInt(found.group(1));
    }

    /** What it has told people. */
    String text() {
        return err.toString(StandardCharsets.UTF_8);
    }

    /** Ends it as SIGTERM does, and returns the report. */
    String end() {
        stop.request();
        await().atMost(LIMIT).until(ended::isDone);
        assertThat(ended.join()).as(this::text).isEqualTo(Program.FINE);
        return out.toString(StandardCharsets.UTF_8);
    }

    /** The exit code of one that ends by itself. */
    int code() {
        await().atMost(LIMIT).until(ended::isDone);
        return ended.join();
    }

    @Override
    public void close() {
        stop.request();
        await().atMost(LIMIT).until(ended::isDone);
    }
}
