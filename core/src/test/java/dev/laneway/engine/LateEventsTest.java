package dev.laneway.engine;

import static dev.laneway.engine.Records.ORDERS_0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Backoff;
import dev.laneway.FailurePolicy;
import dev.laneway.Options;
import dev.laneway.Outcome;
import dev.laneway.engine.track.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What comes while the owner waits for handlers of a partition that seeks. The simulation found both. */
class LateEventsTest {
    private static final TopicPartition ORDERS_1 = new TopicPartition("orders", 1);

    private final Map<TopicPartition, CompletableFuture<Outcome>> running = new HashMap<>();
    private final List<Long> attemptsNanos = new ArrayList<>();

    private CompletableFuture<Outcome> run(int partition) {
        CompletableFuture<Outcome> work = new CompletableFuture<>();
        running.put(new TopicPartition("orders", partition), work);
        return work;
    }

    private CompletableFuture<Outcome> of(TopicPartition id) {
        return Objects.requireNonNull(running.get(id));
    }

    @Test
    @DisplayName("B54 a seek that came while another one waited is answered, though the consumer closes meanwhile")
    void answeredAtTheEnd() {
        HandEngine member = new HandEngine(Options.DEFAULTS, (record, context) -> run(record.partition()));
        member.assign(ORDERS_0).polled(Records.chunk(0, "a")).turn();
        CompletableFuture<Void> first = new CompletableFuture<>();
        CompletableFuture<Void> second = new CompletableFuture<>();
        member.parts.core().inbox().add(new Event.Seek(ORDERS_0, 0, first));
        member.parts.core().inbox().add(new Event.Seek(ORDERS_0, 0, second));
        member.parts.core().inbox().close(Duration.ZERO);
        int turns = 0;
        while (member.engine.step()) {
            assertThat(++turns).isLessThan(100);
        }
        member.engine.end(null);
        assertThat(first).isCompleted();
        assertThat(second).isDone();
    }

    @Test
    @DisplayName("B53 the close limit counts from when it was asked for, not from when the owner comes to serve it")
    void closeCountsFromTheAsking() {
        HandEngine member = new HandEngine(Options.DEFAULTS, (record, context) -> run(record.partition()));
        member.assign(ORDERS_0).polled(Records.chunk(0, "a")).turn();
        assertThat(running).containsKey(ORDERS_0);
        member.parts.core().inbox().close(Duration.ofSeconds(10));
        member.host.pass(9_000);
        assertThat(member.engine.step()).isTrue();
        member.host.pass(1_000);
        assertThat(member.engine.step()).isFalse();
        member.engine.end(null);
    }

    @Test
    @DisplayName("B42 a retry that was told while a seek waited waits for its whole delay")
    void wholeDelay() {
        Duration delay = Duration.ofSeconds(1);
        AtomicReference<HandEngine> self = new AtomicReference<>();
        HandEngine member = new HandEngine(
                Options.DEFAULTS.withFailurePolicy(FailurePolicy.retry(Backoff.fixed(delay))), (record, context) -> {
                    if (record.partition() == 0) {
                        attemptsNanos.add(self.get().host.nowNanos);
                    }
                    return run(record.partition());
                });
        self.set(member);
        member.assign(ORDERS_0, ORDERS_1)
                .polled(Records.chunk(ORDERS_0, 0, "a", 0))
                .polled(Records.chunk(ORDERS_1, 0, "b", 0))
                .turn();
        assertThat(running).hasSize(2);
        List<Long> failedNanos = new ArrayList<>();
        member.host.onPark = () -> {
            if (failedNanos.isEmpty()) {
                failedNanos.add(member.host.nowNanos);
                of(ORDERS_0).completeExceptionally(new IllegalStateException("no stock"));
                of(ORDERS_1).complete(Outcome.done());
            }
            member.host.runWorkers();
        };
        member.parts.core().inbox().add(new Event.Seek(ORDERS_1, 0, new CompletableFuture<>()));
        for (int i = 0; i < 1_000 && attemptsNanos.size() < 2; i++) {
            member.turn().host.pass(10);
        }
        assertThat(attemptsNanos).hasSize(2);
        assertThat(Duration.ofNanos(attemptsNanos.get(1) - failedNanos.getFirst()))
                .as("the jitter takes a fifth at most")
                .isGreaterThanOrEqualTo(delay.multipliedBy(8).dividedBy(10));
    }
}
