package dev.laneway.engine.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.ConfigurationException;
import dev.laneway.Options;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("B25 what a member fetches and holds follows from its budgets")
class KafkaConfigTest {
    private static final String FETCH = "fetch.max.bytes";
    private static final String FETCH_WAIT = "fetch.max.wait.ms";

    @Test
    void aFetchBringsASixteenthOfTheBytes() {
        assertThat(of(Options.DEFAULTS, Map.of()).consumer(0, 1)).containsEntry(FETCH, 4 << 20);
        Options small = Options.DEFAULTS.withBufferBytes(160_000);
        KafkaConfig config = of(small, Map.of());
        assertThat(config.consumer(0, 1)).containsEntry(FETCH, 10_000);
        assertThat(config.fetchMaxBytes()).isEqualTo(10_000);
    }

    @Test
    void whatTheUserSetsStays() {
        KafkaConfig config = of(Options.DEFAULTS, Map.of(FETCH, "1000000"));
        assertThat(config.consumer(0, 1)).containsEntry(FETCH, "1000000");
        assertThat(config.fetchMaxBytes()).isEqualTo(1_000_000);
    }

    @Test
    void theSystemSizesTheReceiveBuffer() {
        String name = "receive.buffer.bytes";
        assertThat(of(Options.DEFAULTS, Map.of()).consumer(0, 1)).containsEntry(name, -1);
        assertThat(of(Options.DEFAULTS, Map.of(name, "9000")).consumer(0, 1)).containsEntry(name, "9000");
    }

    @Test
    void clientsOfTheCallersOwnHaveKafkasDefault() {
        Map<String, Object> described = Map.of("group.id", "shop", "enable.auto.commit", "false");
        assertThat(KafkaConfig.of(described, Map.of(), true, Options.DEFAULTS).fetchMaxBytes())
                .isEqualTo(50 << 20);
    }

    @Test
    void aSizedBudgetOfRecordsBeginsSmall() {
        assertThat(records(16, 0)).isEqualTo(RecordBudget.fixed(20_000));
        assertThat(records(10_000, 0)).isEqualTo(new RecordBudget(20_000, 320_000));
        assertThat(records(10_000, 30_000)).isEqualTo(RecordBudget.fixed(30_000));
        Options options = Options.DEFAULTS.withConcurrency(1_000);
        assertThat(of(options, Map.of("max.poll.records", 7_000)).records())
                .isEqualTo(new RecordBudget(28_000, 32_000));
    }

    @Test
    @DisplayName("B26 a fetch that finds nothing keeps others waiting for 100 ms, unless the user sets another time")
    void aFetchThatFindsNothing() {
        KafkaConfig config = of(Options.DEFAULTS, Map.of());
        assertThat(config.consumer(0, 1)).containsEntry(FETCH_WAIT, 100);
        assertThat(config.fetchMaxWait()).isEqualTo(Duration.ofMillis(100));
        KafkaConfig atOnce = of(Options.DEFAULTS, Map.of(FETCH_WAIT, "0"));
        assertThat(atOnce.consumer(0, 1)).containsEntry(FETCH_WAIT, "0");
        assertThat(atOnce.fetchMaxWait()).isZero();
        assertThat(of(Options.DEFAULTS, Map.of("fetch.min.bytes", 100_000)).fetchMaxWait())
                .as("the time is meant to bring that together")
                .isEqualTo(Duration.ofMillis(500));
        Map<String, Object> described = Map.of("group.id", "shop", "enable.auto.commit", "false");
        assertThat(KafkaConfig.of(described, Map.of(), true, Options.DEFAULTS).fetchMaxWait())
                .as("a client of the caller's own has Kafka's default")
                .isEqualTo(Duration.ofMillis(500));
        assertThatThrownBy(() -> of(Options.DEFAULTS, Map.of(FETCH_WAIT, "-1")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContainingAll(FETCH_WAIT, "-1", "must be a whole number of at least 0");
    }

    private static RecordBudget records(int concurrency, int bufferRecords) {
        return of(Options.DEFAULTS.withConcurrency(concurrency).withBufferRecords(bufferRecords), Map.of())
                .records();
    }

    private static KafkaConfig of(Options options, Map<String, Object> more) {
        Map<String, Object> consumer = new HashMap<>(more);
        consumer.put("bootstrap.servers", "localhost:9092");
        consumer.put("group.id", "shop");
        return KafkaConfig.of(consumer, Map.of(), false, options);
    }
}
