package dev.laneway;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import org.apache.kafka.clients.consumer.Consumer;

/** Which version of Kafka's jars is on the class path of this JVM? */
final class KafkaVersion {

    private KafkaVersion() {}

    static String found() {
        Properties properties = new Properties();
        try (InputStream file = Consumer.class.getResourceAsStream("/kafka/kafka-version.properties")) {
            properties.load(file);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return properties.getProperty("version");
    }
}
