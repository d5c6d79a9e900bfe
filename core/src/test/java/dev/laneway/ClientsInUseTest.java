package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is started with the version of kafka-clients on the class path. It differs where other versions are tested. */
class ClientsInUseTest {
    private final String version = KafkaVersion.found();
    private final boolean old = version.startsWith("4.1.") || version.startsWith("4.2.");

    @Test
    @DisplayName("B129 the version is the one that is to be tested")
    void asked() {
        assertThat(version).isEqualTo(System.getProperty("laneway.clients.version", version));
    }

    @Test
    @DisplayName("B129 a share group starts, or is refused by a sentence that says which clients it needs")
    void shareGroup() {
        Map<String, Object> config = Map.of("bootstrap.servers", "127.0.0.1:1", "group.id", "group");
        LanewayBuilder<byte[], byte[]> member =
                Laneway.shareConsumer(config).subscribe("orders").closeOnShutdown(false);
        if (old) {
            assertThatThrownBy(() -> member.process(record -> {}))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageStartingWith("kafka-clients is " + version + " but share groups need 4.3 or later");
        } else {
            try (Laneway laneway = member.closeLimit(Stage.millis(100)).process(record -> {})) {
                assertThat(laneway.state().isTerminal()).isFalse();
            }
        }
    }

    @Test
    @DisplayName("B129 a consumer group starts and handles records")
    void consumerGroup() {
        Stage stage = Stage.of(1);
        stage.load(10, i -> "key-" + i);
        try (Laneway _ = stage.consumer().process(record -> {})) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
    }
}
