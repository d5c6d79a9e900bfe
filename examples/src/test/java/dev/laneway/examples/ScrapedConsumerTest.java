package dev.laneway.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ScrapedConsumerTest {
    @Test
    @DisplayName("B153 a consumer registers its metrics by one line, and Prometheus reads them beside Kafka's own")
    void scraped() throws Exception {
        try (Cluster cluster = Shared.cluster()) {
            assertThat(ScrapedConsumer.run(cluster))
                    .contains("laneway_records_processed_total{", "kafka_consumergroup_group_lag{")
                    .contains("kafka_consumer_fetch_manager_records_consumed_total{");
        }
    }
}
