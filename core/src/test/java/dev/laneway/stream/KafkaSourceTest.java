package dev.laneway.stream;

import static dev.laneway.stream.SourceStage.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.laneway.ConfigurationException;
import dev.laneway.Health;
import dev.laneway.RebalanceListener;
import dev.laneway.RecordDeserializationException;
import dev.laneway.RestrictedConsumer;
import dev.laneway.StartPosition;
import dev.laneway.StreamException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.IntegerDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(120)
@DisplayName("Sources on a real broker")
class KafkaSourceTest {
    private final SourceStage stage = new SourceStage(2);

    private static List<Integer> numbers(int from, int to) {
        return IntStream.range(from, to).boxed().toList();
    }

    private static List<Integer> of(Probe<ConsumerRecord<String, String>> probe, int partition) {
        return SourceStage.values(probe.elements().stream()
                .filter(record -> record.partition() == partition)
                .toList());
    }

    @Test
    @DisplayName("B66 plain: everything is delivered in the order of each partition, and nothing is committed")
    void plain() throws Exception {
        stage.load(0, 0, 5_000);
        stage.load(1, 0, 3_000);
        Probe<ConsumerRecord<String, String>> probe = Probe.asking(Long.MAX_VALUE);
        Control control = KafkaSource.plain(stage.settings(), stage.all()).to(probe);
        await().atMost(SourceStage.LIMIT).until(() -> probe.size() == 8_000);
        assertThat(of(probe, 0)).isEqualTo(numbers(0, 5_000));
        assertThat(of(probe, 1)).isEqualTo(numbers(0, 3_000));
        assertThat(control.health().status()).isEqualTo(Health.Status.UP);
        join(control.drainAndShutdown(Duration.ofSeconds(10)));
        assertThat(control.isShutdown()).isTrue();
        assertThat(probe.end()).isCompleted();
        assertThat(probe.violations()).isEmpty();
        assertThat(stage.kafka.committed(stage.group)).isEmpty();
    }

    @Test
    @DisplayName("B67 without demand the partitions pause and the member stays; with demand the stream goes on")
    void noDemand() throws Exception {
        stage.load(0, 0, 5_000);
        stage.load(1, 0, 5_000);
        Probe<ConsumerRecord<String, String>> probe = Probe.asking(100);
        ConsumerSettings<String, String> settings = stage.settings(
                        Map.of("max.poll.interval.ms", 1_000, "session.timeout.ms", 900, "heartbeat.interval.ms", 200))
                .withBufferRecords(1_000)
                .withProperty("max.poll.records", 100)
                .withStallLimit(Duration.ofSeconds(1));
        Control control = KafkaSource.plain(settings, stage.all()).to(probe);
        await().atMost(SourceStage.LIMIT).until(() -> probe.size() == 100);
        // Longer than a member may stay away.
        await().during(Duration.ofMillis(2_500)).atMost(SourceStage.LIMIT).until(() -> probe.size() == 100);
        assertThat(stage.kafka
                        .admin()
                        .describeConsumerGroups(List.of(stage.group))
                        .all()
                        .get()
                        .get(stage.group)
                        .members())
                .hasSize(1);
        assertThat(control.health().status()).isEqualTo(Health.Status.DOWN);
        assertThat(control.health().reasons().toString()).contains(stage.topic, "Request more");
        probe.request(Long.MAX_VALUE);
        await().atMost(SourceStage.LIMIT).until(() -> probe.size() == 10_000);
        assertThat(of(probe, 0)).isEqualTo(numbers(0, 5_000));
        await().atMost(SourceStage.LIMIT)
                .until(() -> control.health().status().equals(Health.Status.UP)); // Idle is not stuck.
        control.stop();
        join(control.completion());
    }

