package dev.laneway.engine.handle;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.laneway.engine.runtime.HandHost;
import dev.laneway.engine.runtime.HealthConditions;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteBufferDeserializer;
import org.apache.kafka.common.serialization.BytesDeserializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.utils.Bytes;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Records that handlers write to")
class AttemptRecordTest {
    private final UnreadableRecords unreadable = new UnreadableRecords(new HealthConditions(new HandHost()));

    private static ConsumerRecord<byte[], byte[]> raw(byte[] value) {
        RecordHeaders headers = new RecordHeaders();
        headers.add("trace", "42".getBytes(UTF_8));
        return new ConsumerRecord<>(
                "orders",
                0,
                7,
                1_000,
                TimestampType.CREATE_TIME,
                3,
                value.length,
                "key".getBytes(UTF_8),
                value,
                headers,
                Optional.of(5),
                Optional.of((short) 2));
    }

    /** Reads twice; what a handler does to the first must reach neither the second nor the record. */
    private <T> void survives(Deserializer<T> deserializer, Consumer<T> damage, T expected) {
        ConsumerRecord<byte[], byte[]> raw = raw("value".getBytes(UTF_8));
        RecordReader<T, T> reader = new RecordReader<>(deserializer, deserializer, unreadable);
        ConsumerRecord<T, T> first = reader.read(raw);
        assertThat(first.value()).isEqualTo(expected).isSameAs(first.value());
        damage.accept(first.value());
        damage.accept(first.key());
        first.headers().add("tried", new byte[0]).lastHeader("trace").value()[0] = 'x';
        assertThat(first.value()).as("the attempt keeps its changes").isNotEqualTo(expected);
        assertThat(first.headers().toArray()).hasSize(2);

        assertThat(raw.key()).isEqualTo("key".getBytes(UTF_8));
        assertThat(raw.value()).isEqualTo("value".getBytes(UTF_8));
        ConsumerRecord<T, T> second = reader.read(raw);
        assertThat(second.value()).isEqualTo(expected);
        assertThat(second.headers()).isEqualTo(raw(new byte[0]).headers());
        assertThat(second.topic() + second.partition() + second.offset())
                .isEqualTo(raw.topic() + raw.partition() + raw.offset());
        assertThat(second.timestamp()).isEqualTo(1_000);
        assertThat(second.timestampType()).isEqualTo(TimestampType.CREATE_TIME);
        assertThat(second.leaderEpoch()).hasValue(5);
        assertThat(second.deliveryCount()).hasValue((short) 2);
        assertThat(second.toString()).contains("topic = orders", "offset = 7", "CreateTime = 1000", "trace");
        assertThat(second.serializedKeySize()).isEqualTo(3);
        assertThat(second.serializedValueSize()).isEqualTo(5);
    }

    @Test
    @DisplayName("B113 what a handler writes into a byte[] reaches neither the next attempt nor the record")
    void arrays() {
        survives(new ByteArrayDeserializer(), array -> Arrays.fill(array, (byte) 'x'), "value".getBytes(UTF_8));
        survives((topic, bytes) -> bytes, array -> Arrays.fill(array, (byte) 'x'), "value".getBytes(UTF_8));
    }

    @Test
    @DisplayName("B113 nor does what it writes into a ByteBuffer or Bytes around the array, or reads from it")
    void wrappers() {
        survives(
                new ByteBufferDeserializer(),
                buffer -> buffer.put((byte) 'x'),
                ByteBuffer.wrap("value".getBytes(UTF_8)));
        survives(
                (topic, bytes) -> ByteBuffer.wrap(bytes, 1, bytes.length - 1).slice(),
                buffer -> buffer.put(0, (byte) 'x'),
                ByteBuffer.wrap("alue".getBytes(UTF_8)));
        survives(
                new BytesDeserializer(),
                bytes -> Arrays.fill(bytes.get(), (byte) 'x'),
                Bytes.wrap("value".getBytes(UTF_8)));
    }

    @Test
    @DisplayName("B113 a record without a key or value has none, and what is no view is handed out as it was read")
    void othersAreLeftAlone() {
        ConsumerRecord<byte[], byte[]> none = new ConsumerRecord<>("orders", 0, 7, null, null);
        ConsumerRecord<byte[], byte[]> read =
                new RecordReader<>(new ByteArrayDeserializer(), new ByteArrayDeserializer(), unreadable).read(none);
        assertThat(read.key()).isNull();
        assertThat(read.value()).isNull();
        ConsumerRecord<String, byte[]> mixed = new RecordReader<>(
                        new StringDeserializer(), new ByteArrayDeserializer(), unreadable)
                .read(raw(new byte[3]));
        assertThat(mixed.key()).isEqualTo("key").isSameAs(mixed.key());
        assertThat(mixed.value()).isEqualTo(new byte[3]);
    }

    @Test
    @DisplayName("B113 an array that nobody looks at is not copied")
    void copiesLazily() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        RecordReader<byte[], byte[]> reader =
                new RecordReader<>(new ByteArrayDeserializer(), new ByteArrayDeserializer(), unreadable);
        ConsumerRecord<byte[], byte[]> raw = raw(new byte[8 << 20]);
        reader.read(raw); // Loads classes.
        long before = threads.getCurrentThreadAllocatedBytes();
        ConsumerRecord<byte[], byte[]> read = reader.read(raw);
        assertThat(read.key()).hasSize(3);
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(4 << 20);
        assertThat(read.value()).hasSize(8 << 20);
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isGreaterThan(8 << 20);
    }
}
