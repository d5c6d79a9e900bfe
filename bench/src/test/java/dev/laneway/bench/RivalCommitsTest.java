package dev.laneway.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.bench.peer.PeerPekko;
import dev.laneway.stream.Acknowledgeable;
import dev.laneway.stream.CommittableRecord;
import dev.laneway.stream.Control;
import dev.laneway.stream.KafkaSource;
import dev.laneway.testkit.EmbeddedKafka;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.kafka.CommitterSettings;
import org.apache.pekko.kafka.Subscriptions;
import org.apache.pekko.kafka.javadsl.Committer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.kafka.receiver.KafkaReceiver;
import reactor.kafka.receiver.ReceiverOffset;
import reactor.kafka.receiver.ReceiverOptions;

/**
 * The programs of the pages for those who come from other libraries, theirs and ours: what has the group committed,
 * when nobody asks for a commit and the program runs on?
 */
@Timeout(180)
@DisplayName("Acknowledged offsets, against other libraries")
class RivalCommitsTest {
    private static final int RECORDS = 20;
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    /** Which records of a partition with {@link #RECORDS} a program acknowledges, as its library has it. */
    enum Program {
        EACH(RECORDS),
        THE_TENTH(10),
        THE_LAST(RECORDS);

        private final long committed;

        Program(long committed) {
            this.committed = committed;
        }

        boolean acknowledges(long offset) {
            return this == EACH || offset == committed - 1;
        }
    }

    private final EmbeddedKafka kafka = EmbeddedKafka.shared();
    private final String topic = "rivals-" + NUMBER.incrementAndGet();

    RivalCommitsTest() {
        kafka.createTopic(topic, 1);
        List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (int i = 0; i < RECORDS; i++) {
            records.add(new ProducerRecord<>(topic, new byte[] {(byte) i}));
        }
        kafka.produce(records);
    }

    private Map<String, Object> config(String group) {
        return new HashMap<>(Map.of(
                "bootstrap.servers", kafka.bootstrapServers(), "group.id", group, "auto.offset.reset", "earliest"));
    }

    private long committed(String group) {
        OffsetAndMetadata offset = kafka.committed(group).get(new TopicPartition(topic, 0));
        return offset == null ? 0 : offset.offset();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("B118 reactor-kafka: acknowledge() there is acknowledgeUpTo() here, and both are committed in time")
    void reactor(Program program) throws Exception {
        String theirs = topic + "-reactor";
        ReceiverOptions<byte[], byte[]> options = ReceiverOptions.<byte[], byte[]>create(config(theirs))
                .withKeyDeserializer(new ByteArrayDeserializer())
                .withValueDeserializer(new ByteArrayDeserializer())
                .commitInterval(Duration.ofMillis(200))
                .subscription(List.of(topic));
        Disposable receiver = KafkaReceiver.create(options)
                .receive()
                .filter(record -> program.acknowledges(record.offset()))
                .subscribe(record -> {
                    ReceiverOffset offset = record.receiverOffset();
                    offset.acknowledge();
                });
        try {
            await().atMost(LIMIT).until(() -> committed(theirs) == program.committed);
        } finally {
            receiver.dispose();
        }
        assertThat(ours(program, Acknowledgeable::acknowledgeUpTo)).isEqualTo(committed(theirs));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("B118 Pekko: a committable offset there is acknowledgeUpTo() here, and both are committed in time")
    void pekko(Program program) throws Exception {
        String theirs = topic + "-pekko";
        ActorSystem system = PeerPekko.system();
        try {
            var control = org.apache.pekko.kafka.javadsl.Consumer.committableSource(
                            PeerPekko.settings(system, config(theirs)), Subscriptions.topics(topic))
                    .filter(message -> program.acknowledges(message.record().offset()))
                    .map(message -> message.committableOffset())
                    .to(Committer.sink(CommitterSettings.create(system).withMaxInterval(Duration.ofMillis(200))))
                    .run(system);
            await().atMost(LIMIT).until(() -> committed(theirs) == program.committed);
            control.shutdown().toCompletableFuture().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } finally {
            system.terminate();
            system.getWhenTerminated().toCompletableFuture().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
        assertThat(ours(program, Acknowledgeable::acknowledgeUpTo)).isEqualTo(committed(theirs));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("B118 acknowledge() here says it of one record alone: of those before it nothing is committed")
    void oneAlone(Program program) throws Exception {
        assertThat(ours(program, Acknowledgeable::acknowledge)).isEqualTo(program == Program.EACH ? RECORDS : 0);
    }

    /** What our program has committed after all its records have come and a commit has told of them. */
    private long ours(Program program, Consumer<Acknowledgeable> acknowledge) throws Exception {
        String group = topic + "-ours";
        Map<Long, Boolean> seen = new ConcurrentHashMap<>();
        Control control = KafkaSource.committable(
                        dev.laneway.stream.ConsumerSettings.of(
                                        config(group), new ByteArrayDeserializer(), new ByteArrayDeserializer())
                                .withCommitInterval(Duration.ofMillis(200)),
                        dev.laneway.stream.Subscription.topics(topic))
                .to(new Acknowledging(program, acknowledge, seen));
        await().atMost(LIMIT).until(() -> seen.size() == RECORDS);
        // What is done is written beside the offset, too, so that the commit tells that it speaks of these.
        await().atMost(LIMIT)
                .until(() -> kafka.committed(group).get(new TopicPartition(topic, 0)) != null
                        && (committed(group) == program.committed
                                || !metadata(group).isEmpty()));
        long committed = committed(group);
        control.stop();
        return committed;
    }

    private String metadata(String group) {
        return kafka.committed(group).get(new TopicPartition(topic, 0)).metadata();
    }

    private record Acknowledging(Program program, Consumer<Acknowledgeable> acknowledge, Map<Long, Boolean> seen)
            implements Flow.Subscriber<CommittableRecord<byte[], byte[]>> {
        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(CommittableRecord<byte[], byte[]> record) {
            long offset = record.record().offset();
            if (program.acknowledges(offset)) {
                acknowledge.accept(record);
            }
            seen.put(offset, true);
        }

        @Override
        public void onError(Throwable failure) {
            throw new IllegalStateException(failure);
        }

        @Override
        public void onComplete() {}
    }
}
