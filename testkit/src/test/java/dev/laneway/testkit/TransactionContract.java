package dev.laneway.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Producers, and what transactions do to logs, readers and offsets. */
public abstract class TransactionContract extends KafkaContract {

    private Producer<byte[], byte[]> transactional(String id) {
        Producer<byte[], byte[]> producer = cluster.producer(Map.of("transactional.id", group + id));
        producer.initTransactions();
        return producer;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what matters is seen later
    private static void send(Producer<byte[], byte[]> producer, ProducerRecord<byte[], byte[]> record) {
        producer.send(record);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the callback gets everything
    private static void send(
            Producer<byte[], byte[]> producer, ProducerRecord<byte[], byte[]> record, Callback callback) {
        producer.send(record, callback);
    }

    private Consumer<byte[], byte[]> reader(String isolation) {
        return assigned(Map.of("isolation.level", isolation), partition(0));
    }

    /** Polls until the position has come so far, and answers the values. */
    private List<String> readTo(Consumer<byte[], byte[]> consumer, long end) {
        List<String> values = new ArrayList<>();
        for (int i = 0; i < 400 && consumer.position(partition(0)) < end; i++) {
            consumer.poll(SOON).forEach(record -> values.add(Members.text(record.value())));
        }
        assertThat(consumer.position(partition(0))).isEqualTo(end);
        return values;
    }

    @Test
    @DisplayName(
            "markers and aborted records take offsets: positions go past them, read_committed does not return them")
    void markers() {
        cluster.createTopic(topic, 1);
        try (Producer<byte[], byte[]> producer = transactional("")) {
            producer.beginTransaction();
            send(producer, record(0, null, "kept"));
            producer.commitTransaction();
            producer.beginTransaction();
            send(producer, record(0, null, "dropped"));
            producer.flush();
            producer.abortTransaction();
        }
        append(0, 7, 8);
        assertThat(readTo(reader("read_committed"), 5)).containsExactly("kept", "7");
        assertThat(readTo(reader("read_uncommitted"), 5)).containsExactly("kept", "dropped", "7");
    }

    @Test
    @DisplayName("an open transaction holds read_committed readers back, and their end of the log too")
    void lastStableOffset() {
        cluster.createTopic(topic, 1);
        append(0, 0, 1);
        try (Producer<byte[], byte[]> producer = transactional("")) {
            producer.beginTransaction();
            send(producer, record(0, null, "open"));
            producer.flush();
            append(0, 1, 2);
            Consumer<byte[], byte[]> committed = reader("read_committed");
            assertThat(readTo(committed, 1)).containsExactly("0");
            assertThat(committed.endOffsets(Set.of(partition(0)))).isEqualTo(Map.of(partition(0), 1L));
            assertThat(readTo(reader("read_uncommitted"), 3)).containsExactly("0", "open", "1");
            producer.commitTransaction();
            assertThat(readTo(committed, 4)).containsExactly("open", "1");
        }
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("offsets in a transaction, with metadata, count when it commits and not when it aborts")
    void offsets(GroupKind kind) {
        topicWith(1, 3);
        Members.Member a = join("a", kind);
        members.pollUntil(() -> a.records.size() == 3);
        try (Producer<byte[], byte[]> producer = transactional("")) {
            producer.beginTransaction();
            producer.sendOffsetsToTransaction(
                    Map.of(partition(0), new OffsetAndMetadata(1, "first")), a.consumer.groupMetadata());
            assertThat(cluster.committed(group)).isEmpty();
            producer.commitTransaction();
            producer.beginTransaction();
            producer.sendOffsetsToTransaction(
                    Map.of(partition(0), new OffsetAndMetadata(2, "second")), a.consumer.groupMetadata());
            producer.abortTransaction();
        }
        OffsetAndMetadata read = a.consumer.committed(Set.of(partition(0))).get(partition(0));
        assertThat(read).isEqualTo(new OffsetAndMetadata(1, "first"));
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("offsets from a generation that is over are refused, and the transaction can be aborted")
    void staleGeneration(GroupKind kind) {
        topicWith(1, 0);
        Members.Member a = join("a", kind);
        members.pollUntil(() -> a.consumer.assignment().size() == 1);
        ConsumerGroupMetadata old = a.consumer.groupMetadata();
        members.remove(a);
        a.consumer.close();
        Members.Member b = join("b", kind, Map.of("isolation.level", "read_committed"));
        members.pollUntil(() -> b.consumer.assignment().size() == 1);
        // A classic consumer that still looks for its position would answer committed() from that older question.
        assertThat(b.consumer.position(partition(0))).isZero();
        try (Producer<byte[], byte[]> producer = transactional("")) {
            producer.beginTransaction();
            Map<TopicPartition, OffsetAndMetadata> offsets = Map.of(partition(0), new OffsetAndMetadata(0));
            assertThatThrownBy(() -> {
                        producer.sendOffsetsToTransaction(offsets, old);
                        producer.commitTransaction();
                    })
                    .isInstanceOf(CommitFailedException.class);
            producer.abortTransaction();
            producer.beginTransaction();
            producer.sendOffsetsToTransaction(offsets, b.consumer.groupMetadata());
            producer.commitTransaction();
        }
        // It reads committed, so the broker answers when the transaction's markers are written.
        OffsetAndMetadata read = b.consumer.committed(Set.of(partition(0))).get(partition(0));
        assertThat(read).isNotNull();
        assertThat(read.offset()).isZero();
    }

    @Test
    @DisplayName("a second producer with the same transactional.id fences the first and aborts what it left open")
    void fencing() {
        cluster.createTopic(topic, 1);
        Producer<byte[], byte[]> first = transactional("");
        first.beginTransaction();
        send(first, record(0, null, "lost"));
        first.flush();
        try (Producer<byte[], byte[]> second = transactional("")) {
            second.beginTransaction();
            send(second, record(0, null, "won"));
            second.commitTransaction();
        }
        assertThatThrownBy(first::commitTransaction)
                .isInstanceOfAny(ProducerFencedException.class, InvalidProducerEpochException.class);
        assertThatThrownBy(first::beginTransaction).isInstanceOf(KafkaException.class);
        first.close();
        assertThat(readTo(reader("read_committed"), 4)).containsExactly("won");
    }

    @Test
    @DisplayName("a send that fails leaves only the way of abort")
    void failedSend() {
        cluster.createTopic(topic, 1);
        try (Producer<byte[], byte[]> producer = transactional("")) {
            producer.beginTransaction();
            List<Exception> failures = new ArrayList<>();
            send(
                    producer,
                    new ProducerRecord<>(topic, 0, null, new byte[2_000_000]),
                    (metadata, error) -> failures.add(error));
            assertThat(failures).hasSize(1);
            assertThat(failures.getFirst()).isInstanceOf(RecordTooLargeException.class);
            assertThatThrownBy(producer::commitTransaction).isInstanceOf(KafkaException.class);
            producer.abortTransaction();
            producer.beginTransaction();
            send(producer, record(0, null, "then"));
            producer.commitTransaction();
        }
        assertThat(readTo(reader("read_committed"), 2)).containsExactly("then");
    }

    @Test
    @DisplayName("acknowledgements come in order with offsets, and a key always goes to the same partition")
    void producing() throws Exception {
        cluster.createTopic(topic, 5);
        List<Long> acknowledged = new ArrayList<>();
        try (Producer<byte[], byte[]> producer = cluster.producer(Map.of())) {
            for (int i = 0; i < 10; i++) {
                send(producer, record(3, null, "" + i), (metadata, error) -> acknowledged.add(metadata.offset()));
            }
            producer.flush();
            assertThat(acknowledged)
                    .isEqualTo(IntStream.range(0, 10).mapToObj(Long::valueOf).toList());
            List<Integer> partitions = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                RecordMetadata metadata = producer.send(new ProducerRecord<>(topic, bytes("customer-" + i), bytes("v")))
                        .get();
                partitions.add(metadata.partition());
            }
            assertThat(partitions).containsExactly(0, 1, 3, 0, 0, 3, 1, 1, 4, 0);
            assertThat(producer.partitionsFor(topic)).hasSize(5);
        }
    }
}
