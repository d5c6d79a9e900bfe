package dev.laneway.cli.watch;

import dev.laneway.ConfigurationException;
import dev.laneway.ops.scale.ScalingPolicy;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** The policy of a command line: a file's, or another one, with --set. Stateless. */
public final class AutoscalePolicy {
    private AutoscalePolicy() {}

    /**
     * Makes the policy.
     *
     * @param without what holds without a file
     */
    public static ScalingPolicy of(@Nullable Path policy, Map<String, String> set, Map<String, String> without) {
        Map<String, String> given = new LinkedHashMap<>(policy == null ? without : file(policy));
        given.putAll(set);
        try {
            return ScalingPolicy.of(given);
        } catch (IllegalArgumentException wrong) {
            throw new ConfigurationException(
                    policy == null || !set.isEmpty() ? "--set" : "--policy",
                    policy == null ? set.toString() : policy + " " + set,
                    "must make a policy: " + wrong.getMessage(),
                    "docs/autoscale.md has all options");
        }
    }

    private static Map<String, String> file(Path file) {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
        } catch (IOException | IllegalArgumentException failed) {
            throw new ConfigurationException(
                    "--policy", file.toString(), "must be a properties file that can be read", "give another file");
        }
        Map<String, String> given = new LinkedHashMap<>();
        properties.stringPropertyNames().stream().sorted().forEach(key -> given.put(key, properties.getProperty(key)));
        return given;
    }
}
