package dev.laneway.cli.program;

import dev.laneway.ConfigurationException;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say how to reach the cluster, shared by the verbs. Filled by the parser, then read only. */
public final class Connection {
    public static final String LOCAL = "localhost:9092";

    @Option(
            names = "--bootstrap",
            paramLabel = "HOST:PORT[,...]",
            description = "Brokers to connect to first; wins over --config and --property.")
    private @Nullable String bootstrap;

    @Option(
            names = "--property",
            paramLabel = "KEY=VALUE",
            description = "A Kafka client property, as often as needed; wins over --config.")
    private Map<String, String> properties = new LinkedHashMap<>();

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "A file of Kafka client properties (security and the like).")
    private @Nullable Path file;

    @Option(
            names = "--broker-limit",
            paramLabel = "TIME",
            defaultValue = "10s",
            description = "How long a broker that does not answer is waited for (default: ${DEFAULT-VALUE}).")
    private Duration brokerLimit = Duration.ofSeconds(10);

    /** Whether the user has named a cluster by any option. */
    public boolean isGiven() {
        return kafkaConfig(null).containsKey(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG);
    }

    public Duration brokerLimit() {
        Rules.positive("--broker-limit", brokerLimit);
        return brokerLimit;
    }

    /**
     * The client properties: the file's, then those of --property, then --bootstrap, or the default where nothing names
     * a broker.
     */
    public Map<String, Object> kafkaConfig(@Nullable String defaultBootstrap) {
        Map<String, Object> config = new HashMap<>();
        if (file != null) {
            config.putAll(read(file));
        }
        config.putAll(properties);
        if (bootstrap != null) {
            config.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        } else if (defaultBootstrap != null) {
            config.putIfAbsent(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, defaultBootstrap);
        }
        return config;
    }

    /** The client properties of an admin client, with the limit for brokers that are silent. */
    public Map<String, Object> adminConfig() {
        Map<String, Object> config = new HashMap<>(kafkaConfig(LOCAL));
        int millis = (int) Math.min(Integer.MAX_VALUE, brokerLimit().toMillis());
        config.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis);
        config.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, millis);
        return config;
    }

    /**
     * Makes an admin client. What Kafka's client says first of a wrong address or setting is that it could not be made.
     *
     * @throws VerbFailure if it cannot be made; says why
     */
    public static Admin admin(Map<String, Object> config) {
        try {
            return Admin.create(config);
        } catch (KafkaException wrong) {
            Throwable cause = wrong;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            throw new VerbFailure(
                    "cannot connect to " + config.get(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG) + ": "
                            + cause.getMessage() + ": check --bootstrap, --config and --property",
                    wrong);
        }
    }

    private static Map<String, String> read(Path file) {
        Properties read = new Properties();
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            read.load(reader);
        } catch (NoSuchFileException missing) {
            throw new ConfigurationException("--config", file, "must be a file that exists", "check its path");
        } catch (IOException | IllegalArgumentException unreadable) {
            throw new ConfigurationException(
                    "--config",
                    file,
                    "must be a readable file of properties, and gives " + unreadable,
                    "check its path and content");
        }
        Map<String, String> map = new HashMap<>();
        read.stringPropertyNames().forEach(name -> map.put(name, read.getProperty(name)));
        return map;
    }
}
