package dev.laneway.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.laneway.testkit.TcpProxy.Direction;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
@DisplayName("Network")
@Execution(ExecutionMode.CONCURRENT) // Each test has a cluster of its own.
class NetworkTest {

    private static Consumer<byte[], byte[]> on(EmbeddedKafka kafka, String network, String group) {
        Map<String, Object> config = new HashMap<>(kafka.security().clientProperties());
        config.put("bootstrap.servers", kafka.network(network).bootstrapServers());
        config.put("group.id", group);
        Consumer<byte[], byte[]> consumer = kafka.consumer(config);
        consumer.subscribe(List.of("topic"));
        return consumer;
    }

    private static void assertReads(Consumer<byte[], byte[]> consumer, int records) {
        int[] read = {0};
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            read[0] += consumer.poll(Duration.ofMillis(100)).count();
            return read[0] == records;
        });
    }

    @Test
    @DisplayName("clients stay on their network, three brokers and TLS or not; only they notice that it is cut")
    void staysOnTheNetwork() {
        try (EmbeddedKafka kafka = EmbeddedKafka.builder()
                .nodes(3)
                .tls(Tls.SERVER)
                .network("east")
                .network("west")
                .start()) {
            kafka.createTopic("topic", 6);
            for (int i = 0; i < 60; i++) {
                kafka.produce("topic", "key-" + i, "v");
            }
            Network east = kafka.network("east");
            Network west = kafka.network("west");
            try (Consumer<byte[], byte[]> first = on(kafka, "east", "first");
                    Consumer<byte[], byte[]> second = on(kafka, "west", "second")) {
                assertReads(first, 60);
                assertReads(second, 60);
                for (int node = 1; node <= 3; node++) {
                    assertThat(east.proxy(node).passed(Direction.TO_CLIENT)).isPositive();
                    assertThat(west.proxy(node).passed(Direction.TO_CLIENT)).isPositive();
                }
                east.all(TcpProxy::cut);
                for (int i = 0; i < 60; i++) {
                    kafka.produce("topic", "key-" + i, "v");
                }
                assertReads(second, 60);
                long before = east.proxy(1).passed(Direction.TO_CLIENT);
                assertThat(first.poll(Duration.ofMillis(300)).count()).isZero();
                assertThat(east.proxy(1).passed(Direction.TO_CLIENT)).isEqualTo(before);
                east.all(TcpProxy::heal);
                assertReads(first, 60);
            }
        }
    }

    @Test
    @DisplayName("a node that is killed and started again is behind the same proxy")
    void restartedNode() {
        try (EmbeddedKafka kafka = EmbeddedKafka.builder().network("east").start()) {
            kafka.createTopic("topic", 1);
            try (Consumer<byte[], byte[]> consumer = on(kafka, "east", "g")) {
                kafka.produce("topic", "k", "v");
                assertReads(consumer, 1);
                // Without it a group that rebalances at the restart reads the first record again.
                consumer.commitSync();
                kafka.kill(1);
                kafka.start(1);
                kafka.produce("topic", "k", "v");
                assertReads(consumer, 1);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "East", "a b", "1st", "a-b"})
    @DisplayName("a name that cannot be a listener's is refused")
    void names(String name) {
        assertThatThrownBy(() -> EmbeddedKafka.builder().network(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("network(" + name + ")");
    }

    @Test
    @DisplayName("what there is not is refused with what to do")
    void unknown() {
        assertThatThrownBy(() -> EmbeddedKafka.shared().network("east"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("network(east)");
        assertThatThrownBy(() -> new Network(List.of()).proxy(1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("node 1");
    }
}
