package dev.laneway.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.Properties;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Do the jars of Kafka on the class path fit the test kit, and one another? A framework may manage older ones, or those
 * of the clients only; the broker would fail in the middle of its start then, with a NoClassDefFoundError. Immutable.
 *
 * @param clients version of kafka-clients; empty where it is not known
 * @param server version of the server's jars; empty where it is not known
 */
record KafkaJars(String clients, String server) {
    private static final int NEEDED_MAJOR = 4;
    private static final int NEEDED_MINOR = 3;
    private static final Pattern NUMBERS = Pattern.compile("(\\d+)\\.(\\d+).*");

    /** Those on the class path. */
    static KafkaJars found() {
        return new KafkaJars(clientsVersion(), serverVersion());
    }

    /** @throws IllegalStateException when no broker can start with them */
    void check() {
        boolean old = isOld(clients) || isOld(server);
        if (old || !release(clients).equals(release(server))) {
            throw new IllegalStateException("kafka-clients is " + said(clients) + " and kafka_2.13 is " + said(server)
                    + " but the embedded broker needs " + NEEDED_MAJOR + "." + NEEDED_MINOR
                    + " or later, the same of both: put such jars on the class path; where a framework manages them,"
                    + " set its property kafka.version");
        }
    }

    private static String said(String version) {
        return version.isEmpty() ? "unknown" : version;
    }

    private static boolean isOld(String version) {
        Matcher numbers = NUMBERS.matcher(version);
        if (!numbers.matches()) {
            return false;
        }
        int major = Integer.parseInt(numbers.group(1));
        return major < NEEDED_MAJOR || (major == NEEDED_MAJOR && Integer.parseInt(numbers.group(2)) < NEEDED_MINOR);
    }

    /** Where one of them is unknown, they count as of one release. */
    private String release(String version) {
        Matcher numbers = NUMBERS.matcher(version);
        boolean isKnown = !clients.isEmpty() && !server.isEmpty() && numbers.matches();
        return isKnown ? numbers.group(1) + "." + numbers.group(2) : "";
    }

    private static String clientsVersion() {
        try (InputStream file = Consumer.class.getResourceAsStream("/kafka/kafka-version.properties")) {
            Properties properties = new Properties();
            if (file != null) {
                properties.load(file);
            }
            return properties.getProperty("version", "").strip();
        } catch (IOException unreadable) {
            return "";
        }
    }

    /** The manifest has it, under a name of Kafka's own. */
    private static String serverVersion() {
        try {
            Class<?> server = Class.forName("kafka.server.KafkaRaftServer", false, KafkaJars.class.getClassLoader());
            @Nullable CodeSource source = server.getProtectionDomain().getCodeSource();
            @Nullable
            Path jar = source == null ? null : Path.of(source.getLocation().toURI());
            return jar != null && Files.isRegularFile(jar) ? versionIn(jar) : "";
        } catch (ReflectiveOperationException
                | URISyntaxException
                | IOException
                | IllegalArgumentException unreadable) {
            return "";
        }
    }

    private static String versionIn(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            @Nullable Manifest manifest = file.getManifest();
            @Nullable
            String version =
                    manifest == null ? null : manifest.getMainAttributes().getValue("Version");
            return version == null ? "" : version;
        }
    }
}
