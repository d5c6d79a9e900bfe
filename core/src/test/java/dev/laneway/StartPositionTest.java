package dev.laneway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class StartPositionTest {
    private static final TopicPartition ORDERS_3 = new TopicPartition("orders", 3);

    @Test
    void positionsAreValues() {
        assertThat(StartPosition.committed()).isEqualTo(new StartPosition.Committed());
        assertThat(StartPosition.earliest()).isEqualTo(new StartPosition.Earliest());
        assertThat(StartPosition.latest()).isEqualTo(new StartPosition.Latest());
        assertThat(StartPosition.timestamp(Instant.EPOCH)).isEqualTo(new StartPosition.Timestamp(Instant.EPOCH));
        assertThat(StartPosition.offsets(Map.of(ORDERS_3, 0L)))
                .isEqualTo(new StartPosition.Offsets(Map.of(ORDERS_3, 0L)));
    }

    @Test
    void offsetsAreCopied() {
        Map<TopicPartition, Long> offsets = new HashMap<>(Map.of(ORDERS_3, 7L));
        var start = new StartPosition.Offsets(offsets);
        offsets.put(ORDERS_3, 8L);
        assertThat(start.offsets()).containsExactly(Map.entry(ORDERS_3, 7L));
    }

    @Test
    @DisplayName("B52 a negative offset is refused")
    void refuses() {
        assertThatThrownBy(() -> StartPosition.offsets(Map.of(ORDERS_3, -1L)))
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("startAt offset of orders-3 is -1 but must be at least 0: raise it");
    }
}
