package dev.laneway.engine.handle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Ordering;
import dev.laneway.engine.Machine;
import dev.laneway.engine.Records;
import dev.laneway.engine.Scene;
import dev.laneway.engine.runtime.HandHost;
import dev.laneway.engine.runtime.HealthConditions;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.internals.AutoOffsetResetStrategy;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a feed tells those who wait, one call at a time. */
class StreamFeedTest {
    private final Machine machine = new Machine(
            new HandHost(),
            Scene.options(Ordering.PARTITION, 1),
            new HandlerSpec.Streaming(NoOutlet.OUTLET, HandlerSpec.Streaming.Kind.TRANSACTIONAL),
            new MockConsumer<>(AutoOffsetResetStrategy.EARLIEST.name()),
            null);
    private final StreamFeed feed = new StreamFeed(
            Records.ORDERS_0,
            1,
            0,
            null,
            (HandlerSpec.Streaming) machine.handling,
            machine.wake,
            machine.counts,
            new HealthConditions(machine.host),
            () -> CompletableFuture.completedStage(null));

    @Test
    @DisplayName("Whoever is told that its outputs are dropped may wait for another thread that needs the feed")
    void dropsUnderNoGuard() {
        feed.append(Records.chunk(0, "a"), 1);
        RecordSlice run = feed.take(1);
        assertThat(run).isNotNull();
        feed.delivered();
        CompletableFuture<Integer> seen = new CompletableFuture<>();
        feed.emits(0, List.of(new ProducerRecord<>("out", new byte[1])), new AckHandle.Receipt() {
            @Override
            public void written() {
                seen.completeExceptionally(new AssertionError("written"));
            }

            @Override
            public void dropped() {
                CompletableFuture<Integer> other = CompletableFuture.supplyAsync(feed::unacknowledged);
                seen.complete(other.completeOnTimeout(-1, 2, TimeUnit.SECONDS).join());
            }
        });
        feed.drop();
        assertThat(seen).isCompletedWithValue(0);
    }
}
