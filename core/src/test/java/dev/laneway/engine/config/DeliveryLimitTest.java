package dev.laneway.engine.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.SharedKafka;
import dev.laneway.testkit.KafkaCluster;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class DeliveryLimitTest {
    @Test
    @DisplayName("B100 the group's own limit of deliveries is asked for, and Kafka's default counts until it is known")
    void asks() throws Exception {
        KafkaCluster kafka = SharedKafka.get();
        ConfigEntry three = new ConfigEntry(DeliveryLimit.NAME, "3");
        kafka.admin()
                .incrementalAlterConfigs(Map.of(
                        new ConfigResource(ConfigResource.Type.GROUP, "limited"),
                        List.of(new AlterConfigOp(three, AlterConfigOp.OpType.SET))))
                .all()
                .get();
        DeliveryLimit limit = DeliveryLimit.ask(Map.of("bootstrap.servers", kafka.bootstrapServers()), "limited");
        await().atMost(Duration.ofSeconds(60)).until(() -> limit.deliveries() == 3);
        assertThat(limit.isReached(2)).isFalse();
        assertThat(limit.isReached(3)).isTrue();
    }

    @Test
    @DisplayName("B100 where the limit cannot be asked for, Kafka's default of five deliveries is assumed")
    void assumes() {
        DeliveryLimit limit = DeliveryLimit.ask(Map.of("bootstrap.servers", "no.such.host.invalid:1"), "g");
        assertThat(limit.isReached(4)).isFalse();
        assertThat(limit.isReached(5)).isTrue();
    }
}
