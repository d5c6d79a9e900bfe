package dev.laneway.orders;

import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.Verb;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Runs a verb inside the test's JVM and keeps what it prints. */
final class Cli {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Stop stop = new Stop();
    private final CompletableFuture<Integer> code = new CompletableFuture<>();

    private Cli() {}

    static Cli run(String... args) {
        Cli cli = start(List.of(args));
        int _ = cli.code();
        return cli;
    }

    static Cli start(List<String> args) {
        return start(InputStream.nullInputStream(), args);
    }

    static Cli start(InputStream in, List<String> args) {
        Cli cli = new Cli();
        Verb.Streams streams = new Verb.Streams(stream(cli.out), stream(cli.err), cli.stop);
        Thread.ofPlatform().daemon().name("verb").start(() -> {
            try {
                cli.code.complete(Main.run(streams, in, args.toArray(String[]::new)));
            } catch (RuntimeException | Error thrown) {
                cli.code.completeExceptionally(thrown);
            }
        });
        return cli;
    }

    /** Asks it to end, and waits for that. */
    int end() {
        stop.request();
        return code();
    }

    int code() {
        return code.join();
    }

    boolean hasEnded() {
        return code.isDone();
    }

    String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    private static PrintStream stream(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }
}
