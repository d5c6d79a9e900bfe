package dev.laneway.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.testkit.EmbeddedKafka;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PartitionStreamsTest {
    @Test
    @DisplayName("B68 B70 each partition is summed by a stream of its own, and all of them are committed to the end")
    void sums() throws Exception {
        try (Cluster cluster = Shared.cluster()) {
            cluster.createTopics("receipts");
            cluster.send(PartitionStreams.receipts());
            PartitionStreams streams = PartitionStreams.run(cluster.consumer("receipts-by-partition"));
            assertThat(streams.sums).hasSizeGreaterThan(1);
            assertThat(streams.total()).isEqualTo(PartitionStreams.EXPECTED);
            assertThat(EmbeddedKafka.shared().committed("receipts-by-partition").values().stream()
                            .mapToLong(OffsetAndMetadata::offset)
                            .sum())
                    .isEqualTo(PartitionStreams.RECORDS);
        }
    }
}