    @Test
    @DisplayName("B72 drainAndShutdown waits for what was delivered, and commits it")
    void drain() throws Exception {
        stage.load(0, 0, 1_000);
        Probe<CommittableRecord<String, String>> probe = Probe.asking(10);
        Control control = KafkaSource.committable(stage.settings(), stage.all()).to(probe);
        await().atMost(SourceStage.LIMIT).until(() -> probe.size() == 10);
        var result = control.drainAndShutdown(Duration.ofSeconds(30)).toCompletableFuture();
        join(probe.end());
        await().during(Duration.ofMillis(300)).until(() -> !result.isDone());
        probe.elements().reversed().forEach(CommittableRecord::acknowledge);
        join(result);
        assertThat(stage.committed(0)).isEqualTo(10);
        assertThat(probe.size()).isEqualTo(10);
        assertThat(stage.kafka
                        .admin()
                        .describeConsumerGroups(List.of(stage.group))
                        .all()
                        .get()
                        .get(stage.group)
                        .members())
                .isEmpty();
    }

    @Test
    @DisplayName("B72 a drain limit that has passed fails the result, and what was not acknowledged comes again")
    void drainLimit() throws Exception {
        stage.load(0, 0, 20);
        Probe<CommittableRecord<String, String>> probe = Probe.asking(10);
        Control control = KafkaSource.committable(stage.settings(), stage.all()).to(probe);
        await().atMost(SourceStage.LIMIT).until(() -> probe.size() == 10);
        // 3 is not done, all others are.
        probe.elements().stream().filter(one -> !one.value().equals("3")).forEach(CommittableRecord::acknowledge);
        assertThatThrownBy(() -> join(control.drainAndShutdown(Duration.ofMillis(200))))
                .hasCauseInstanceOf(StreamException.class)
                .hasStackTraceContaining("drain limit");
        assertThat(stage.committed(0)).isEqualTo(3);
        probe.elements().get(3).acknowledge();
        assertThat(probe.elements().get(3).commit().toCompletableFuture()).isCompleted();
        assertThat(stage.committed(0)).as("too late").isEqualTo(3);

        Probe<CommittableRecord<String, String>> next = Probe.asking(11);
        Control again = KafkaSource.committable(stage.settings(), stage.all()).to(next);
        await().atMost(SourceStage.LIMIT).until(() -> next.size() == 11);
        assertThat(next.elements().stream().map(one -> Integer.valueOf(one.value())))
                .startsWith(3)
                .endsWith(19)
                .doesNotContain(2, 4, 9);
        next.elements().forEach(CommittableRecord::acknowledge);
        join(again.drainAndShutdown(Duration.ofSeconds(10)));
        assertThat(stage.committed(0)).isEqualTo(20);
    }

    @Test
    @DisplayName("B72 a record that cannot be read fails the stream after those before it, and the result says which")
    void unreadable() {
        stage.load(0, 0, 3);
        Probe<ConsumerRecord<String, Integer>> probe = Probe.asking(Long.MAX_VALUE);
        ConsumerSettings<String, Integer> settings = ConsumerSettings.of(
                stage.settings().kafkaConfig(), new StringDeserializer(), new IntegerDeserializer());
        Control control = KafkaSource.plain(settings, stage.all()).to(probe);
        assertThatThrownBy(() -> join(control.completion()))
                .hasCauseInstanceOf(RecordDeserializationException.class)
                .hasStackTraceContaining(stage.topic + "-0@0");
        assertThat(probe.end()).isCompletedExceptionally();
    }

    @Test
    @DisplayName("B72 cancelling releases the consumer, once what was delivered is acknowledged")
    void cancel() throws Exception {
        stage.load(0, 0, 100);
        Probe<CommittableRecord<String, String>> probe = Probe.asking(5);
        Source<CommittableRecord<String, String>> source = KafkaSource.committable(stage.settings(), stage.all());
        source.subscribe(probe);
        await().atMost(SourceStage.LIMIT).until(() -> probe.size() == 5);
        probe.cancel();
        probe.elements().getLast().acknowledgeUpTo();
        join(source.control().completion());
        assertThat(stage.committed(0)).isEqualTo(5);
    }

