package dev.laneway.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@EnableKubernetesMockClient(crud = true)
class LeadershipTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration[] QUICK = {Duration.ofSeconds(4), Duration.ofSeconds(3), Duration.ofMillis(300)};

    @SuppressWarnings("NullAway.Init") // The extension sets it.
    private static KubernetesClient client;

    @Test
    @DisplayName("B196 of several autoscalers one leads, and another one takes over when it ends")
    void leads() {
        Leadership first = new Leadership(client, "prod", "laneway-shop", "first", QUICK);
        try {
            await().atMost(LIMIT).until(() -> first.standby() == null);
            try (Leadership second = new Leadership(client, "prod", "laneway-shop", "second", QUICK)) {
                await().atMost(LIMIT)
                        .until(() -> String.valueOf(second.standby()).contains("autoscaler first has"));
                assertThat(first.standby()).isNull();
                first.close();
                assertThat(first.standby()).isNotNull();
                await().atMost(LIMIT).until(() -> second.standby() == null);
            }
        } finally {
            first.close();
        }
    }
}
