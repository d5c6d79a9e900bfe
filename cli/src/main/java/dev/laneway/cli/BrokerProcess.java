package dev.laneway.cli;

import dev.laneway.cli.program.Jvm;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.cli.size.OwnBroker;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A broker in another JVM, so that it is not measured here. It watches a pipe from this process, so it ends when this
 * process ends. Opened and closed by one thread.
 */
public final class BrokerProcess implements OwnBroker {
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(20);
    private static final int TAIL_LINES = 20;

    private final Process process;
    private final CompletableFuture<String> ready = new CompletableFuture<>();
    private final Deque<String> tail = new ArrayDeque<>();

    private BrokerProcess(Process process) {
        this.process = process;
        Thread.ofPlatform().name("laneway-broker-output").daemon().start(this::read);
    }

    /**
     * Starts a broker on a free port; it keeps its data in a temporary directory.
     *
     * @throws VerbFailure when it does not serve within a minute
     */
    public static BrokerProcess start() throws InterruptedException {
        List<String> command =
                Jvm.command(Main.class, List.of("-Xmx1g"), List.of("broker", "--port", "0", "--until-input-ends"));
        BrokerProcess broker;
        try {
            broker = new BrokerProcess(
                    new ProcessBuilder(command).redirectErrorStream(true).start());
        } catch (IOException failed) {
            throw new VerbFailure("cannot start a JVM for the broker: " + failed.getMessage(), failed);
        }
        try {
            broker.ready.get(START_LIMIT.toNanos(), TimeUnit.NANOSECONDS);
            return broker;
        } catch (ExecutionException | TimeoutException failed) {
            broker.close();
            throw new VerbFailure("the broker does not start: " + broker.lastWords(), failed);
        } catch (InterruptedException interrupted) {
            broker.close();
            throw interrupted;
        }
    }

    @Override
    public String bootstrap() {
        return ready.join();
    }

    /** Fails if the broker has ended, instead of letting its clients wait for it. */
    @Override
    public void check() {
        if (!process.isAlive()) {
            throw new VerbFailure("the broker ended with exit code " + process.exitValue() + ": " + lastWords());
        }
    }

    /** Asks it to end, and kills it if it does not. */
    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(CLOSE_LIMIT.toNanos(), TimeUnit.NANOSECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException gone) {
            process.destroyForcibly();
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private void read() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            lines.lines().forEach(this::readLine);
        } catch (IOException | UncheckedIOException gone) {
            // The pipe ends with the process.
        }
        ready.completeExceptionally(new IOException("the broker's output ended"));
    }

    private void readLine(String line) {
        if (line.startsWith(BrokerCommand.READY)) {
            ready.complete(line.substring(BrokerCommand.READY.length()));
        }
        synchronized (tail) {
            tail.addLast(line);
            if (tail.size() > TAIL_LINES) {
                tail.removeFirst();
            }
        }
    }

    private String lastWords() {
        synchronized (tail) {
            return tail.isEmpty() ? "it said nothing" : String.join(System.lineSeparator(), tail);
        }
    }
}
