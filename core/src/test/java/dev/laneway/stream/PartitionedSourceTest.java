package dev.laneway.stream;

import static dev.laneway.stream.SourceStage.LIMIT;
import static dev.laneway.stream.SourceStage.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.laneway.Health;
import dev.laneway.RebalanceListener;
import dev.laneway.RestrictedConsumer;
import dev.laneway.StreamException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(120)
@DisplayName("A stream per partition, on a real broker")
class PartitionedSourceTest {
    private static final int PARTITIONS = 4;

    private final SourceStage stage = new SourceStage(PARTITIONS);
    private final Map<String, Object> cooperative =
            Map.of("partition.assignment.strategy", "org.apache.kafka.clients.consumer.CooperativeStickyAssignor");

    /** A member, and what it got of each of its streams. */
    private static final class Reading<T> {
        record Stream<T>(TopicPartition partition, Probe<T> probe) {}

        final List<Stream<T>> streams = new CopyOnWriteArrayList<>();
        final Control control;

        Reading(Source<PartitionStream<T>> source, long each) {
            control = source.to(new Probe<>(Long.MAX_VALUE, stream -> {
                Probe<T> probe = Probe.asking(each);
                streams.add(new Stream<>(stream.partition(), probe));
                stream.source().subscribe(probe);
            }));
        }

        List<Stream<T>> live() {
            return streams.stream().filter(one -> !one.probe().end().isDone()).toList();
        }

        Probe<T> probe(int partition) {
            return streams.stream()
                    .filter(one -> one.partition().partition() == partition)
                    .toList()
                    .getLast()
                    .probe();
        }

        int delivered() {
            return streams.stream().mapToInt(one -> one.probe().size()).sum();
        }

        void end() throws Exception {
            control.stop();
            join(control.completion());
        }
    }