    @Test
    @DisplayName("B66 commit metadata of one's own is that of the last record which the commit covers")
    void metadata() throws Exception {
        stage.load(0, 0, 10);
        Probe<CommittableRecord<String, String>> probe = Probe.asking(10);
        Control control = KafkaSource.committable(stage.settings(), stage.all(), record -> "note " + record.value())
                .to(probe);
        await().atMost(SourceStage.LIMIT).until(() -> probe.size() == 10);
        for (int done : List.of(2, 5, 0, 1)) {
            join(probe.elements().get(done).commit());
        }
        assertThat(stage.committed(0)).isEqualTo(3);
        assertThat(stage.metadata(0)).isEqualTo("note 2");
        assertThatThrownBy(() -> join(control.drainAndShutdown(Duration.ZERO))).hasStackTraceContaining("drain limit");

        Probe<CommittableRecord<String, String>> next = Probe.asking(1);
        Control again = KafkaSource.committable(stage.settings(), stage.all(), record -> "")
                .to(next);
        await().atMost(SourceStage.LIMIT).until(() -> next.size() == 1);
        assertThat(next.elements().getFirst().value()).isEqualTo("3");
        assertThatThrownBy(() -> join(again.drainAndShutdown(Duration.ZERO))).hasStackTraceContaining("drain limit");
        assertThat(stage.metadata(0)).as("kept by whom there is nothing new of").isEqualTo("note 2");
    }

    @Test
    @DisplayName("B17 atMostOnce: what is delivered was committed before, and the next poll waits for demand")
    void atMostOnce() throws Exception {
        stage.load(0, 0, 100);
        Probe<ConsumerRecord<String, String>> probe = Probe.asking(1);
        Control control = KafkaSource.atMostOnce(stage.settings().withProperty("max.poll.records", 10), stage.all())
                .to(probe);
        await().atMost(SourceStage.LIMIT).until(() -> probe.size() == 1);
        assertThat(stage.committed(0)).isEqualTo(10);
        probe.request(9);
        await().atMost(SourceStage.LIMIT).until(() -> stage.committed(0) == 20);
        probe.request(80);
        await().atMost(SourceStage.LIMIT).until(() -> probe.size() == 90);
        assertThat(SourceStage.values(probe.elements())).isEqualTo(numbers(0, 90));
        control.stop();
        join(control.completion());
        assertThat(stage.committed(0)).as("what was not delivered is not lost").isEqualTo(90);
    }

