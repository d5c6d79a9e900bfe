package dev.laneway.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.testkit.EmbeddedKafka;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ReactorBridgeTest {
    @Test
    @DisplayName("B76 Reactor between a source and a sink: all is priced, in order, and committed when it is written")
    void prices() throws Exception {
        try (Cluster cluster = Shared.cluster()) {
            assertThat(ReactorBridge.run(cluster, ReactorBridge::slowly)).hasSize(100);
        }
        EmbeddedKafka kafka = EmbeddedKafka.shared();
        assertThat(kafka.endOffsets("prices").values().stream()
                        .mapToLong(end -> end)
                        .sum())
                .isEqualTo(100);
        assertThat(kafka.committed("pricing").values().stream()
                        .mapToLong(OffsetAndMetadata::offset)
                        .sum())
                .isEqualTo(100);
    }
}