    private void loadAll(int from, int to) {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            stage.load(partition, from, to);
        }
    }

    @Test
    @DisplayName(
            "B68 a stream completes when its partition goes, and goes on when it stays; nothing is lost or repeated")
    void rebalance() throws Exception {
        loadAll(0, 100);
        ConsumerSettings<String, String> settings = stage.settings(cooperative);
        Queue<String> seen = new ConcurrentLinkedQueue<>();
        Reading<CommittableRecord<String, String>> one = reading(settings, seen);
        await().atMost(LIMIT).until(() -> seen.size() == 400);
        assertThat(one.streams).hasSize(PARTITIONS);

        Reading<CommittableRecord<String, String>> two = reading(settings, seen);
        await().atMost(LIMIT).until(() -> two.streams.size() == 2 && one.live().size() == 2);
        assertThat(one.streams).as("those that stay are the same streams").hasSize(PARTITIONS);
        loadAll(100, 200);
        await().atMost(LIMIT).until(() -> seen.size() == 800);
        assertThat(one.live()).allMatch(stream -> stream.probe().size() == 200);
        assertThat(two.live()).allMatch(stream -> stream.probe().size() == 100);

        join(two.control.drainAndShutdown(Duration.ofSeconds(20)));
        assertThat(two.live()).isEmpty();
        await().atMost(LIMIT).until(() -> one.live().size() == PARTITIONS);
        assertThat(one.streams).as("those that came back are new ones").hasSize(PARTITIONS + 2);
        loadAll(200, 210);
        await().atMost(LIMIT).until(() -> seen.size() == 840);
        join(one.control.drainAndShutdown(Duration.ofSeconds(20)));
        assertThat(seen).doesNotHaveDuplicates();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            assertThat(stage.committed(partition)).isEqualTo(210);
        }
        one.streams.forEach(stream -> assertThat(stream.probe().violations()).isEmpty());
    }

    private Reading<CommittableRecord<String, String>> reading(
            ConsumerSettings<String, String> settings, Queue<String> seen) {
        Source<PartitionStream<CommittableRecord<String, String>>> source =
                KafkaSource.committablePartitioned(settings, stage.all());
        return new Reading<>(
                source.map(stream -> new PartitionStream<>(
                        stream.partition(), stream.source().map(record -> {
                            seen.add(record.partition() + "@" + record.value());
                            record.acknowledge();
                            return record;
                        }))),
                Long.MAX_VALUE);
    }

    @Test
    @DisplayName("B68 what was not delivered of a partition that goes is read by its next owner, once")
    void undelivered() throws Exception {
        loadAll(0, 100);
        ConsumerSettings<String, String> settings = stage.settings(cooperative);
        Reading<CommittableRecord<String, String>> one =
                new Reading<>(KafkaSource.committablePartitioned(settings, stage.all()), 10);
        await().atMost(LIMIT).until(() -> one.delivered() == 40);
        one.streams.forEach(stream -> stream.probe().elements().forEach(CommittableRecord::acknowledge));

        Reading<CommittableRecord<String, String>> two =
                new Reading<>(KafkaSource.committablePartitioned(settings, stage.all()), 10);
        await().atMost(LIMIT).until(() -> two.delivered() == 20);
        assertThat(two.streams)
                .allMatch(stream -> stream.probe().elements().getFirst().value().equals("10"));
        // A late subscriber of an old stream gets nothing from it.
        one.streams.stream()
                .filter(stream -> stream.probe().end().isDone())
                .forEach(stream -> stream.probe().request(5));
        one.live().forEach(stream -> stream.probe().request(5));
        await().atMost(LIMIT).until(() -> one.delivered() == 50);
        two.streams.forEach(stream -> stream.probe().elements().forEach(CommittableRecord::acknowledge));
        one.live().forEach(stream -> stream.probe().elements().forEach(CommittableRecord::acknowledge));
        two.end();
        one.end();
    }

    @Test
    @DisplayName("B69 a stream that nobody reads stops no other and is named with its remedy; an idle one is not")
    void slow() throws Exception {
        stage.load(0, 0, 5_000);
        stage.load(1, 0, 5_000);
        ConsumerSettings<String, String> settings = stage.settings(
                        Map.of("max.poll.records", 100, "max.poll.interval.ms", 1_500))
                .withBufferRecords(800);
        Reading<ConsumerRecord<String, String>> reading =
                new Reading<>(KafkaSource.partitioned(settings, stage.all()), 1);
        await().atMost(LIMIT).until(() -> reading.delivered() == 2);
        reading.probe(1).request(Long.MAX_VALUE);
        await().atMost(LIMIT).until(() -> reading.probe(1).size() == 5_000);
        assertThat(reading.probe(0).size()).isEqualTo(1);
        await().atMost(LIMIT).until(() -> reading.control.health().status().equals(Health.Status.DOWN));
        assertThat(reading.control.health().reasons())
                .singleElement()
                .asString()
                .contains(stage.topic + "-0@1", "nobody asks for it", "Request more");
        reading.probe(0).request(Long.MAX_VALUE);
        await().atMost(LIMIT).until(() -> reading.probe(0).size() == 5_000);
        await().atMost(LIMIT).until(() -> reading.control.health().status().equals(Health.Status.UP));
        reading.end();
    }

    @ParameterizedTest(name = "cancelled after {0}")
    @ValueSource(ints = {10, 100})
    @DisplayName("B122 a cancelled partition stream stays unread, keeps its offsets, and health names it")
    void cancelled(int after) throws Exception {
        stage.load(0, 0, 20_000);
        ConsumerSettings<String, String> settings =
                stage.settings(Map.of("max.poll.records", 100)).withBufferRecords(800);
        List<Flow.Subscription> subscriptions = new CopyOnWriteArrayList<>();
        AtomicInteger delivered = new AtomicInteger();
        Control control = KafkaSource.committablePartitioned(settings, stage.all())
                .to(new Probe<>(Long.MAX_VALUE, stream -> {
                    if (stream.partition().partition() == 0) {
                        stream.source().subscribe(new Flow.Subscriber<>() {
                            @Override
                            public void onSubscribe(Flow.Subscription subscription) {
                                subscriptions.add(subscription);
                                // Where a run of 100 ends, or within one.
                                subscription.request(after);
                            }

                            @Override
                            public void onNext(CommittableRecord<String, String> record) {
                                record.acknowledge();
                                if (delivered.incrementAndGet() == after) {
                                    subscriptions.getFirst().cancel();
                                }
                            }

                            @Override
                            public void onError(Throwable failure) {}

                            @Override
                            public void onComplete() {}
                        });
                    } else {
                        stream.source().subscribe(Probe.asking(Long.MAX_VALUE));
                    }
                }));
        await().atMost(LIMIT).until(() -> delivered.get() == after);
        await().atMost(LIMIT).until(() -> control.health().status() == Health.Status.DEGRADED);
        assertThat(control.health().reasons())
                .singleElement()
                .asString()
                .contains(
                        stage.topic + "-0 is read from offset " + after, "cancelled or stopped", "Stop the source, so");
        join(control.drainAndShutdown(Duration.ofSeconds(10)));
        assertThat(stage.committed(0)).isEqualTo(after);

        Reading<ConsumerRecord<String, String>> next =
                new Reading<>(KafkaSource.partitioned(stage.settings(), stage.all()), 1);
        await().atMost(LIMIT).until(() -> next.delivered() == 1);
        assertThat(next.probe(0).elements().getFirst().value()).isEqualTo(Integer.toString(after));
        next.end();
    }

    // ---------------------------------------------------------------- offsets kept elsewhere

    private Reading<ConsumerRecord<String, String>> external(
            java.util.function.Function<Set<TopicPartition>, CompletionStage<Map<TopicPartition, Long>>> offsets,
            java.util.function.Consumer<Set<TopicPartition>> onRevoke) {
        return new Reading<>(
                KafkaSource.partitioned(
                        stage.settings(cooperative).withProperty("auto.offset.reset", "none"),
                        stage.all(),
                        offsets,
                        onRevoke),
                Long.MAX_VALUE);
    }

    @Test
    @DisplayName("B73 a loader is asked at each assignment, may be slow, and may answer in another order")
    void loader() throws Exception {
        loadAll(0, 10);
        Queue<CompletableFuture<Map<TopicPartition, Long>>> questions = new ConcurrentLinkedQueue<>();
        Queue<Set<TopicPartition>> asked = new ConcurrentLinkedQueue<>();
        Set<TopicPartition> revoked = new CopyOnWriteArraySet<>();
        Reading<ConsumerRecord<String, String>> one = external(
                partitions -> {
                    asked.add(partitions);
                    CompletableFuture<Map<TopicPartition, Long>> question = new CompletableFuture<>();
                    questions.add(question);
                    return question;
                },
                revoked::addAll);
        await().atMost(LIMIT).until(() -> asked.size() == 1);
        assertThat(asked.element()).hasSize(PARTITIONS);
        // While the loader waits, another member joins and takes half.
        AtomicInteger others = new AtomicInteger();
        Reading<ConsumerRecord<String, String>> two = external(
                partitions -> {
                    others.addAndGet(partitions.size());
                    return CompletableFuture.completedFuture(all(partitions, 7L));
                },
                partitions -> {});
        await().atMost(LIMIT).until(() -> two.streams.size() == 2 && two.delivered() == 6);
        assertThat(one.streams).isEmpty();
        assertThat(revoked).hasSize(2);
        // The answer comes late: it no longer counts for partitions that were given up.
        questions.element().complete(all(asked.element(), 4L));
        await().atMost(LIMIT).until(() -> one.delivered() == 12);
        assertThat(one.streams).hasSize(2).noneMatch(stream -> revoked.contains(stream.partition()));

        two.end();
        await().atMost(LIMIT).until(() -> asked.size() == 2);
        assertThat(asked.toArray()[1]).isEqualTo(revoked);
        List.copyOf(questions).getLast().complete(all(revoked, 9L));
        await().atMost(LIMIT).until(() -> one.delivered() == 14);
        assertThat(others).hasValue(2);
        one.end();
        assertThat(stage.kafka.committed(stage.group))
                .as("nothing is committed")
                .isEmpty();
    }

    private static Map<TopicPartition, Long> all(Set<TopicPartition> partitions, long offset) {
        return partitions.stream().collect(java.util.stream.Collectors.toMap(id -> id, id -> offset));
    }

    @Test
    @DisplayName("B73 a loader that fails, throws, forgets a partition or gives a negative offset fails the stream")
    void brokenLoader() {
        for (var broken :
                List.<java.util.function.Function<Set<TopicPartition>, CompletionStage<Map<TopicPartition, Long>>>>of(
                        partitions -> CompletableFuture.failedFuture(new IllegalStateException("the database is away")),
                        partitions -> {
                            throw new IllegalStateException("the database is away");
                        },
                        partitions -> CompletableFuture.completedFuture(Map.of()),
                        partitions -> CompletableFuture.completedFuture(all(partitions, -1L)))) {
            Reading<ConsumerRecord<String, String>> reading = external(broken, partitions -> {});
            assertThatThrownBy(() -> join(reading.control.completion()))
                    .hasCauseInstanceOf(StreamException.class)
                    .hasStackTraceContaining("offsetsOnAssign");
        }
    }

    @Test
    @DisplayName("B73 a loader may ask the consumer where a partition ends, until it returns; nothing else may move it")
    void loaderAsks() throws Exception {
        loadAll(0, 5);
        Queue<Throwable> refused = new ConcurrentLinkedQueue<>();
        RebalanceListener moving = new RebalanceListener() {
            @Override
            public void onAssigned(RestrictedConsumer consumer, Collection<TopicPartition> partitions) {
                try {
                    consumer.seek(stage.partition(0), 1);
                } catch (IllegalStateException failure) {
                    refused.add(failure);
                }
            }
        };
        Queue<Long> committed = new ConcurrentLinkedQueue<>();
        Reading<ConsumerRecord<String, String>> reading = new Reading<>(
                KafkaSource.partitioned(
                        stage.settings(cooperative).withRebalanceListener(moving),
                        stage.all(),
                        (consumer, partitions) -> CompletableFuture.completedStage(consumer.endOffsets(partitions)),
                        (consumer, partitions) -> committed.add(consumer.position(stage.partition(0)))),
                Long.MAX_VALUE);
        await().atMost(LIMIT).until(() -> reading.live().size() == PARTITIONS);
        loadAll(5, 7);
        await().atMost(LIMIT).until(() -> reading.delivered() == 2 * PARTITIONS);
        assertThat(SourceStage.values(reading.probe(0).elements())).containsExactly(5, 6);
        assertThat(refused)
                .singleElement()
                .satisfies(failure -> assertThat(failure).hasMessageContaining("offsetsOnAssign"));
        reading.end();
        assertThat(committed).containsExactly(7L);
    }

    // ---------------------------------------------------------------- metadata

    @Test
    @DisplayName("B75 metadata is answered while a stream polls hard")
    void metadata() throws Exception {
        loadAll(0, 5_000);
        Reading<CommittableRecord<String, String>> reading =
                new Reading<>(KafkaSource.committablePartitioned(stage.settings(), stage.all()), Long.MAX_VALUE);
        KafkaMetadata metadata = KafkaMetadata.of(stage.settings());
        try (metadata) {
            List<TopicPartition> partitions = List.of(stage.partition(0), stage.partition(1));
            while (reading.delivered() < PARTITIONS * 5_000) {
                assertThat(metadata.endOffsets(partitions).toCompletableFuture().get())
                        .containsEntry(stage.partition(0), 5_000L);
            }
            assertThat(metadata.beginningOffsets(partitions)
                            .toCompletableFuture()
                            .get())
                    .containsEntry(stage.partition(1), 0L);
            assertThat(metadata.partitionsFor(stage.topic).toCompletableFuture().get())
                    .hasSize(PARTITIONS);
            // Where the group has begun may be committed, nothing else.
            assertThat(metadata.committed(partitions).toCompletableFuture().get())
                    .allSatisfy((id, begun) -> assertThat(begun.offset()).isZero());
            reading.probe(0).elements().getLast().acknowledgeUpTo();
            join(reading.probe(0).elements().getLast().commit());
            assertThat(metadata.committed(partitions)
                            .toCompletableFuture()
                            .get()
                            .get(stage.partition(0))
                            .offset())
                    .isEqualTo(5_000);
        }
        assertThatThrownBy(() -> join(metadata.partitionsFor(stage.topic)))
                .hasCauseInstanceOf(IllegalStateException.class);
        reading.streams.forEach(stream -> stream.probe().elements().getLast().acknowledgeUpTo());
        reading.end();
    }
}
