package dev.laneway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The small public values: commit modes, workers, utilisation, health, headers, exceptions. */
class ValueTypesTest {
    @Test
    @DisplayName("B52 a commit interval that is not positive is refused, in both modes")
    void commitModes() {
        assertThat(CommitMode.DEFAULT).isEqualTo(CommitMode.async(Duration.ofSeconds(1)));
        assertThat(CommitMode.ahead()).isEqualTo(new CommitMode.Ahead());
        assertThatThrownBy(() -> CommitMode.async(Duration.ZERO))
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("commit.interval is PT0S but must be longer than zero: give a positive duration");
        assertThatThrownBy(() -> CommitMode.sync(Duration.ofMillis(-1)))
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("commit.interval is PT-0.001S but must be longer than zero: give a positive duration");
    }

    @Test
    @DisplayName("B52 a commit interval longer than any clock is refused")
    void longestCommitInterval() {
        assertThatThrownBy(() -> CommitMode.async(Duration.ofDays(36_501)))
                .hasMessage("commit.interval is PT876024H but must be at most PT876000H: 100 years are as good as for"
                        + " ever");
        assertThatThrownBy(() -> CommitMode.sync(Duration.ofDays(36_501))).hasMessageStartingWith("commit.interval");
    }

    @Test
    @DisplayName("B52 a pool without threads is refused")
    void workers() {
        assertThat(Workers.cpuBound(1)).isEqualTo(new Workers.CpuBound(1));
        assertThatThrownBy(() -> Workers.cpuBound(0))
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("workers.threads is 0 but must be at least 1: raise it");
    }

    @Test
    void utilisationBetweenTwoReadings() {
        var first = new Utilisation(1_000, 400, 3_000, 4);
        assertThat(new Utilisation(4_000, 400, 4_000, 4).since(first)).isCloseTo(0.75, within(1e-9));
        assertThat(first.since(first)).as("no time has passed").isZero();
        assertThat(new Utilisation(2_000, 0, 2_500, 4).since(first))
                .as("never above 1, whatever the rounding")
                .isEqualTo(1.0);
    }

    @Test
    void healthKeepsItsReasons() {
        List<String> reasons = new ArrayList<>(List.of("the consumer is closed"));
        var health = new Health(Health.Status.DOWN, reasons);
        reasons.clear();
        assertThat(health.reasons()).containsExactly("the consumer is closed");
    }

    @Test
    @DisplayName("B44 the names of the dead-letter headers are part of the API")
    void headerNames() {
        assertThat(List.of(
                        DeadLetterHeaders.TOPIC,
                        DeadLetterHeaders.PARTITION,
                        DeadLetterHeaders.OFFSET,
                        DeadLetterHeaders.TIMESTAMP,
                        DeadLetterHeaders.GROUP,
                        DeadLetterHeaders.EXCEPTION,
                        DeadLetterHeaders.REASON,
                        DeadLetterHeaders.ATTEMPTS))
                .containsExactly(
                        "laneway.dlq.topic",
                        "laneway.dlq.partition",
                        "laneway.dlq.offset",
                        "laneway.dlq.timestamp",
                        "laneway.dlq.group",
                        "laneway.dlq.exception",
                        "laneway.dlq.reason",
                        "laneway.dlq.attempts");
    }

    @Test
    @DisplayName("B57 an exception names the record, the reason and the cause")
    void exceptions() {
        var cause = new IllegalStateException("no stock");
        var partition = new TopicPartition("orders", 3);
        var failed = new RecordFailedException(partition, 42, "attempt 1 failed", cause);
        assertThat(failed)
                .hasMessage("record orders-3@42 stopped the consumer: attempt 1 failed")
                .hasCause(cause);
        assertThat(failed.partition()).isEqualTo(partition);
        assertThat(failed.offset()).isEqualTo(42);
        assertThat(new RecordDeserializationException("orders-3@42", true, cause))
                .hasMessage("the key of record orders-3@42 cannot be deserialised: " + cause)
                .hasCause(cause);
        assertThat(new RecordDeserializationException("orders-3@42", false, cause))
                .hasMessageStartingWith("the value of record");
        assertThat(new AttemptTimeoutException("orders-3#1f", Duration.ofSeconds(2)))
                .hasMessage("an attempt in lane orders-3#1f took longer than attemptLimit PT2S");
    }
}
