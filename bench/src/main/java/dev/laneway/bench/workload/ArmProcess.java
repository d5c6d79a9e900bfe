package dev.laneway.bench.workload;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.bench.measure.ArmResult;
import dev.laneway.bench.measure.ArmSpec;
import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.VerbFailure;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs arms, each in a JVM of its own. All have the same options. Used by one thread. */
public final class ArmProcess {
    private static final List<String> OPTIONS = List.of(
            "-Xmx2g",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-XX:+HeapDumpOnOutOfMemoryError",
            "-XX:HeapDumpPath=/dev/null");
    /** A peer whose name ends with the version of the client that it runs with. */
    private static final Pattern CLIENT = Pattern.compile(".*-(\\d+\\.\\d+\\.\\d+)");

    private static final Duration LOOK = Duration.ofMillis(100);
    private static final int TAIL_LINES = 15;

    private final Path root;
    private final Stop stop;

    /**
     * Prepares to run arms.
     *
     * @param root of the checkout: Maven has put other clients into its target directories
     */
    public ArmProcess(Path root, Stop stop) {
        this.root = root;
        this.stop = stop;
    }

    /** Runs one. Kills it when the limit has passed or the verb stops; then it counts as failed. */
    public ArmResult run(ArmSpec spec, Duration limit) throws InterruptedException {
        Path output = null;
        try {
            output = Files.createTempFile("laneway-arm", ".txt");
            Process process = new ProcessBuilder(command(spec))
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            boolean ended = await(process, limit);
            if (!ended) {
                process.destroyForcibly().waitFor();
            }
            List<String> lines = new String(Files.readAllBytes(output), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            return ended ? result(process.exitValue(), lines) : tooLate(limit, lines);
        } catch (IOException failed) {
            throw new VerbFailure("cannot run an arm of " + spec.peer() + ": " + failed, failed);
        } finally {
            if (output != null) {
                output.toFile().delete();
            }
        }
    }

    private boolean await(Process process, Duration limit) throws InterruptedException {
        long start = System.nanoTime();
        try {
            while (!process.waitFor(LOOK.toNanos(), TimeUnit.NANOSECONDS)) {
                if (stop.isRequested() || System.nanoTime() - start > limit.toNanos()) {
                    return false;
                }
            }
            return true;
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            throw interrupted;
        }
    }

    private List<String> command(ArmSpec spec) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(OPTIONS);
        command.add("-cp");
        command.add(classPath(spec));
        command.add(Arm.class.getName());
        command.add(spec.toJson());
        return command;
    }

    /** The class path of this process, with another version of the client if the arm needs one. */
    private String classPath(ArmSpec spec) {
        String own = System.getProperty("java.class.path");
        Matcher version = CLIENT.matcher(spec.peer());
        if (!version.matches()) {
            return own;
        }
        Path other = root.resolve("bench/target/clients/kafka-clients-" + version.group(1) + ".jar");
        return Stream.concat(
                        Stream.of(other.toString()),
                        Stream.of(own.split(File.pathSeparator, -1))
                                .filter(entry -> !entry.matches(".*[/\\\\]kafka-clients-[^/\\\\]*\\.jar")))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static ArmResult result(int exitCode, List<String> lines) {
        for (String line : lines.reversed()) {
            if (line.startsWith(Arm.MARK)) {
                try {
                    return new ObjectMapper().readValue(line.substring(Arm.MARK.length()), ArmResult.class);
                } catch (JsonProcessingException cutOff) {
                    break;
                }
            }
        }
        return ArmResult.failed("ended with exit code " + exitCode + " and no result: " + tail(lines));
    }

    private static ArmResult tooLate(Duration limit, List<String> lines) {
        return ArmResult.failed("had not ended after " + limit.toSeconds() + " s and was killed: " + tail(lines));
    }

    private static String tail(List<String> lines) {
        return String.join(" | ", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
    }
}
