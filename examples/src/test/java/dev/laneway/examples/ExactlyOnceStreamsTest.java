package dev.laneway.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.stream.Control;
import dev.laneway.testkit.EmbeddedKafka;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ExactlyOnceStreamsTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @Test
    @DisplayName("B60 each large payment has one receipt, a customer's in order, and all payments are committed")
    void oneReceiptEach() throws Exception {
        List<String> receipts = new ArrayList<>();
        EmbeddedKafka kafka = EmbeddedKafka.shared();
        try (Cluster cluster = Shared.cluster()) {
            cluster.createTopics("card-payments", "card-receipts");
            cluster.send(ExactlyOnceStreams.payments());
            Control control = ExactlyOnceStreams.start(cluster.consumer("card-receipts"), "test");
            try (Consumer<byte[], byte[]> reader =
                    kafka.consumer(Map.of("group.id", "receipt-reader", "isolation.level", "read_committed"))) {
                reader.subscribe(List.of("card-receipts"));
                await().atMost(LIMIT).until(() -> {
                    reader.poll(Duration.ofMillis(100))
                            .forEach(receipt -> receipts.add(new String(receipt.value(), StandardCharsets.UTF_8)));
                    return receipts.size() >= ExactlyOnceStreams.PAYMENTS / 2;
                });
            }
            control.drainAndShutdown(LIMIT).toCompletableFuture().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
        assertThat(receipts).containsExactlyInAnyOrderElementsOf(receipts(0, 1));
        for (int customer = 0; customer < 4; customer++) {
            assertThat(receipts).containsSubsequence(receipts(customer, 4));
        }
        assertThat(kafka.committed("card-receipts").values().stream()
                        .mapToLong(OffsetAndMetadata::offset)
                        .sum())
                .isGreaterThanOrEqualTo(ExactlyOnceStreams.PAYMENTS);
    }

    private static List<String> receipts(int first, int step) {
        return IntStream.iterate(first, i -> i < ExactlyOnceStreams.PAYMENTS, i -> i + step)
                .filter(i -> i >= ExactlyOnceStreams.PAYMENTS / 2)
                .mapToObj(i -> "receipt for " + i)
                .toList();
    }
}
