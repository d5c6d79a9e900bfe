package dev.laneway.bench.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.management.OperatingSystemMXBean;
import dev.laneway.cli.program.Text;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.utils.AppInfoParser;

/**
 * The machine of a measurement. Immutable.
 *
 * @param loadAverage processes that ran or waited to, over the last minute before the start; negative where unknown
 * @param commit of the sources, with a plus where they have changed since
 */
public record Machine(
        int cores, long memoryBytes, double loadAverage, String os, String jdk, String kafka, String commit) {
    private static final double QUIET_SHARE = 0.5;

    /** This machine, now. */
    public static Machine here(Path root) {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return new Machine(
                Runtime.getRuntime().availableProcessors(),
                system.getTotalMemorySize(),
                system.getSystemLoadAverage(),
                system.getName() + " " + system.getVersion() + " " + system.getArch(),
                System.getProperty("java.vm.name") + " " + Runtime.version(),
                AppInfoParser.getVersion(),
                commit(root));
    }

    /** Whether the machine is idle enough for a measurement. */
    public boolean isQuiet() {
        return loadAverage <= QUIET_SHARE * cores;
    }

    /** A description for a path, without the name of the machine. */
    public String label() {
        return cores + "-cores-" + Math.round(memoryBytes / (double) (1L << 30)) + "-gib";
    }

    String text() {
        return cores + " cores, " + Text.count(Math.round(memoryBytes / 1e6)) + " MB of memory, " + os + ", " + jdk
                + ", Kafka " + kafka + ", Laneway at " + commit + ", load average " + Text.rate(loadAverage)
                + " at the start";
    }

    Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("cores", cores);
        json.put("memory_mb", Math.round(memoryBytes / 1e6));
        json.put("load_average", loadAverage);
        json.put("os", os);
        json.put("jdk", jdk);
        json.put("kafka_version", kafka);
        json.put("commit", commit);
        return json;
    }

    /** As {@link #toJson} has it. */
    static Machine of(JsonNode json) {
        return new Machine(
                json.path("cores").asInt(),
                json.path("memory_mb").asLong() * 1_000_000,
                json.path("load_average").asDouble(),
                json.path("os").asText(),
                json.path("jdk").asText(),
                json.path("kafka_version").asText(),
                json.path("commit").asText());
    }

    private static String commit(Path root) {
        String hash = git(root, "rev-parse", "--short", "HEAD");
        if (hash.isEmpty()) {
            return "an unknown commit";
        }
        return git(root, "status", "--porcelain", "--untracked-files=no").isEmpty() ? hash : hash + "+";
    }

    /** The output of a git command; empty if it fails. */
    private static String git(Path root, String... words) {
        List<String> command = new ArrayList<>(List.of("git", "-C", root.toString()));
        command.addAll(List.of(words));
        try {
            Process git = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException none) {
            return "";
        }
    }
}
