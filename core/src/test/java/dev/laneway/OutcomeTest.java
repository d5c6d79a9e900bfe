package dev.laneway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class OutcomeTest {
    @Test
    void outcomesAreValues() {
        assertThat(Outcome.done()).isSameAs(Outcome.Done.INSTANCE);
        assertThat(Outcome.skip("old")).isEqualTo(new Outcome.Skip("old"));
        assertThat(Outcome.stop("full")).isEqualTo(new Outcome.Stop("full"));
        assertThat(Outcome.deadLetter("bad")).isEqualTo(new Outcome.DeadLetter("bad"));
        assertThat(Outcome.retryAfter(Duration.ZERO)).isEqualTo(new Outcome.RetryAfter(Duration.ZERO));
    }

    @Test
    void emittedRecordsAreCopied() {
        var record = new ProducerRecord<>("out", new byte[1], new byte[2]);
        List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>(List.of(record));
        var emit = new Outcome.Emit(records);
        records.clear();
        assertThat(emit.records()).containsExactly(record);
        assertThat(Outcome.emit(List.of(record))).isEqualTo(emit);
    }

    @Test
    @DisplayName("B42 a delay that is negative or does not fit the clock is refused")
    void refuses() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Outcome.retryAfter(Duration.ofMillis(-1)))
                .withMessage("retryAfter PT-0.001S must be from zero to PT876000H");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Outcome.retryAfter(Duration.ofSeconds(Long.MAX_VALUE)))
                .withMessageEndingWith("must be from zero to PT876000H");
    }

    @Test
    @DisplayName("B48 per-record outcomes of a batch: all done, each, all but some")
    void batches() {
        assertThat(BatchOutcome.done()).isSameAs(BatchOutcome.AllDone.INSTANCE);
        List<Outcome> outcomes = new ArrayList<>(List.of(Outcome.done(), Outcome.skip("old")));
        BatchOutcome each = BatchOutcome.each(outcomes);
        outcomes.clear();
        assertThat(each).isEqualTo(new BatchOutcome.Each(List.of(Outcome.done(), Outcome.skip("old"))));
        assertThat(BatchOutcome.except(2, Map.of(1, Outcome.skip("old")))).isEqualTo(each);
        assertThat(BatchOutcome.except(2, Map.of()))
                .isEqualTo(BatchOutcome.each(List.of(Outcome.done(), Outcome.done())));
    }
}
