package dev.laneway.ops.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class GivenConfigTest {
    @Test
    @DisplayName("B83 What users tell of the configuration is kept, but no password")
    void noPasswords() {
        try (GivenConfig given = new GivenConfig(Map.of(
                "max.poll.interval.ms", 10_000, "state.dir", "/data", "sasl.jaas.config", "secret", "group.id", "g"))) {
            assertThat(given.read(Duration.ofSeconds(1)).texts())
                    .isEqualTo(Map.of(
                            Metric.of(Groups.CONFIG, "max.poll.interval.ms"),
                            "10000",
                            Metric.of(Groups.CONFIG, "state.dir"),
                            "/data"));
        }
    }
}
