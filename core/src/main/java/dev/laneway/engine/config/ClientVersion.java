package dev.laneway.engine.config;

import dev.laneway.ConfigurationException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Is kafka-clients on the class path new enough for what is started? A framework may manage an older one than Laneway
 * was built with. What is missing there would surface as a NoSuchMethodError, maybe hours later. Immutable.
 *
 * @param text as the library states it; empty where it states none, and then nothing is refused
 */
public record ClientVersion(String text) {
    private static final Logger log = LoggerFactory.getLogger(ClientVersion.class);
    private static final String LIBRARY = "kafka-clients";
    private static final String FILE = "/kafka/kafka-version.properties";
    private static final Pattern NUMBERS = Pattern.compile("(\\d+)\\.(\\d+).*");

    /** Confluent numbers its builds by its platform: 7.9.0-ccs is Kafka 3.9, 8.1.0-ccs is Kafka 4.1. */
    private static final Pattern CONFLUENT = Pattern.compile("-(ccs|ce)$");

    private static final int CONFLUENT_AHEAD = 4;

    /** Read once: it is asked for at each start, and opening a file of a jar takes a millisecond. */
    private static final class Found {
        static final ClientVersion VERSION = read();
    }

    /** The one on the class path. */
    public static ClientVersion found() {
        return Found.VERSION;
    }

    private static ClientVersion read() {
        // Kafka's own AppInfoParser moved to another package in 4.4.
        try (InputStream file = Consumer.class.getResourceAsStream(FILE)) {
            Properties properties = new Properties();
            if (file != null) {
                properties.load(file);
            }
            return new ClientVersion(properties.getProperty("version", "").strip());
        } catch (IOException unreadable) {
            log.debug("the version of {} cannot be read", LIBRARY, unreadable);
            return new ClientVersion("");
        }
    }

    /** For consumer groups, exactly-once and streams. */
    public void requireForConsumers() {
        require(4, 1, "Laneway needs 4.1 or later");
    }

    /** Share groups use methods that came with 4.3. */
    public void requireForShareGroups() {
        require(4, 3, "share groups need 4.3 or later");
    }

    private void require(int major, int minor, String rule) {
        Matcher numbers = NUMBERS.matcher(text);
        if (!numbers.matches()) {
            return;
        }
        boolean isConfluent = CONFLUENT.matcher(text).find();
        int foundMajor = Integer.parseInt(numbers.group(1)) - (isConfluent ? CONFLUENT_AHEAD : 0);
        int foundMinor = Integer.parseInt(numbers.group(2));
        if (foundMajor < major || (foundMajor == major && foundMinor < minor)) {
            throw new ConfigurationException(
                    LIBRARY,
                    isConfluent ? text + " (Kafka " + foundMajor + "." + foundMinor + ")" : text,
                    rule,
                    "put a newer one on the class path; where a framework manages it, set its property kafka.version");
        }
    }
}
