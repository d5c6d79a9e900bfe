package dev.laneway.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.Laneway;
import dev.laneway.ops.CommitMap;
import dev.laneway.testkit.EmbeddedKafka;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CommitMapTest {
    private static final TopicPartition ID = new TopicPartition("in", 0);

    @Test
    @DisplayName("Without metadata nothing beyond the offset is done")
    void readsNothing() {
        CommitMap map = CommitMap.read(ID, 5, "");
        assertThat(map.names(4)).isTrue();
        assertThat(map.names(5)).isFalse();
        assertThat(map.reach()).isEqualTo(5);
    }

    @Test
    @DisplayName("Runs and bitmaps are read as the engine's format says")
    void readsBothKinds() {
        List<CommitMap.Run> expected = List.of(new CommitMap.Run(11, 13), new CommitMap.Run(14, 15));
        assertThat(CommitMap.read(ID, 10, runs(10, 1, 2, 1, 1)).done()).isEqualTo(expected);
        assertThat(CommitMap.read(ID, 10, written(10, 4, "01101")).done()).isEqualTo(expected);
        assertThat(CommitMap.read(ID, 10, written(10, 1, "1010")).done())
                .as("of earlier builds")
                .isNotEmpty();
        assertThat(CommitMap.read(ID, 10, written(10, 2, "01101")).done())
                .as("of earlier builds")
                .isEqualTo(expected);
        assertThat(CommitMap.read(ID, 0, runs(0, 300, 5_000)).done()).containsExactly(new CommitMap.Run(300, 5_300));
        String full = "0" + "1".repeat(14);
        assertThat(CommitMap.read(ID, 0, written(0, 4, full)).done()).containsExactly(new CommitMap.Run(1, 15));
    }

    @Test
    @DisplayName("A map that is damaged, or was written for another offset or partition, is refused")
    void refusesOthers() {
        String map = runs(10, 1, 2);
        for (String wrong : List.of("junk", "junk and more", map.substring(0, map.length() - 1) + '\u0801')) {
            assertThatThrownBy(() -> CommitMap.read(ID, 10, wrong)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> CommitMap.read(ID, 11, map)).hasMessageContaining("checksum");
        assertThatThrownBy(() -> CommitMap.read(ID, 10, written(10, 9, "01"))).hasMessageContaining("kind");
        for (TopicPartition other : List.of(new TopicPartition("in", 1), new TopicPartition("out", 0))) {
            assertThatThrownBy(() -> CommitMap.read(other, 10, map)).hasMessageContaining("checksum");
        }
    }

    @Test
    @DisplayName("What the engine writes is read: after a close with one key stuck, all of the other key is named")
    void readsTheEnginesMaps() throws Exception {
        EmbeddedKafka kafka = EmbeddedKafka.shared();
        String topic = "maps-" + UUID.randomUUID();
        kafka.createTopic(topic, 1);
        for (int i = 0; i < 40; i++) {
            kafka.produce(topic, i % 4 == 0 ? "stuck" : "free", "x");
        }
        CountDownLatch done = new CountDownLatch(30);
        CountDownLatch released = new CountDownLatch(1);
        try (Laneway _ = Laneway.consumer(Map.of(
                        "bootstrap.servers",
                        kafka.bootstrapServers(),
                        "group.id",
                        topic,
                        "auto.offset.reset",
                        "earliest"))
                .subscribe(topic)
                .closeLimit(Duration.ofMillis(100))
                .process(record -> {
                    if (new String(record.key(), StandardCharsets.UTF_8).equals("stuck")) {
                        released.await();
                    }
                    done.countDown();
                })) {
            assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        }
        TopicPartition id = new TopicPartition(topic, 0);
        OffsetAndMetadata committed = kafka.committed(topic).get(id);
        CommitMap map = CommitMap.read(id, committed.offset(), committed.metadata());
        assertThat(map.offset()).isZero();
        for (long offset = 0; offset < 40; offset++) {
            assertThat(map.names(offset)).as("offset " + offset).isEqualTo(offset % 4 != 0);
        }
    }

    /** Metadata of in-0 that names runs of these lengths undone and done in turn, as the engine would write it. */
    static String runs(long offset, long... lengths) {
        StringBuilder bits = new StringBuilder();
        for (long length : lengths) {
            String binary = Long.toBinaryString(length);
            bits.append("0".repeat(binary.length() - 1)).append(binary);
        }
        return written(offset, 3, bits.toString());
    }

    private static String written(long offset, int kind, String bits) {
        String padded = bits + "0".repeat((15 - bits.length() % 15) % 15);
        StringBuilder payload = new StringBuilder();
        for (int i = 0; i < padded.length(); i += 15) {
            payload.append((char) (0x800 + Integer.parseInt(padded.substring(i, i + 15), 2)));
        }
        String head = "" + '\u4C57' + (char) (0x800 + kind);
        int length = payload.length() + 4;
        ByteBuffer bytes =
                ByteBuffer.allocate(20 + 2 * (length - 2)).putLong(offset).putInt(length);
        (head + payload).chars().forEach(c -> bytes.putChar((char) c));
        if (kind > 2) {
            bytes.putInt(0).putChar('i').putChar('n');
        }
        CRC32C crc = new CRC32C();
        crc.update(bytes.flip());
        int sum = (int) crc.getValue() & 0x3FFFFFFF;
        return head + (char) (0x800 + (sum >>> 15)) + (char) (0x800 + (sum & 0x7FFF)) + payload;
    }
}
