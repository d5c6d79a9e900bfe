package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(120)
@DisplayName("What a rebalance listener may ask of the consumer, on a real broker")
class RestrictedConsumerTest {
    private final Stage stage = Stage.of(2);
    private final TopicPartition zero = stage.partition(0);
    private final TopicPartition one = stage.partition(1);

    private static Map<TopicPartition, OffsetAndMetadata> at(Collection<TopicPartition> partitions, long offset) {
        return partitions.stream().collect(Collectors.toMap(id -> id, id -> new OffsetAndMetadata(offset)));
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(Protocol.class)
    @DisplayName("B40 it answers, lets a partition begin elsewhere, and commits for one that is given up")
    void answers(Protocol protocol) {
        stage.loadInto(0, 50, i -> "key-" + i);
        stage.loadInto(1, 50, i -> "key-" + i);
        Queue<String> told = new ConcurrentLinkedQueue<>();
        Queue<Long> handled = new ConcurrentLinkedQueue<>();
        RebalanceListener moving = new RebalanceListener() {
            @Override
            public void onAssigned(RestrictedConsumer consumer, Collection<TopicPartition> partitions) {
                for (TopicPartition id : partitions) {
                    told.add(consumer.assignment().contains(id)
                            + " " + consumer.beginningOffsets(Set.of(id)).get(id)
                            + " " + consumer.endOffsets(Set.of(id)).get(id)
                            + " " + consumer.committed(Set.of(id))
                            + " " + consumer.position(id)
                            + " " + consumer.offsetsForTimes(Map.of(id, Long.MAX_VALUE)));
                    consumer.seek(id, 40);
                    told.add("moved to " + consumer.position(id));
                }
            }

            @Override
            public void onRevoked(RestrictedConsumer consumer, Collection<TopicPartition> partitions) {
                consumer.commitSync(at(partitions, 47));
            }
        };
        AtomicInteger found = new AtomicInteger();
        try (Laneway first =
                stage.consumer(protocol.config()).onRebalance(moving).process(record -> handled.add(record.offset()))) {
            await().atMost(LIMIT).until(() -> handled.size() == 20 && stage.isCommittedToEnd());
            assertThat(told).hasSize(4).containsOnly("true 0 50 {} 0 {}", "moved to 40");
            assertThat(handled).allMatch(offset -> offset >= 40);
            RebalanceListener reading = new RebalanceListener() {
                @Override
                public void onAssigned(RestrictedConsumer consumer, Collection<TopicPartition> partitions) {
                    consumer.committed(Set.copyOf(partitions))
                            .values()
                            .forEach(offset -> found.addAndGet((int) offset.offset()));
                }
            };
            try (Laneway second =
                    stage.consumer(protocol.config()).onRebalance(reading).process(record -> {})) {
                // The partition is assigned when the listener is called, which then queries the broker.
                await().atMost(LIMIT).until(() -> found.get() > 0);
                assertThat(second.assignment()).hasSize(1);
                assertThat(found).as("what the listener had committed").hasValue(47);
                assertThat(first.state()).isEqualTo(State.RUNNING);
            }
        }
    }

    @Test
    @DisplayName("B40 what is not for the listener, its partitions or its thread is refused by name")
    void refusals() throws Exception {
        Queue<ThrowingCallable> refused = new ConcurrentLinkedQueue<>();
        AtomicReference<RestrictedConsumer> kept = new AtomicReference<>();
        CompletableFuture<Throwable> elsewhere = new CompletableFuture<>();
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        RebalanceListener listener = new RebalanceListener() {
            private void trying(Runnable call) {
                try {
                    call.run();
                } catch (IllegalStateException | IllegalArgumentException failure) {
                    failures.add(failure);
                }
            }

            @Override
            public void onAssigned(RestrictedConsumer consumer, Collection<TopicPartition> partitions) {
                trying(() -> consumer.seek(zero, -1));
                trying(() -> consumer.seek(new TopicPartition("other", 0), 1));
                trying(() -> consumer.commitSync(at(List.of(new TopicPartition("other", 0)), 1)));
                Thread.ofVirtual().start(() -> {
                    try {
                        consumer.assignment();
                        elsewhere.complete(new AssertionError("another thread was let in"));
                    } catch (IllegalStateException failure) {
                        elsewhere.complete(failure);
                    }
                });
                elsewhere.join();
                kept.set(consumer);
            }

            @Override
            public void onRevoked(RestrictedConsumer consumer, Collection<TopicPartition> partitions) {
                trying(() -> consumer.seek(one, 1));
            }
        };
        try (Laneway laneway = stage.consumer().onRebalance(listener).process(record -> {})) {
            await().atMost(LIMIT).until(() -> kept.get() != null);
            assertThat(laneway.assignment()).hasSize(2);
            assertThat(failures.stream().map(Throwable::getMessage))
                    .satisfiesExactly(
                            message -> assertThat(message).contains("-1", "negative"),
                            message -> assertThat(message).contains("seek(other-0)", "Laneway.seek"),
                            message -> assertThat(message).contains("commitSync([other-0])", "leave the others"));
            assertThat(elsewhere.get()).hasMessageContaining("for the thread of the rebalance listener's call");
            refused.add(() -> kept.get().endOffsets(Set.of(zero)));
            refused.add(() -> kept.get().seek(zero, 1));
            refused.forEach(call -> assertThatThrownBy(call)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("keep the answer"));
        }
        assertThat(failures)
                .hasSize(4)
                .last()
                .satisfies(last -> assertThat(last).hasMessageContaining("REVOKED"));
    }
}
