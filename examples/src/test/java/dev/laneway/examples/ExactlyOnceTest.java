package dev.laneway.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.testkit.EmbeddedKafka;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ExactlyOnceTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @Test
    @DisplayName("each order has one invoice, a customer's in order, and an interrupt ends the example")
    void oneInvoiceEach() throws Exception {
        FutureTask<Void> example = new FutureTask<>(() -> {
            ExactlyOnce.main(Shared.bootstrap());
            return null;
        });
        Thread thread = Thread.ofPlatform().name("exactly-once").start(example);
        List<String> invoices = new ArrayList<>();
        EmbeddedKafka kafka = EmbeddedKafka.shared();
        try (Consumer<byte[], byte[]> reader =
                kafka.consumer(Map.of("group.id", "accounting", "isolation.level", "read_committed"))) {
            reader.subscribe(List.of("invoices"));
            await().atMost(LIMIT).until(() -> {
                reader.poll(Duration.ofMillis(100))
                        .forEach(invoice -> invoices.add(new String(invoice.value(), StandardCharsets.UTF_8)));
                return invoices.size() >= ExactlyOnce.ORDERS;
            });
        }
        thread.interrupt();
        assertThat(thread.join(LIMIT)).as("the example ended").isTrue();
        assertThat(invoices).containsExactlyInAnyOrderElementsOf(invoices(0, 1));
        for (int customer = 0; customer < 4; customer++) {
            assertThat(invoices).containsSubsequence(invoices(customer, 4));
        }
    }

    private static List<String> invoices(int first, int step) {
        return IntStream.iterate(first, i -> i < ExactlyOnce.ORDERS, i -> i + step)
                .mapToObj(i -> "invoice for order-" + i)
                .toList();
    }
}
