package dev.laneway.stream;

import static dev.laneway.stream.SourceStage.LIMIT;
import static dev.laneway.stream.SourceStage.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.laneway.Health;
import dev.laneway.Logs;
import dev.laneway.RebalanceListener;
import dev.laneway.RestrictedConsumer;
import dev.laneway.StreamException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** All limits here are so long that a test that waits for one of them fails. */
@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(180)
@DisplayName("Streams that fail, on a real broker")
class FailedStreamTest {
    private static final Duration LONG = Duration.ofMinutes(10);

    private final SourceStage stage = new SourceStage(2);
    private final IllegalStateException told = new IllegalStateException("told to, of " + stage.topic);

    private ConsumerSettings<String, String> settings() {
        return stage.settings().withCloseLimit(LONG).withDrainLimit(Duration.ofSeconds(60));
    }

    private boolean isTold(CommittableRecord<String, String> record, int value) {
        return record.value().equals(Integer.toString(value));
    }

    private void hasLeft() throws Exception {
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
    @DisplayName("B115 a function that throws ends the stream at once, with its cause, which is logged once")
    void function() throws Exception {
        stage.load(0, 0, 100);
        try (Logs logs = new Logs()) {
            Control control = KafkaSource.committable(settings(), stage.all())
                    .mapAsync(8, record -> {
                        if (isTold(record, 50)) {
                            throw told;
                        }
                        // What comes behind it is never answered.
                        return Integer.parseInt(record.value()) < 50
                                ? CompletableFuture.completedFuture(record)
                                : new CompletableFuture<CommittableRecord<String, String>>();
                    })
                    .to(Committer.sink(CommitterSettings.DEFAULTS));
            assertThatThrownBy(() -> join(control.completion())).hasCause(told);
            assertThat(control.health().status()).isEqualTo(Health.Status.DOWN);
            assertThat(control.health().reasons().toString()).contains(told.getMessage());
            assertThat(control.isShutdown()).isTrue();
            hasLeft();
            assertThat(stage.committed(0))
                    .as("what is acknowledged is committed")
                    .isEqualTo(50);
            assertThat(logs.messages())
                    .filteredOn(line -> line.contains(stage.topic))
                    .hasSize(1);
        }
    }

    @Test
    @DisplayName("B115 so does one that throws while the stream drains: nobody waits for elements that are dropped")
    void whileDraining() throws Exception {
        stage.load(0, 0, 20);
        CompletableFuture<CommittableRecord<String, String>> answer = new CompletableFuture<>();
        AtomicInteger calls = new AtomicInteger();
        Control control = KafkaSource.committable(settings(), stage.all())
                .mapAsyncUnordered(8, record -> {
                    calls.incrementAndGet();
                    return answer;
                })
                .to(Committer.sink(CommitterSettings.DEFAULTS));
        await().atMost(LIMIT).until(() -> calls.get() == 8);
        CompletableFuture<?> drained = control.drainAndShutdown(LONG).toCompletableFuture();
        await().during(Duration.ofMillis(300)).until(() -> !drained.isDone());
        answer.completeExceptionally(told);
        assertThatThrownBy(() -> join(drained)).hasCause(told);
        assertThatThrownBy(() -> join(control.completion())).hasCause(told);
        hasLeft();
    }

    @Test
    @DisplayName("B115 nobody waits for what the failed stream of one partition has dropped; the others go on")
    void onePartition() throws Exception {
        stage.load(0, 0, 20);
        stage.load(1, 0, 20);
        Queue<Control> controls = new ConcurrentLinkedQueue<>();
        Control control = KafkaSource.committablePartitioned(settings(), stage.all())
                .map(partition -> {
                    controls.add(partition
                            .source()
                            .mapAsync(
                                    8,
                                    record -> record.partition().partition() == 0 && isTold(record, 10)
                                            ? CompletableFuture.failedFuture(told)
                                            : CompletableFuture.completedFuture(record))
                            .to(Committer.sink(CommitterSettings.DEFAULTS)));
                    return partition;
                })
                .run();
        await().atMost(LIMIT).until(() -> controls.size() == 2);
        await().atMost(LIMIT)
                .until(() -> controls.stream().filter(Control::isShutdown).count() == 1);
        Control failed =
                controls.stream().filter(Control::isShutdown).findFirst().orElseThrow();
        assertThatThrownBy(() -> join(failed.completion())).hasCause(told);
        assertThat(failed.health().reasons().toString()).contains(told.getMessage());
        await().atMost(LIMIT).until(() -> stage.committed(1) == 20);
        join(control.drainAndShutdown(LONG));
        hasLeft();
    }

    @Test
    @DisplayName("B115 a consumer that fails ends its stream at once, though elements are not acknowledged")
    void consumer() throws Exception {
        stage.load(0, 0, 5);
        stage.load(1, 0, 5);
        Probe<CommittableRecord<String, String>> probe = Probe.asking(10);
        ConsumerSettings<String, String> settings = stage.settings(Map.of(
                        "partition.assignment.strategy", "org.apache.kafka.clients.consumer.CooperativeStickyAssignor"))
                .withCloseLimit(LONG)
                .withDrainLimit(Duration.ofMillis(100));
        RebalanceListener throwing = new RebalanceListener() {
            @Override
            public void onRevoked(RestrictedConsumer consumer, Collection<TopicPartition> partitions) {
                throw told;
            }
        };
        Control control = KafkaSource.committable(settings.withRebalanceListener(throwing), stage.all())
                .to(probe);
        await().atMost(LIMIT).until(() -> probe.size() == 10);
        // Another member takes one of the partitions; of the other one elements are with the subscriber.
        Control other = KafkaSource.plain(settings, stage.all()).run();
        assertThatThrownBy(() -> join(control.completion())).hasStackTraceContaining(told.getMessage());
        assertThatThrownBy(() -> join(probe.end())).hasStackTraceContaining(told.getMessage());
        other.stop();
        join(other.completion());
    }

    @Test
    @DisplayName("B123 a subscriber that throws ends the stream with that cause, whichever way it was subscribed")
    void subscriber() throws Exception {
        stage.load(0, 0, 10);
        Control control = KafkaSource.committable(settings(), stage.all()).to(throwing());
        assertThatThrownBy(() -> join(control.completion())).hasCause(told);
        assertThat(control.health().reasons().toString()).contains(told.getMessage());
        hasLeft();

        Source<CommittableRecord<String, String>> source = KafkaSource.committable(settings(), stage.all());
        source.subscribe(throwing());
        assertThatThrownBy(() -> join(source.control().completion())).hasCause(told);
        hasLeft();
    }

    private Probe<Object> throwing() {
        return new Probe<>(Long.MAX_VALUE, element -> {
            throw told;
        });
    }

    @Test
    @DisplayName("B127 after a drain limit the stream has ended: its functions are interrupted, its completion is done")
    void drainLimit() throws Exception {
        stage.load(0, 0, 10);
        CountDownLatch interrupted = new CountDownLatch(1);
        CountDownLatch running = new CountDownLatch(1);
        Control control = KafkaSource.committable(settings(), stage.all())
                .mapByKey(4, CommittableRecord::key, record -> {
                    if (!isTold(record, 3)) {
                        return record;
                    }
                    running.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException ended) {
                        interrupted.countDown();
                        throw ended;
                    }
                    return record;
                })
                .to(Committer.sink(CommitterSettings.DEFAULTS));
        assertThat(running.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(() -> join(control.drainAndShutdown(Duration.ofMillis(500))))
                .hasCauseInstanceOf(StreamException.class)
                .hasStackTraceContaining("drain limit PT0.5S");
        assertThat(interrupted.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        await().atMost(LIMIT).until(control::isShutdown);
        assertThatThrownBy(() -> join(control.completion())).hasCauseInstanceOf(StreamException.class);
        assertThat(control.health().status()).isEqualTo(Health.Status.DOWN);
        hasLeft();
        assertThat(stage.committed(0)).isEqualTo(3);
    }

    @Test
    @DisplayName("B127 so it has with a stream for each partition")
    void drainLimitOfPartitions() throws Exception {
        stage.load(0, 0, 1);
        stage.load(1, 0, 1);
        CountDownLatch interrupted = new CountDownLatch(2);
        CountDownLatch running = new CountDownLatch(2);
        Control control = KafkaSource.committablePartitioned(settings(), stage.all())
                .map(partition -> partition
                        .source()
                        .mapByKey(4, CommittableRecord::key, record -> {
                            running.countDown();
                            try {
                                new CountDownLatch(1).await();
                            } catch (InterruptedException ended) {
                                interrupted.countDown();
                                throw ended;
                            }
                            return record;
                        })
                        .run())
                .run();
        assertThat(running.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(() -> join(control.drainAndShutdown(Duration.ofMillis(500))))
                .hasCauseInstanceOf(StreamException.class);
        assertThat(interrupted.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        await().atMost(LIMIT).until(control::isShutdown);
        hasLeft();
    }

    @Test
    @DisplayName("B127 and without Kafka, also when the last subscriber waits")
    void drainLimitWithoutKafka() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        CountDownLatch running = new CountDownLatch(1);
        HandPublisher<Integer> above = new HandPublisher<>();
        Control control = Source.from(above)
                .mapByKey(1, i -> i, i -> {
                    running.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException ended) {
                        interrupted.countDown();
                        throw ended;
                    }
                    return i;
                })
                .run();
        above.send(1);
        assertThat(running.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(() -> join(control.drainAndShutdown(Duration.ofMillis(100))))
                .hasCauseInstanceOf(StreamException.class);
        assertThat(control.isShutdown()).isTrue();
        assertThat(interrupted.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();

        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch waiting = new CountDownLatch(1);
        Probe<Integer> probe = new Probe<>(1, element -> {
            waiting.countDown();
            try {
                end.await();
            } catch (InterruptedException impossible) {
                throw new IllegalStateException(impossible);
            }
        });
        HandPublisher<Integer> more = new HandPublisher<>();
        Control second = Source.from(more).map(i -> i).to(probe);
        Thread.startVirtualThread(() -> more.send(1));
        assertThat(waiting.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(() -> join(second.drainAndShutdown(Duration.ofMillis(100))))
                .hasCauseInstanceOf(StreamException.class);
        assertThat(second.isShutdown()).isTrue();
        end.countDown();
    }
}
