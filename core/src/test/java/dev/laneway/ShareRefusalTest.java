package dev.laneway;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.MockShareConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Options that make no sense in a share group are refused at start, before anything is connected. */
class ShareRefusalTest {
    private static final Map<String, Object> CONFIG = Map.of("bootstrap.servers", "localhost:1", "group.id", "g");

    private static LanewayBuilder<byte[], byte[]> member(Map<String, ?> more) {
        Map<String, Object> config = new HashMap<>(CONFIG);
        config.putAll(more);
        return Laneway.shareConsumer(config).subscribe("orders").closeOnShutdown(false);
    }

    private static Arguments option(String name, UnaryOperator<LanewayBuilder<byte[], byte[]>> change) {
        return Arguments.of(name, change);
    }

    static Stream<Arguments> options() {
        return Stream.of(
                option("ordering", member -> member.ordering(Ordering.KEY)),
                option("ordering", member -> member.ordering(Ordering.PARTITION)),
                option("ordering", member -> member.options(Options.DEFAULTS)),
                option("commit", member -> member.exactlyOnce("id")),
                option("commit", member -> member.commit(CommitMode.ahead())),
                option("drainLimit", member -> member.drainLimit(Duration.ofSeconds(1))),
                option("startPosition", member -> member.startAt(StartPosition.earliest())),
                option("metadata", member -> member.metadata(MetadataPolicy.FAIL_ON_FOREIGN)),
                option("onRebalance", member -> member.onRebalance(new RebalanceListener() {})),
                option("subscribe", member -> member.subscribe(Pattern.compile("orders.*"))),
                option("assign", member -> member.assign(List.of(new TopicPartition("orders", 0)))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("options")
    @DisplayName("B91 options that need order or partitions of one's own are refused, with rule and remedy")
    void refusesOptions(String name, UnaryOperator<LanewayBuilder<byte[], byte[]>> change) {
        assertThatThrownBy(() -> change.apply(member(Map.of())).process(record -> {}))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith(name);
    }

    static Stream<Arguments> properties() {
        return Stream.of(
                Arguments.of("share.acknowledgement.mode", "implicit"),
                Arguments.of("auto.offset.reset", "earliest"),
                Arguments.of("isolation.level", "read_committed"),
                Arguments.of("session.timeout.ms", "10000"),
                Arguments.of("enable.auto.commit", "false"),
                Arguments.of("group.protocol", "consumer"),
                Arguments.of("group.instance.id", "i"),
                Arguments.of("group.id", " "),
                Arguments.of("key.deserializer", "StringDeserializer"),
                Arguments.of("max.poll.records", "0"),
                Arguments.of("max.pol.records", "5"),
                Arguments.of("fetch.max.bytes", "2147483647"));
    }

    @ParameterizedTest(name = "{0}={1}")
    @MethodSource("properties")
    @DisplayName("B91 Kafka's properties that share consumers do not have are refused, with where to set them")
    void refusesProperties(String name, String value) {
        assertThatThrownBy(() -> member(Map.of(name, value)).process(record -> {}))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith(name);
    }

    @Test
    @DisplayName("B91 the message names the property of the group that is meant")
    void remedy() {
        assertThatThrownBy(() -> member(Map.of("auto.offset.reset", "earliest")).process(record -> {}))
                .hasMessageContaining("share.auto.offset.reset");
    }

    @Test
    @DisplayName("B91 a batch cannot wait for more, since nothing new comes before it is done")
    void linger() {
        assertThatThrownBy(
                        () -> member(Map.of()).processBatch(10, Duration.ofMillis(5), records -> BatchOutcome.done()))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith("batch.linger");
    }

    @Test
    @DisplayName("B91 clients of the caller's own must be said to acknowledge explicitly")
    void ownClients() {
        try (var client = new MockShareConsumer<byte[], byte[]>()) {
            assertThatThrownBy(() -> Laneway.shareConsumer(CONFIG, () -> client)
                            .subscribe("orders")
                            .process(record -> {}))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageStartingWith("share.acknowledgement.mode")
                    .hasMessageContaining("missing");
        }
    }
}
