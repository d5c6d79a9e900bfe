package dev.laneway.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.engine.offsets.BitText;
import dev.laneway.engine.offsets.DecodedMetadata;
import dev.laneway.engine.offsets.LaneKeyId;
import dev.laneway.engine.offsets.OffsetMap;
import dev.laneway.engine.offsets.OffsetWindow;
import dev.laneway.engine.offsets.SpilledKey;
import dev.laneway.engine.offsets.SpilledKeys;
import dev.laneway.ops.CommitMap.Run;
import dev.laneway.ops.CommitMetadata.Writer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Metadata without a broker. The maps of Parallel Consumer were written by its release 0.5.3.2. */
class CommitMetadataTest {
    private static final TopicPartition ID = new TopicPartition("orders", 3);
    private static final String FORMS = "losnaJepL\u00EE\u0001\u0002x";
    private static final int ROUNDS = 10_000;

    @ParameterizedTest
    @CsvSource({
        "bAAK3AMA, BitSet",
        "YSi1L/0AWCkAAAAK3AMA, BitSetCompressed",
        "bgACAAMAAQAE, RunLength",
        "Sii1L/0AWEEAAAACAAMAAQAE, RunLengthCompressed",
        "bwAAAArcAwA=, BitSetV2",
        "cyi1L/0AWDkAAAAAAArcAwA=, BitSetV2Compressed",
        "ZQAAAAIAAAADAAAAAQAAAAQ=, RunLengthV2",
        "cCi1L/0AWIEAAAAAAAIAAAADAAAAAQAAAAQ=, RunLengthV2Compressed",
    })
    @DisplayName("B133 Parallel Consumer's maps are read in all forms, and the form is named")
    void parallelConsumer(String map, String encoding) {
        assertThat(CommitMetadata.read(ID, 100, map))
                .isEqualTo(new CommitMetadata(
                        Writer.PARALLEL_CONSUMER,
                        encoding,
                        map.length(),
                        List.of(new Run(102, 105), new Run(106, 110)),
                        null));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "hello world   | OTHER             | no known writer",
                "bm9kZTE=      | OTHER             | no known writer",
                "\uD83D        | OTHER             | no known writer",
                "AQ==          | OTHER             | no known writer",
                "AQAAAZwAAAAA  | KAFKA_STREAMS     | a time",
                "TAEB          | PARALLEL_CONSUMER | itself does not read the form ByteArray",
                "7gEB          | PARALLEL_CONSUMER | itself does not read the form ByteArrayCompressed",
                "YQE=          | PARALLEL_CONSUMER | no zstd frame",
                "bAE=          | PARALLEL_CONSUMER | its length is missing",
                "bwAAAAo=      | PARALLEL_CONSUMER | claims 10 bits and has 0 bytes",
                "bAABAQA=      | PARALLEL_CONSUMER | calls the committed offset itself done",
                "bgACAAMAAQ==  | PARALLEL_CONSUMER | does not end with a done offset",
                "bgACAAMA      | PARALLEL_CONSUMER | its last length is cut",
                "\u4C57        | LANEWAY           | was cut or mixed with other text",
                "\u4C57 no map | LANEWAY           | was cut or mixed with other text",
                "\u4C57\u0803\u0801\u0802\u0900 | LANEWAY | checksum is wrong",
            })
    @DisplayName("B133 What is no map, and a map that cannot be read, says whose it is and why")
    void reasons(String metadata, Writer writer, String reason) {
        CommitMetadata read = CommitMetadata.read(ID, 100, metadata);
        assertThat(read.writer()).isEqualTo(writer);
        assertThat(read.reason()).contains(reason);
        assertThat(read.encoding()).isNull();
        assertThat(read.done()).isEmpty();
        assertThat(read.isUnreadable()).isEqualTo(writer == Writer.LANEWAY || writer == Writer.PARALLEL_CONSUMER);
    }

    @Test
    @DisplayName("B133 Without metadata nothing is said, and an empty map of Parallel Consumer says nothing either")
    void nothing() {
        assertThat(CommitMetadata.read(ID, 7, "")).isEqualTo(CommitMetadata.EMPTY);
        assertThat(CommitMetadata.read(ID, 7, "bgAA"))
                .isEqualTo(new CommitMetadata(Writer.PARALLEL_CONSUMER, "RunLength", 4, List.of(), null));
    }

    @Test
    @DisplayName("B133 Maps of later releases, and those that claim what they do not hold, are told apart")
    void sealedButWrong() {
        assertReason(sealed(9, "\u0900"), "kind 9 is unknown: a later release wrote it");
        assertReason(sealed(3, "\u0801"), "claims a length that it does not hold");
        assertReason(sealed(3, "\u0800".repeat(5) + "\u0801"), "claims a length that it does not hold");
        assertReason(sealed(3, "\u4800"), "does not end with a done offset");
        assertReason(sealed(3, packed("10100000000000000")), "longer than what it says");
        assertReason(sealed(3, packed("0".repeat(22) + "1" + "0".repeat(21) + "1" + "1")), "more than 4194304");
        assertReason(sealed(4, "\u87FF"), "calls the committed offset itself done");
        assertReason(sealed(4, "\u0800"), "longer than what it says");
        String endless = packed("1" + "0".repeat(62) + "1".repeat(63));
        assertReason(sealed(3, endless), "ends beyond the largest offset");
    }

    @Test
    @DisplayName("B93 B133 B137 Spilled keys of a map are read, and a map whose keys are not in order says so")
    void spilledKeys() {
        OffsetWindow undone = new OffsetWindow();
        undone.add(105);
        List<SpilledKey> keys = List.of(new SpilledKey(7, 103), new SpilledKey(-1, 104), new SpilledKey(5, 104));
        CommitMetadata read = CommitMetadata.read(
                ID,
                103,
                OffsetMap.encode(ID, undone, SpilledKeys.of(keys), 110, 100).metadata());
        assertThat(read.keys())
                .containsExactly(
                        new CommitMap.SpilledKey(7, 103),
                        new CommitMap.SpilledKey(5, 104),
                        new CommitMap.SpilledKey(-1, 104));
        assertThat(read.done()).containsExactly(new Run(103, 105), new Run(106, 110));
        assertThat(CommitRules.undone(103, read.done())).containsExactly(new Run(105, 106));

        assertThat(read.laneKey()).isNull();
        CommitMetadata byLaneKey = CommitMetadata.read(
                ID,
                103,
                OffsetMap.encode(ID, undone, new SpilledKeys(new LaneKeyId(-2), keys), 110, 100)
                        .metadata());
        assertThat(byLaneKey.laneKey()).isEqualTo(-2);
        assertThat(byLaneKey.encoding()).isEqualTo(read.encoding());
        assertThat(byLaneKey.keys()).isEqualTo(read.keys());
        assertThat(byLaneKey.done()).isEqualTo(read.done());
        assertReason(sealed(7, packed("1".repeat(15))), "a length that it does not hold");

        String key = "1" + "1" + "0".repeat(64); // From 100 on.
        assertReason(sealed(5, "\u0800"), "longer than what it says");
        assertReason(sealed(5, packed("0".repeat(17) + "1" + "0".repeat(17))), "131072 keys");
        assertReason(sealed(5, packed("010" + "1" + "0".repeat(64) + "1" + "0".repeat(64))), "not in order");
        assertReason(sealed(5, packed("1" + "1" + "0".repeat(40))), "a length that it does not hold");
        assertReason(sealed(5, packed("1" + "010" + "0".repeat(64) + "1" + "1")), "spilled beyond its end");
        assertReason(sealed(6, packed("1" + "010" + "0".repeat(64) + "11")), "calls the committed offset itself done");
        assertReason(sealed(6, packed(key + "1" + "0".repeat(23))), "longer than what it says");
    }

    @Test
    @DisplayName("B133 The engine and the tool read the same, whatever stands beside an offset")
    void agreesWithTheEngine() {
        Random random = new Random(1);
        int maps = 0;
        int keyed = 0;
        for (int i = 0; i < ROUNDS; i++) {
            String metadata = any(random);
            DecodedMetadata engine = OffsetMap.decode(ID, 100, metadata);
            CommitMetadata tool = CommitMetadata.read(ID, 100, metadata);
            String as = Arrays.toString(metadata.toCharArray()) + " " + engine + " " + tool;
            switch (engine) {
                case DecodedMetadata.None _ ->
                    assertThat(tool.done().isEmpty() && tool.reason() == null)
                            .as(as)
                            .isTrue();
                case DecodedMetadata.Foreign foreign -> {
                    assertThat(tool.writer()).as(as).isEqualTo(writer(foreign.kind()));
                    assertThat(tool.reason()).as(as).isNotBlank();
                    assertThat(tool.done()).as(as).isEmpty();
                }
                case DecodedMetadata.Map map -> {
                    maps++;
                    assertThat(tool.reason()).as(as).isNull();
                    assertThat(tool.done().getLast().to()).as(as).isEqualTo(map.cursor());
                    long[] undone = CommitRules.undone(100, tool.done()).stream()
                            .flatMapToLong(run -> LongStream.range(run.from(), run.to()))
                            .toArray();
                    assertThat(Arrays.equals(undone, map.undone())).as(as).isTrue();
                    keyed += map.keys().isEmpty() ? 0 : 1;
                    assertThat(tool.keys().stream()
                                    .map(key -> new SpilledKey(key.hash(), key.from()))
                                    .toList())
                            .as(as)
                            .isEqualTo(map.keys());
                    LaneKeyId laneKey = map.laneKey();
                    assertThat(tool.laneKey()).as(as).isEqualTo(laneKey == null ? null : laneKey.hash());
                }
            }
        }
        assertThat(maps).isGreaterThan(ROUNDS / 10);
        assertThat(keyed).isGreaterThan(ROUNDS / 50);
    }

    private static Writer writer(DecodedMetadata.Foreign.Kind kind) {
        return switch (kind) {
            case JUNK -> Writer.OTHER;
            case MISMATCH, NEWER -> Writer.LANEWAY;
            case KAFKA_STREAMS -> Writer.KAFKA_STREAMS;
            case PARALLEL_CONSUMER_UNREADABLE -> Writer.PARALLEL_CONSUMER;
        };
    }

    /** True maps, damaged ones, sealed payloads that nobody has written, and forms of Parallel Consumer. */
    private static String any(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> map(random);
            case 1 -> damaged(random, map(random));
            case 2 -> {
                StringBuilder bits = new StringBuilder();
                int count = 1 + random.nextInt(60);
                while (bits.length() < count) {
                    bits.append(random.nextInt(3) == 0 ? "1" : "0".repeat(1 + random.nextInt(4)));
                }
                yield sealed(1 + random.nextInt(9), packed(bits.toString()));
            }
            default -> {
                byte[] bytes = new byte[1 + 2 * random.nextInt(1 + random.nextInt(12))];
                for (int i = 1; i < bytes.length; i++) {
                    bytes[i] = (byte) (random.nextBoolean() ? 0 : random.nextInt(random.nextBoolean() ? 12 : 256));
                }
                bytes[0] = (byte) FORMS.charAt(random.nextInt(FORMS.length()));
                yield damaged(random, Base64.getEncoder().encodeToString(bytes));
            }
        };
    }

    private static String map(Random random) {
        OffsetWindow undone = new OffsetWindow();
        long offset = 100;
        int width = 1 + random.nextInt(1 + random.nextInt(300));
        for (int i = random.nextInt(40); i >= 0; i--) {
            undone.add(offset);
            offset += 1 + random.nextInt(width);
        }
        List<SpilledKey> keys = new ArrayList<>();
        for (int i = random.nextBoolean() ? random.nextInt(4) : 0; i > 0; i--) {
            keys.add(new SpilledKey(random.nextLong(), 100 + random.nextInt(width)));
        }
        LaneKeyId laneKey = random.nextBoolean() ? null : new LaneKeyId(random.nextInt());
        return OffsetMap.encode(
                        ID, undone, new SpilledKeys(laneKey, keys), offset + random.nextInt(3), OffsetMap.DEFAULT_LIMIT)
                .metadata();
    }

    private static String damaged(Random random, String text) {
        if (text.isEmpty()) {
            return text;
        }
        int at = random.nextInt(text.length());
        return switch (random.nextInt(4)) {
            case 0 -> text.substring(0, at);
            case 1 ->
                text.substring(0, at) + (char) (text.charAt(at) ^ 1 << random.nextInt(15)) + text.substring(at + 1);
            case 2 -> text + text.charAt(at);
            default -> text;
        };
    }

    private static void assertReason(String metadata, String reason) {
        CommitMetadata read = CommitMetadata.read(ID, 100, metadata);
        assertThat(read.reason()).contains(reason);
        assertThat(read.done()).isEmpty();
        assertThat(OffsetMap.decode(ID, 100, metadata)).isInstanceOf(DecodedMetadata.Foreign.class);
    }

    private static String packed(String bits) {
        String padded = bits + "0".repeat((15 - bits.length() % 15) % 15);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < padded.length(); i += 15) {
            text.append(BitText.packed(Integer.parseInt(padded.substring(i, i + 15), 2)));
        }
        return text.toString();
    }

    /** A map of this kind with a right checksum around any payload. */
    static String sealed(int kind, String payload) {
        char[] text = ("\u4C57" + BitText.packed(kind) + "\u0800\u0800" + payload).toCharArray();
        int checksum = OffsetMap.checksum(ID, 100, new String(text));
        text[2] = BitText.packed(checksum >>> 15);
        text[3] = BitText.packed(checksum);
        return new String(text);
    }
}
