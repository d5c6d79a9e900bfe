package dev.laneway.engine.offsets;

import static dev.laneway.engine.Records.ORDERS_0;
import static dev.laneway.engine.offsets.OffsetMapTest.mapOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.utils.ByteBufferOutputStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Metadata of other writers. The strings named golden were written by Parallel Consumer 0.5.3.2 itself, one per form:
 * of 100 to 109 the offsets 100, 101 and 105 incomplete; of 200 random ones 62 incomplete; and so on.
 */
class ForeignMetadataTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bAAK3AMA",
                "YSi1L/0AWCkAAAAK3AMA",
                "bgACAAMAAQAE",
                "Sii1L/0AWEEAAAACAAMAAQAE",
                "bwAAAArcAwA=",
                "cyi1L/0AWDkAAAAAAArcAwA=",
                "ZQAAAAIAAAADAAAAAQAAAAQ=",
                "cCi1L/0AWIEAAAAAAAIAAAADAAAAAQAAAAQ=",
            })
    @DisplayName("B8 Parallel Consumer's maps are read in all eight forms (golden)")
    void parallelConsumerForms(String golden) {
        DecodedMetadata.Map map = mapOf(100, golden);
        assertThat(map.origin()).isEqualTo(DecodedMetadata.Map.Origin.PARALLEL_CONSUMER);
        assertThat(map.undone()).containsExactly(100, 101, 105);
        assertThat(map.cursor()).isEqualTo(110);
        assertThat(map.isDone(109)).isTrue();
        assertThat(map.isDone(110)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bgABThoAAU4l",
                "Sii1L/0AWEEAAAABThoAAU4l",
                "cyi1L/0AWKUAAFAAAJxB/v/3/wEAAgDAAT72jQ+K",
                "ZQAAAAEAAE4aAAAAAQAATiU=",
                "cCi1L/0AWIEAAAAAAAEAAE4aAAAAAQAATiU="
            })
    @DisplayName("B8 Parallel Consumer's map of a stuck record, 40,000 offsets wide (golden)")
    void parallelConsumerStuck(String golden) {
        DecodedMetadata.Map map = mapOf(5, golden);
        assertThat(map.undone()).containsExactly(5, 20_000);
        assertThat(map.cursor()).isEqualTo(40_006);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bADI0p/5ut6+/+ef/zyGWPfluH799/u6nviF9gA=",
                "YSi1L/0AWOEAAADI0p/5ut6+/+ef/zyGWPfluH799/u6nviF9gA=",
                "Sii1L/0AWN0CADQDAAEAAQACAAEAAQAHAAIFAQADAQAEBQABAAwAAgAIAAIACQACAAQAAwECAAMBBgkCBgQEEAAZUwJ3S7R8Bm8"
                        + "vma2kgHZzMUMYcNXCSrtTRCgqXUpzMUXocko=",
                "cCi1L/0AWCUDABQCAAAAAQIHBQMEAgUMCAkEAAAAAwIDBgkGAQQDBAEAAAAEISAAg6GSB1qChY3mDg3GbRkvuM1slgQqu0VQDPJaZ"
                        + "MF0DodAzV1Gwht1ZmuWYz6ZzfLsRrOtPRsexCYy+xlxBok=",
            })
    @DisplayName("B8 Parallel Consumer's map of a random set at a large base (golden)")
    void parallelConsumerRandom(String golden) {
        long base = 1_000_000_000_000L;
        int[] undone = {
            0, 2, 3, 5, 13, 14, 17, 18, 24, 26, 30, 32, 37, 40, 46, 59, 60, 69, 70, 80, 81, 86, 87, 88, 91, 92, 93, 94,
            96, 97, 98, 101, 103, 107, 113, 115, 116, 120, 121, 122, 126, 128, 135, 137, 147, 154, 160, 162, 166, 168,
            173, 174, 176, 177, 178, 185, 187, 188, 189, 190, 192, 195
        };
        DecodedMetadata.Map map = mapOf(base, golden);
        assertThat(map.undone())
                .containsExactly(Arrays.stream(undone).mapToLong(i -> base + i).toArray());
        assertThat(map.cursor()).isEqualTo(base + 200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"bAAAAA==", "YSi1L/0AWBkAAAAAAA==", "bgAA", "bwAAAAAA", "ZQAAAAA=", "cCi1L/0AWCEAAAAAAAA="})
    @DisplayName("B8 Parallel Consumer's map of an empty range says nothing (golden)")
    void parallelConsumerEmpty(String golden) {
        assertThat(OffsetMap.decode(ORDERS_0, 7, golden)).isEqualTo(new DecodedMetadata.None());
    }

    @ParameterizedTest
    @ValueSource(strings = {"bAABAQA=", "bgAAAAE=", "bwAAAAEBAA==", "cCi1L/0AWEEAAAAAAAAAAAAB"})
    @DisplayName("B8 Parallel Consumer's map that calls the committed offset itself complete is refused (golden)")
    void parallelConsumerContradiction(String golden) {
        assertUnreadable(golden);
    }

    @ParameterizedTest
    @CsvSource({
        // "node1", "log" and "n" as Base64: they start with first bytes of Parallel Consumer
        "bm9kZTE=, JUNK",
        "bG9n, JUNK",
        "bg==, JUNK",
        "bgE=, PARALLEL_CONSUMER_UNREADABLE",
        "bAE=, PARALLEL_CONSUMER_UNREADABLE",
        "YQE=, PARALLEL_CONSUMER_UNREADABLE",
        "TAEB, PARALLEL_CONSUMER_UNREADABLE",
        "7gEB, PARALLEL_CONSUMER_UNREADABLE",
        "AQAAAZwAAAAA, KAFKA_STREAMS",
        "AgAAAZwAAAAA, KAFKA_STREAMS",
        "AgAAAZwAAAAAAAAAAA==, KAFKA_STREAMS",
        "AQ==, JUNK",
        "AgAA, JUNK",
        "hello world, JUNK",
        "node-1.example.org, JUNK",
        "'{\"a\": 1}', JUNK",
        "'  ', JUNK",
        "=, JUNK",
        "eHl6, JUNK",
        // "o e" and "o~e": the ends of what is taken for text
        "byBl, JUNK",
        "b35l, JUNK",
        "\u00E9\u00E8, JUNK",
        "\uD83D\uDE80, JUNK",
        "\uD83D, JUNK",
        "\u4E2D\u6587, JUNK",
        "\u4C57, MISMATCH",
        "\u4C57 not a map, MISMATCH",
    })
    @DisplayName("B8 foreign metadata is told apart and ignored")
    void foreignKinds(String metadata, DecodedMetadata.Foreign.Kind kind) {
        assertThat(OffsetMap.decode(ORDERS_0, 100, metadata))
                .isInstanceOfSatisfying(DecodedMetadata.Foreign.class, foreign -> {
                    assertThat(foreign.kind()).isEqualTo(kind);
                    assertThat(foreign.reason()).isNotBlank();
                });
    }

    @Test
    @DisplayName("B8 a map of Parallel Consumer is refused when it is cut, stretched or claims what it does not hold")
    void parallelConsumerDamaged() {
        byte[] good = Base64.getDecoder().decode("bwAAAArcAwA=");
        assertUnreadable(base64(Arrays.copyOf(good, 6)));
        assertUnreadable(base64(Arrays.copyOf(good, 9)));
        assertUnreadable(base64('o', ByteBuffer.allocate(6).putInt(Integer.MAX_VALUE)));
        assertUnreadable(base64('o', ByteBuffer.allocate(6).putInt(-8)));
        assertUnreadable(
                base64('e', ByteBuffer.allocate(8).putInt(Integer.MAX_VALUE).putInt(1)));
        assertUnreadable(base64('e', ByteBuffer.allocate(8).putInt(3).putInt(-1)));
        assertUnreadable(base64('e', ByteBuffer.allocate(4).putInt(3)));
        assertUnreadable(base64('e', ByteBuffer.allocate(9).putInt(3).putInt(3)));
        // The runs end beyond the Long range.
        assertThat(OffsetMap.decode(ORDERS_0, Long.MAX_VALUE - 3, "bgACAAMAAQAE"))
                .isInstanceOf(DecodedMetadata.Foreign.class);
    }

    @Test
    @DisplayName("B8 compressed metadata cannot unpack into more memory than it may")
    void zstdBomb() throws IOException {
        byte[] bits = new byte[64 << 20];
        ByteBuffer.wrap(bits).putInt((bits.length - 5) * 8);
        String bomb = base64('s', ByteBuffer.wrap(zstd(bits)));
        assertThat(bomb.length()).isLessThan(16_384);
        assertThat(assertUnreadable(bomb)).contains("more than");

        byte[] frame = zstd(new byte[] {0, 2, 2, 0});
        assertThat(OffsetMap.decode(ORDERS_0, 0, base64('a', ByteBuffer.wrap(frame))))
                .isInstanceOf(DecodedMetadata.Map.class);
        frame[5] = (byte) 0xFF;
        assertThat(assertUnreadable(base64('a', ByteBuffer.wrap(frame)))).contains("zstd frame");
    }

    @Test
    @DisplayName("B8 a bitset of Parallel Consumer needs no byte of zeros behind it")
    void bitsetAlone() {
        byte[] golden = Base64.getDecoder().decode("bwAAAArcAwA=");
        DecodedMetadata.Map map = mapOf(100, base64(Arrays.copyOf(golden, golden.length - 1)));
        assertThat(map.undone()).containsExactly(100, 101, 105);
        assertThat(map.cursor()).isEqualTo(110);
        assertThat(OffsetMap.decode(ORDERS_0, 7, base64(new byte[] {'l', 0, 0})))
                .isEqualTo(new DecodedMetadata.None());
    }

    @Test
    @DisplayName("B8 compressed metadata may unpack to a mebibyte")
    void mostUnpacked() throws IOException {
        byte[] bits = new byte[1 << 20];
        Arrays.fill(bits, (byte) 0xFF);
        int length = (bits.length - Integer.BYTES) * Byte.SIZE;
        bits[Integer.BYTES] = (byte) 0xFE; // The committed offset is undone, all others are done.
        ByteBuffer.wrap(bits).putInt(length);
        DecodedMetadata.Map map = mapOf(7, base64('s', ByteBuffer.wrap(zstd(bits))));
        assertThat(map.undone()).containsExactly(7);
        assertThat(map.cursor()).isEqualTo(7 + length);

        String longer = base64('s', ByteBuffer.wrap(zstd(Arrays.copyOf(bits, bits.length + 1))));
        assertThat(assertUnreadable(longer)).contains("more than 1048576 bytes");
    }

    @Test
    @DisplayName("B8 compressed metadata may ask for a window of 8 MiB, and is named for what it is")
    void zstdHeader() throws IOException {
        byte[] frame = zstd(new byte[] {0, 2, 2, 0});
        frame[5] = 13 << 3;
        assertThat(OffsetMap.decode(ORDERS_0, 0, base64('a', ByteBuffer.wrap(frame))))
                .isInstanceOf(DecodedMetadata.Map.class);
        frame[5] = 14 << 3;
        assertThat(assertUnreadable(base64('a', ByteBuffer.wrap(frame)))).contains("zstd frame");

        frame[5] = 13 << 3;
        assertThat(assertUnreadable(base64('a', ByteBuffer.wrap(Arrays.copyOf(frame, 5)))))
                .contains("zstd frame");
        assertThat(assertUnreadable(base64('a', ByteBuffer.wrap(Arrays.copyOf(frame, 6)))))
                .contains("zstd failed");
        frame[4] |= 0x20; // A single segment: that byte is no window.
        assertThat(assertUnreadable(base64('a', ByteBuffer.wrap(frame)))).contains("zstd frame");
        frame[4] ^= 0x20;
        frame[0] ^= 1;
        assertThat(assertUnreadable(base64('a', ByteBuffer.wrap(frame)))).contains("zstd frame");
    }

    @Test
    @DisplayName("B8 broken compressed metadata is refused")
    void brokenZstd() throws IOException {
        byte[] frame = zstd("not a bitset, but text of some length".getBytes(StandardCharsets.US_ASCII));
        assertUnreadable(base64('s', ByteBuffer.wrap(frame)));
        assertUnreadable(base64('s', ByteBuffer.wrap(frame, 0, frame.length - 4)));
        frame[8] ^= 0x55;
        assertUnreadable(base64('s', ByteBuffer.wrap(frame)));
    }

    private static String assertUnreadable(String metadata) {
        DecodedMetadata decoded = OffsetMap.decode(ORDERS_0, 7, metadata);
        assertThat(decoded)
                .isInstanceOfSatisfying(
                        DecodedMetadata.Foreign.class,
                        foreign -> assertThat(foreign.kind())
                                .isEqualTo(DecodedMetadata.Foreign.Kind.PARALLEL_CONSUMER_UNREADABLE));
        return ((DecodedMetadata.Foreign) decoded).reason();
    }

    private static byte[] zstd(byte[] plain) throws IOException {
        ByteBufferOutputStream out = new ByteBufferOutputStream(512);
        try (OutputStream zstd = Compression.zstd().build().wrapForOutput(out, (byte) 2)) {
            zstd.write(plain);
        }
        ByteBuffer buffer = out.buffer().flip();
        byte[] frame = new byte[buffer.remaining()];
        buffer.get(frame);
        return frame;
    }

    private static String base64(char first, ByteBuffer payload) {
        ByteBuffer source = payload.position() > 0 ? payload.rewind() : payload;
        byte[] bytes = new byte[1 + source.remaining()];
        bytes[0] = (byte) first;
        source.get(bytes, 1, source.remaining());
        return base64(bytes);
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }
}