    @Test
    @DisplayName("B126 atMostOnce: of a run that outlasts the drain limit only what was running is lost")
    void atMostOnceOutlastsTheDrain() throws Exception {
        stage.load(0, 0, 200);
        Queue<Integer> begun = new ConcurrentLinkedQueue<>();
        CountDownLatch release = new CountDownLatch(1);
        // Eager, so that any rebalance takes the partition away.
        ConsumerSettings<String, String> settings = stage.settings(
                        Map.of("partition.assignment.strategy", "org.apache.kafka.clients.consumer.RangeAssignor"))
                .withDrainLimit(Duration.ofMillis(300));
        CountDownLatch revoked = new CountDownLatch(1);
        ConsumerSettings<String, String> first = settings.withRebalanceListener(new RebalanceListener() {
            @Override
            public void onRevoked(RestrictedConsumer consumer, Collection<TopicPartition> partitions) {
                revoked.countDown(); // It has been drained, as far as it can be, and committed.
            }
        });
        Control one = KafkaSource.atMostOnce(first, stage.all()).to(new Probe<>(Long.MAX_VALUE, record -> {
            begun.add(Integer.valueOf(record.value()));
            if (record.value().equals("50")) {
                try {
                    release.await();
                } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                }
            }
        }));
        await().atMost(SourceStage.LIMIT).until(() -> begun.size() == 51);
        assertThat(stage.committed(0)).isEqualTo(200);
        Control two = KafkaSource.atMostOnce(settings, stage.all())
                .to(new Probe<>(Long.MAX_VALUE, record -> begun.add(Integer.valueOf(record.value()))));
        assertThat(revoked.await(SourceStage.LIMIT.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        release.countDown();
        await("whoever comes next delivers the rest").atMost(SourceStage.LIMIT).until(() -> begun.size() >= 200);
        join(one.drainAndShutdown(Duration.ofSeconds(10)));
        join(two.drainAndShutdown(Duration.ofSeconds(10)));
        assertThat(begun).containsExactlyInAnyOrderElementsOf(numbers(0, 200));
    }

    @Test
    @DisplayName("B118 what is acknowledged is committed at an interval though nobody asks; by hand it is not")
    void committedAtAnInterval() throws Exception {
        stage.load(0, 0, 20);
        Probe<CommittableRecord<String, String>> probe = Probe.asking(20);
        Control control = KafkaSource.committable(stage.settings(), stage.all()).to(probe);
        await().atMost(SourceStage.LIMIT).until(() -> probe.size() == 20);
        probe.elements().get(9).acknowledgeUpTo();
        await().atMost(SourceStage.LIMIT).until(() -> stage.committed(0) == 10);
        probe.elements().get(19).acknowledgeUpTo();
        await().atMost(SourceStage.LIMIT).until(() -> stage.committed(0) == 20);
        join(control.drainAndShutdown(Duration.ofSeconds(10)));

        stage.load(0, 20, 40);
        Probe<CommittableRecord<String, String>> byHand = Probe.asking(20);
        Control other = KafkaSource.committable(stage.settings().withCommitsByHand(), stage.all())
                .to(byHand);
        await().atMost(SourceStage.LIMIT).until(() -> byHand.size() == 20);
        byHand.elements().forEach(CommittableRecord::acknowledge);
        await().during(Duration.ofSeconds(3)).atMost(SourceStage.LIMIT).until(() -> stage.committed(0) == 20);
        byHand.elements().getFirst().commit();
        await().atMost(SourceStage.LIMIT).until(() -> stage.committed(0) == 40);
        join(other.drainAndShutdown(Duration.ofSeconds(10)));
    }

    // ---------------------------------------------------------------- what is read, and from where

    private List<Integer> read(Subscription from, int records) throws Exception {
        Probe<ConsumerRecord<String, String>> probe = Probe.asking(records);
        Control control = KafkaSource.plain(stage.settings(), from).to(probe);
        await().atMost(SourceStage.LIMIT).until(() -> probe.size() == records);
        join(control.drainAndShutdown(Duration.ofSeconds(10)));
        return SourceStage.values(probe.elements());
    }

    @Test
    @DisplayName("B66 by pattern, by assignment, and at offsets")
    void subscriptions() throws Exception {
        stage.load(0, 0, 10);
        assertThat(read(Subscription.pattern(Pattern.compile(stage.topic)), 10)).isEqualTo(numbers(0, 10));
        assertThat(read(Subscription.assignment(stage.partition(0)), 10)).isEqualTo(numbers(0, 10));
        assertThat(read(Subscription.assignmentAt(Map.of(stage.partition(0), 7L)), 3))
                .isEqualTo(numbers(7, 10));
        assertThat(read(stage.all().startingAt(StartPosition.offsets(Map.of(stage.partition(0), 4L))), 6))
                .isEqualTo(numbers(4, 10));
    }

    @Test
    @DisplayName("B74 at a timestamp: between records, before all, in an empty partition, and beyond the end")
    void timestamp() throws Exception {
        stage.load(0, 0, 3);
        Instant between = Instant.ofEpochMilli(timestampOf(2) + 1);
        await().until(() -> System.currentTimeMillis() > between.toEpochMilli());
        stage.load(0, 3, 6);
        List<TopicPartition> both = List.of(stage.partition(0), stage.partition(1));
        assertThat(read(Subscription.assignmentAtTimestamp(both, between), 3)).isEqualTo(numbers(3, 6));
        assertThat(read(Subscription.assignmentAtTimestamp(both, Instant.EPOCH), 6))
                .isEqualTo(numbers(0, 6));

        Probe<ConsumerRecord<String, String>> probe = Probe.asking(Long.MAX_VALUE);
        Instant beyond = Instant.ofEpochMilli(timestampOf(5)).plus(Duration.ofHours(1));
        Control control = KafkaSource.plain(stage.settings(), Subscription.assignmentAtTimestamp(both, beyond))
                .to(probe);
        await().atMost(SourceStage.LIMIT).until(() -> {
            stage.load(1, 100, 101);
            return probe.size() > 0;
        });
        assertThat(of(probe, 0)).isEmpty();
        assertThat(SourceStage.values(probe.elements())).containsOnly(100);
        control.stop();
        join(control.completion());
    }

    private long timestampOf(int value) throws Exception {
        Probe<ConsumerRecord<String, String>> probe = Probe.asking(value + 1);
        Control control = KafkaSource.plain(stage.settings(), Subscription.assignment(stage.partition(0)))
                .to(probe);
        await().atMost(SourceStage.LIMIT).until(() -> probe.size() == value + 1);
        join(control.drainAndShutdown(Duration.ofSeconds(10)));
        return probe.elements().get(value).timestamp();
    }

    @Test
    @DisplayName("B74 B104 at a timestamp of a topic that is missing: the stream waits for it, and health says so")
    void timestampOfMissingTopic() throws Exception {
        Control control = KafkaSource.plain(
                        stage.settings().withBrokerLimit(Duration.ofSeconds(1)),
                        Subscription.assignmentAtTimestamp(
                                List.of(new TopicPartition("no-such-topic", 0)), Instant.EPOCH))
                .to(Probe.asking(1));
        await().atMost(Duration.ofSeconds(40))
                .untilAsserted(() ->
                        assertThat(control.health().reasons().toString()).contains("no-such-topic-0", "cannot start"));
        assertThat(control.health().status()).isNotEqualTo(Health.Status.UP);
        control.stop();
        join(control.completion());
    }

    // ---------------------------------------------------------------- wrong settings

    @Test
    @DisplayName("B52 settings that cannot work are refused when the source is made")
    void refused() {
        assertThatThrownBy(() -> KafkaSource.plain(stage.settings(Map.of("group.id", "")), stage.all()))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("group.id");
        assertThatThrownBy(() -> stage.settings().withProperty("key.deserializer", StringDeserializer.class))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("ConsumerSettings.of");
        assertThatThrownBy(() -> stage.settings().withBufferBytes(0)).isInstanceOf(ConfigurationException.class);
        assertThatThrownBy(Subscription::topics).isInstanceOf(ConfigurationException.class);
        assertThat(stage.settings().toString()).doesNotContain(stage.kafka.bootstrapServers());
    }

    @Test
    @DisplayName("B58 a source that is stopped before it is subscribed to starts no consumer, and completes")
    void stoppedBefore() throws Exception {
        Source<ConsumerRecord<String, String>> source = KafkaSource.plain(stage.settings(), stage.all());
        source.control().stop();
        join(source.control().completion());
        Probe<ConsumerRecord<String, String>> probe = Probe.asking(1);
        source.subscribe(probe);
        assertThat(probe.end()
                        .orTimeout(10, java.util.concurrent.TimeUnit.SECONDS)
                        .join())
                .isNull();
        assertThatThrownBy(() -> {
                    Probe<ConsumerRecord<String, String>> second = Probe.asking(1);
                    source.subscribe(second);
                    second.end().join();
                })
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(IllegalStateException.class);
    }
}
