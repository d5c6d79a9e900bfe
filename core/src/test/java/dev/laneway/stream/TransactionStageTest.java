package dev.laneway.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.engine.handle.AckHandle;
import dev.laneway.stream.runtime.StageRuntime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The stage behind a transactional sink, on one thread, with a consumer whose transactions end when a test says so. */
class TransactionStageTest {
    private static final class HandDelivered implements AckHandle {
        final List<Receipt> receipts = new ArrayList<>();
        final List<CompletableFuture<@Nullable Void>> asked = new ArrayList<>();
        /** How many records it had been given at each request for a commit. */
        final List<Integer> askedWith = new ArrayList<>();

        @Override
        public TopicPartition partition() {
            return new TopicPartition("numbers", 0);
        }

        @Override
        public void done(long offset, @Nullable String metadata) {}

        @Override
        public void doneUpTo(long offset, @Nullable String metadata) {}

        @Override
        public void emits(long offset, List<ProducerRecord<byte[], byte[]>> outputs, Receipt receipt) {
            receipts.add(receipt);
        }

        @Override
        public CompletionStage<@Nullable Void> commit() {
            CompletableFuture<@Nullable Void> answer = new CompletableFuture<>();
            asked.add(answer);
            askedWith.add(receipts.size());
            return answer;
        }
    }

    private final HandDelivered consumer = new HandDelivered();
    private final HandPublisher<Envelope<String, String, Offset>> above = new HandPublisher<>();
    private int next;
    /** What happens while the next value is serialised. */
    private Runnable meanwhile = () -> {};

    private Probe<Offset> below(int batch, long maxBytes, long demand) {
        Serializer<String> values = (topic, value) -> {
            Runnable once = meanwhile;
            meanwhile = () -> {};
            once.run();
            return value.getBytes(UTF_8);
        };
        TransactionSettings<String, String> settings = TransactionSettings.of("test", new StringSerializer(), values)
                .withInterval(Duration.ofHours(1))
                .withMaxBatch(batch)
                .withMaxBytes(maxBytes);
        TransactionStage<String, String, Offset> stage = new TransactionStage<>(
                settings, new StageRuntime(Runnable::run, new HandAlarm(), RandomGenerator.getDefault()));
        Probe<Offset> probe = Probe.asking(demand);
        stage.subscribe(probe);
        above.subscribe(stage);
        return probe;
    }

    private void send(int elements) {
        for (int i = 0; i < elements; i++) {
            above.send(Envelope.single(new ProducerRecord<>("out", "key", "value"), new Offset(consumer, next++, "")));
        }
    }

    @Test
    @DisplayName(
            "B77 two batches may wait for their commit, each full one is asked for, and more come when one is written")
    void batches() {
        Probe<Offset> probe = below(4, 1_000, Long.MAX_VALUE);
        assertThat(above.requested()).isEqualTo(4);
        send(4);
        assertThat(consumer.asked).hasSize(1);
        send(4);
        assertThat(consumer.asked).hasSize(2);
        assertThat(above.requested()).as("nothing beyond two batches").isEqualTo(8);
        consumer.receipts.subList(0, 4).forEach(AckHandle.Receipt::written);
        consumer.asked.getFirst().complete(null);
        assertThat(probe.elements().stream().map(Offset::offset)).containsExactly(0L, 1L, 2L, 3L);
        assertThat(above.requested()).isEqualTo(12);
    }

    @Test
    @DisplayName("B77 what comes while one is handed over makes no batch larger, and leaves no full one unasked")
    void exactBatches() {
        below(4, 1_000, Long.MAX_VALUE);
        send(3);
        meanwhile = () -> send(3);
        send(1);
        assertThat(consumer.receipts).hasSize(7);
        assertThat(consumer.askedWith).containsExactly(4);
        send(1);
        assertThat(consumer.askedWith).containsExactly(4, 8);
    }

    @Test
    @DisplayName("B77 bytes that wait for their commit are bounded; what fills the budget is asked for at once")
    void bytes() {
        below(4, 16, Long.MAX_VALUE);
        send(2);
        assertThat(consumer.asked).hasSize(1);
        send(2);
        assertThat(above.requested()).isLessThanOrEqualTo(6);
        consumer.receipts.forEach(AckHandle.Receipt::written);
        consumer.asked.forEach(answer -> answer.complete(null));
        assertThat(above.requested()).isGreaterThan(6);
    }

    @Test
    @DisplayName("B7 what a commit leaves behind, since its map has no room, stops nothing that it may wait for")
    void leftBehind() {
        Probe<Offset> probe = below(2, 1_000, Long.MAX_VALUE);
        send(4);
        assertThat(above.requested()).isEqualTo(4);
        consumer.asked.forEach(answer -> answer.complete(null));
        assertThat(above.requested()).as("the lowest record may yet come").isGreaterThan(4);
        assertThat(probe.size()).isZero();
        consumer.receipts.forEach(AckHandle.Receipt::written);
        assertThat(probe.size()).isEqualTo(4);
    }

    @Test
    @DisplayName("B68 what is dropped with its partition does not come out, and holds nothing up")
    void dropped() {
        Probe<Offset> probe = below(4, 1_000, Long.MAX_VALUE);
        send(3);
        consumer.receipts.get(0).dropped();
        consumer.receipts.get(2).written();
        consumer.receipts.get(1).written();
        assertThat(probe.elements().stream().map(Offset::offset)).containsExactly(1L, 2L);
    }

    @Test
    @DisplayName("B72 it completes when all is committed, which it asks for, and fails when that fails")
    void ends() {
        Probe<Offset> probe = below(4, 1_000, Long.MAX_VALUE);
        send(1);
        above.complete();
        assertThat(consumer.asked).hasSize(1);
        consumer.receipts.getFirst().written();
        assertThat(probe.end()).as("the commit is not confirmed").isNotDone();
        consumer.asked.getFirst().completeExceptionally(new IllegalStateException("told to"));
        assertThat(probe.end()).isCompletedExceptionally();
        assertThat(probe.violations()).isEmpty();
    }
}
