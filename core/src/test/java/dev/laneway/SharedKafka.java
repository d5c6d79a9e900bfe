package dev.laneway;

import dev.laneway.testkit.EmbeddedKafka;
import dev.laneway.testkit.ExternalKafka;
import dev.laneway.testkit.KafkaCluster;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Scanner;
import org.jspecify.annotations.Nullable;

/**
 * The broker that all tests share. It is one inside this JVM, of the version on the class path. With the system
 * property {@code laneway.broker.classpath} it is a {@link BrokerProgram} on that class path, so that clients and
 * brokers may be of different versions; {@code laneway.broker.version} says which one it must be.
 */
public final class SharedKafka {

    private static final String CLASS_PATH = "laneway.broker.classpath";
    private static final String VERSION = "laneway.broker.version";

    private SharedKafka() {}

    /** Started when a test first asks for it; it ends with this JVM. */
    private static final class Other {
        static final KafkaCluster CLUSTER = start(Path.of(System.getProperty(CLASS_PATH, "")));
    }

    /** The cluster, started by the first call. */
    public static KafkaCluster get() {
        return System.getProperty(CLASS_PATH) == null ? EmbeddedKafka.shared() : Other.CLUSTER;
    }

    private static KafkaCluster start(Path file) {
        try {
            List<String> command = List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx512m",
                    "-XX:TieredStopAtLevel=1",
                    "--enable-native-access=ALL-UNNAMED",
                    "--sun-misc-unsafe-memory-access=allow",
                    "-cp",
                    classes() + File.pathSeparator + Files.readString(file).strip(),
                    BrokerProgram.class.getName());
            // The broker's standard input stays open as long as this JVM lives: its end is the broker's.
            Process broker = new ProcessBuilder(command)
                    .redirectError(file.resolveSibling("broker.log").toFile())
                    .start();
            String version = System.getProperty(VERSION, "");
            String said = String.valueOf(firstLine(broker.getInputStream()));
            if (!said.contains(" ") || !said.endsWith(version)) {
                throw new IllegalStateException("no broker of version " + version + " starts on the class path in "
                        + file + " but " + said + ", see broker.log beside");
            }
            return ExternalKafka.at(said.substring(0, said.indexOf(' ')));
        } catch (IOException | URISyntaxException failed) {
            throw new IllegalStateException("a JVM for the broker cannot be started", failed);
        }
    }

    private static Path classes() throws URISyntaxException {
        return Path.of(BrokerProgram.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
    }

    private static @Nullable String firstLine(InputStream output) {
        Scanner lines = new Scanner(output, StandardCharsets.UTF_8);
        return lines.hasNextLine() ? lines.nextLine() : null;
    }
}
