package dev.laneway.engine.offsets;

import static dev.laneway.engine.Records.ORDERS_0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.laneway.engine.MapText;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

public class OffsetMapTest {

    private final OffsetWindow window = new OffsetWindow();

    @Test
    @DisplayName("B2 nothing done beyond the base is an empty string")
    void nothingDone() {
        assertThat(OffsetMap.encode(ORDERS_0, 7, window, 7)).isEmpty();
        assertThat(OffsetMap.encodedChars(window, 7)).isZero();
        add(7, 8, 9);
        assertThat(OffsetMap.encode(ORDERS_0, 7, window, 10)).isEmpty();
        assertThat(OffsetMap.encodedChars(window, 10)).isZero();
        assertThat(OffsetMap.decode(ORDERS_0, 7, "")).isEqualTo(new DecodedMetadata.None());
        assertThat(OffsetMap.decode(ORDERS_0, 7, null)).isEqualTo(new DecodedMetadata.None());
    }

    @Test
    @DisplayName("B2 a map says of every offset what the window said")
    void smallMap() {
        add(100, 101, 105, 110, 111);
        String metadata = OffsetMap.encode(ORDERS_0, 100, window, 112);
        DecodedMetadata.Map map = mapOf(100, metadata);
        assertThat(map.origin()).isEqualTo(DecodedMetadata.Map.Origin.LANEWAY);
        // 110 and 111 are undone and last: the map ends before them.
        assertThat(map.cursor()).isEqualTo(110);
        assertThat(map.undone()).containsExactly(100, 101, 105);
        assertThat(map.undoneCount()).isEqualTo(3);
        for (long offset = 98; offset < 114; offset++) {
            boolean done = offset >= 102 && offset < 110 && offset != 105;
            assertThat(map.isDone(offset)).as("%d", offset).isEqualTo(done);
        }
        assertThat(map.isDone(Long.MIN_VALUE)).isFalse();
        assertThat(map.isDone(Long.MAX_VALUE)).isFalse();
        assertThat(map).hasToString("LANEWAY map [100, 110) with 3 undone");
    }

    @Test
    @DisplayName("B2 the format is pinned: these strings stand in committed offsets")
    void pinnedFormat() {
        add(100, 101, 105);
        String bitmap = OffsetMap.encode(ORDERS_0, 100, window, 110);
        assertThat(bitmap).isEqualTo(PINNED_BITMAP);
        assertThat(mapOf(100, PINNED_BITMAP).undone()).containsExactly(100, 101, 105);

        OffsetWindow sparse = new OffsetWindow();
        sparse.add(100);
        sparse.add(5_000_000_000L);
        assertThat(OffsetMap.encode(ORDERS_0, 100, sparse, 5_000_000_777L)).isEqualTo(PINNED_RUNS);
        assertThat(mapOf(100, PINNED_RUNS).undone()).containsExactly(100, 5_000_000_000L);
    }

    @Test
    @DisplayName("B1 a base that is not the lowest undone offset is refused")
    void baseMustBeCommittable() {
        add(5, 6);
        assertThatIllegalStateException().isThrownBy(() -> OffsetMap.encode(ORDERS_0, 6, window, 7));
        assertThatIllegalStateException().isThrownBy(() -> OffsetMap.encode(ORDERS_0, 4, window, 7));
        window.remove(5);
        window.remove(6);
        assertThatIllegalStateException().isThrownBy(() -> OffsetMap.encode(ORDERS_0, 6, window, 7));
    }

    @Test
    @DisplayName("B5 B16 one stuck record and 10 M done after it: a map of a few characters in under 1 ms")
    void stuckRecord() {
        long done = 10_000_000;
        window.add(0);
        for (long offset = 1; offset <= done; offset++) {
            window.add(offset);
            window.remove(offset);
        }
        // What a commit reads is the slots and the edges; neither knows of the span.
        assertThat(window.slots()).isEqualTo(1);
        assertThat(window.edges(done + 1)).containsExactly(0, 1, done + 1);
        assertThat(OffsetMap.encodedChars(window, done + 1)).isLessThanOrEqualTo(8);

        long fastest = Long.MAX_VALUE;
        String metadata = "";
        for (int i = 0; i < 50; i++) {
            long start = System.nanoTime();
            metadata = OffsetMap.encode(ORDERS_0, window.committable(done + 1), window, done + 1);
            fastest = Math.min(fastest, System.nanoTime() - start);
        }
        assertThat(fastest).isLessThan(1_000_000);

        DecodedMetadata.Map map = mapOf(0, metadata);
        assertThat(map.undone()).containsExactly(0);
        assertThat(map.cursor()).isEqualTo(done + 1);
        assertThat(map.isDone(done)).isTrue();
    }

    @Test
    @DisplayName("B6 61,380 records finished in any pattern fit into 4096 characters")
    void densestMap() {
        long span = (OffsetMap.DEFAULT_LIMIT - 4) * 15L;
        for (long offset = 0; offset < span; offset++) {
            window.add(offset);
        }
        assertThat(OffsetMap.worstCaseChars(window, span, 0)).isEqualTo(OffsetMap.DEFAULT_LIMIT);
        assertThat(OffsetMap.worstCaseChars(window, span, 1)).isGreaterThan(OffsetMap.DEFAULT_LIMIT);
        for (long offset = 3; offset < span; offset += 4) {
            window.remove(offset - 1);
            window.remove(offset);
        }
        String metadata = OffsetMap.encode(ORDERS_0, 0, window, span);
        assertThat(metadata).hasSize(OffsetMap.DEFAULT_LIMIT);
        assertThat(OffsetMap.encodedChars(window, span)).isEqualTo(OffsetMap.DEFAULT_LIMIT);
        DecodedMetadata.Map map = mapOf(0, metadata);
        assertThat(map.undone()).containsExactly(window.toArray());
        assertThat(map.cursor()).isEqualTo(span);
    }

    @Test
    @DisplayName("B6 behind a stuck record intake has room for 40,000 more, not for 41,000")
    void roomBehindAStuckRecord() {
        window.add(0);
        long cursor = 10_000_000;
        assertThat(OffsetMap.worstCaseChars(window, cursor, 40_000)).isLessThanOrEqualTo(OffsetMap.DEFAULT_LIMIT);
        assertThat(OffsetMap.worstCaseChars(window, cursor, 41_000)).isGreaterThan(OffsetMap.DEFAULT_LIMIT);
        assertThat(OffsetMap.worstCaseChars(new OffsetWindow(), cursor, 0)).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 4, 5, 6, 50, 1_000, 4_096})
    @DisplayName("B7 a lower limit cuts the map's far end, it never drops it")
    void cutToALowerLimit(int limit) {
        for (long offset = 0; offset < 200_000; offset += 2) {
            window.add(offset);
        }
        String metadata = OffsetMap.encode(ORDERS_0, 0, window, 200_000, limit);
        assertThat(metadata.length()).isLessThanOrEqualTo(Math.max(0, limit));
        if (limit <= 4) {
            assertThat(metadata).isEmpty();
            return;
        }
        DecodedMetadata.Map map = mapOf(0, metadata);
        assertThat(map.cursor()).isGreaterThanOrEqualTo((limit - 4) * 15L - 1);
        assertThat(window.toArray()).startsWith(map.undone());
    }

    @Test
    @DisplayName("B7 a cut map takes the form that reaches further")
    void cutRunsReachFurther() {
        // Sparse first, dense at the end: as runs the far end is cut, as a bitmap nearly all would be.
        for (long offset = 0; offset < 1_000_000; offset += 10_000) {
            window.add(offset);
        }
        for (long offset = 1_000_000; offset < 1_100_000; offset += 3) {
            window.add(offset);
        }
        String metadata = OffsetMap.encode(ORDERS_0, 0, window, 1_100_000);
        assertThat(metadata.length()).isLessThanOrEqualTo(4_096).isGreaterThan(4_090);
        assertThat(mapOf(0, metadata).cursor()).isBetween(1_020_000L, 1_100_000L);
        assertThat(OffsetMap.encodedChars(window, 1_100_000)).isGreaterThan(4_096);
    }

    @Test
    @DisplayName("B7 a bitmap is cut inside a done run, at the last bit that fits")
    void cutInsideADoneRun() {
        add(70, 72);
        assertThat(mapOf(70, OffsetMap.encode(ORDERS_0, 70, window, 100_000, 5)).cursor())
                .isEqualTo(85);
        assertThat(mapOf(70, OffsetMap.encode(ORDERS_0, 70, window, 100_000, 6)).cursor())
                .isEqualTo(100);
        assertThat(mapOf(70, OffsetMap.encode(ORDERS_0, 70, window, 100_000, 7)).cursor())
                .isEqualTo(100_000);
    }

    @Test
    @DisplayName("B7 runs are cut at the last done run that fits")
    void runsFillTheRoom() {
        // Runs of 128 take 15 bits: two of them fill two characters.
        addRange(0, 128);
        addRange(256, 384);
        String metadata = OffsetMap.encode(ORDERS_0, 0, window, 512, 6);
        assertThat(metadata).hasSize(6);
        assertThat(mapOf(0, metadata).cursor()).isEqualTo(256);
        assertThat(mapOf(0, metadata).undoneCount()).isEqualTo(128);
    }

    @Test
    @DisplayName("B7 a done run that would begin where the room ends is left out")
    void doneRunBehindTheRoom() {
        // Room for 30 bits: the second done run begins at the thirtieth, and takes more than that as a run.
        add(1_000);
        addRange(1_002, 1_030);
        DecodedMetadata.Map map = mapOf(1_000, OffsetMap.encode(ORDERS_0, 1_000, window, 1 << 20, 6));
        assertThat(map.cursor()).isEqualTo(1_002);
        assertThat(map.undone()).containsExactly(1_000);
    }

    @Test
    @DisplayName("B7 there is no map where not even its first done run fits")
    void nothingFits() {
        addRange(0, 1_000);
        assertThat(OffsetMap.encode(ORDERS_0, 0, window, 1_001, 5)).isEmpty();
        assertThat(OffsetMap.encode(ORDERS_0, 0, window, 1_001, 6)).hasSize(6);
    }

    @Test
    @DisplayName("B2 where both forms take as much, or reach as far, a bitmap is written")
    void bitmapFirst() {
        for (long offset = 0; offset < 30; offset += 2) {
            window.add(offset);
        }
        String metadata = OffsetMap.encode(ORDERS_0, 0, window, 30, 6);
        assertThat(metadata).hasSize(6);
        assertThat(metadata.charAt(1)).isEqualTo('\u0804');
        assertThat(mapOf(0, metadata).undone()).containsExactly(window.toArray());
        assertThat(mapOf(0, metadata).cursor()).isEqualTo(30);

        addRange(30, 1_000);
        String cut = OffsetMap.encode(ORDERS_0, 0, window, 1 << 20, 6);
        assertThat(cut).isEqualTo(metadata);
    }

    @Test
    @DisplayName("B2 runs of one offset take a bit each")
    void runPerBit() {
        long[] lengths = new long[30];
        Arrays.fill(lengths, 1);
        String metadata = MapText.runs(ORDERS_0, 100, lengths);
        assertThat(metadata).hasSize(6);
        assertThat(mapOf(100, metadata).cursor()).isEqualTo(130);
        assertThat(mapOf(100, metadata).undoneCount()).isEqualTo(15);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    @DisplayName("B2 a map without a payload, or with a character too much, is refused")
    void otherLengths(int kind) {
        boolean runs = kind % 2 == 1;
        String payload = runs ? "\u6800" : "\u2800"; // Runs of 1 and 1, and the bits 01.
        assertThat(mapOf(9, MapText.sealed(ORDERS_0, 9, kind, payload)).cursor())
                .isEqualTo(11);
        for (String wrong : List.of("", payload + "\u0800", "\u0800")) {
            assertThat(OffsetMap.decode(ORDERS_0, 9, MapText.sealed(ORDERS_0, 9, kind, wrong)))
                    .isInstanceOfSatisfying(
                            DecodedMetadata.Foreign.class,
                            foreign -> assertThat(foreign.kind()).isEqualTo(DecodedMetadata.Foreign.Kind.MISMATCH));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
    @DisplayName("B6 the bound: a gap takes its code and two bits, a record one bit and a half, or each offset one")
    void boundOfBits(int more) {
        for (long offset = 100; offset < 4_600; offset += 500) {
            window.add(offset);
        }
        long gaps = 8L * (BitText.gammaLength(499) + 2);
        long records = (3 * (9L + more) + 1) / 2;
        assertThat(OffsetMap.worstCaseChars(window, 4_101, more)).isEqualTo(4 + BitText.chars(gaps + records));

        OffsetWindow dense = new OffsetWindow();
        for (long offset = 100; offset < 200; offset++) {
            dense.add(offset);
        }
        dense.remove(150);
        assertThat(OffsetMap.worstCaseChars(dense, 200, more)).isEqualTo(4 + BitText.chars(100L + more));
        assertThat(OffsetMap.worstCaseChars(more))
                .isEqualTo(more == 0 ? 0 : (int) (4 + BitText.chars((3L * more + 1) / 2)));
    }

    @Test
    @DisplayName("B11 a map beside another offset is recognised and ignored")
    void otherBase() {
        add(100, 101, 105);
        String metadata = OffsetMap.encode(ORDERS_0, 100, window, 110);
        for (long base : new long[] {99, 101, 0, 105, -100, Long.MAX_VALUE}) {
            assertThat(OffsetMap.decode(ORDERS_0, base, metadata))
                    .asInstanceOf(type(DecodedMetadata.Foreign.class))
                    .extracting(DecodedMetadata.Foreign::kind)
                    .isEqualTo(DecodedMetadata.Foreign.Kind.MISMATCH);
        }
    }

    @ParameterizedTest
    @CsvSource({"orders, 1", "Orders, 0", "order, 0", "orders0, 0"})
    @DisplayName("B113 a map beside the same offset of another partition or topic is recognised and ignored")
    void otherPartition(String topic, int partition) {
        add(100, 101, 105);
        String bitmap = OffsetMap.encode(ORDERS_0, 100, window, 110);
        String runs = OffsetMap.encode(ORDERS_0, 100, window, 5_000_000_777L);
        for (String metadata : List.of(bitmap, runs)) {
            assertThat(OffsetMap.decode(ORDERS_0, 100, metadata)).isInstanceOf(DecodedMetadata.Map.class);
            assertThat(OffsetMap.decode(new TopicPartition(topic, partition), 100, metadata))
                    .isInstanceOfSatisfying(DecodedMetadata.Foreign.class, foreign -> {
                        assertThat(foreign.kind()).isEqualTo(DecodedMetadata.Foreign.Kind.MISMATCH);
                        assertThat(foreign.reason()).contains("another offset or partition", topic + "-" + partition);
                    });
        }
    }

    @Test
    @DisplayName("B113 maps of earlier builds, whose checksum does not know of partitions, are still read")
    void earlierKinds() {
        assertThat(mapOf(100, EARLIER_BITMAP).undone()).containsExactly(100, 101, 105);
        assertThat(mapOf(100, EARLIER_RUNS).undone()).containsExactly(100, 5_000_000_000L);
        assertThat(OffsetMap.decode(ORDERS_0, 101, EARLIER_BITMAP)).isInstanceOf(DecodedMetadata.Foreign.class);
        add(100, 101, 105);
        String bitmap = OffsetMap.encode(ORDERS_0, 100, window, 110);
        String relabelled = bitmap.charAt(0) + "\u0802" + bitmap.substring(2);
        assertThat(OffsetMap.decode(ORDERS_0, 100, relabelled)).isInstanceOf(DecodedMetadata.Foreign.class);
    }

    @Test
    @DisplayName("B8 a map of a later version is told apart from a damaged one")
    void laterVersion() {
        DecodedMetadata decoded = OffsetMap.decode(ORDERS_0, 100, MapText.sealed(ORDERS_0, 100, 9, "\u0900\u0901"));
        assertThat(decoded).isInstanceOfSatisfying(DecodedMetadata.Foreign.class, foreign -> {
            assertThat(foreign.kind()).isEqualTo(DecodedMetadata.Foreign.Kind.NEWER);
            assertThat(foreign.reason()).contains("9");
        });
    }

    @Test
    @DisplayName("B2 a map that claims more undone offsets than memory allows is refused")
    void boundedMemory() {
        DecodedMetadata decoded = OffsetMap.decode(ORDERS_0, 0, MapText.runs(ORDERS_0, 0, 1L << 60, 1));
        assertThat(decoded)
                .isInstanceOfSatisfying(
                        DecodedMetadata.Foreign.class,
                        foreign -> assertThat(foreign.reason())
                                .contains("" + (1L << 60), "" + DecodedMetadata.Map.MAX_UNDONE));
        assertThat(OffsetMap.decode(ORDERS_0, 0, MapText.runs(ORDERS_0, 0, DecodedMetadata.Map.MAX_UNDONE, 1)))
                .isInstanceOf(DecodedMetadata.Map.class);
    }

    public static DecodedMetadata.Map mapOf(long base, String metadata) {
        DecodedMetadata decoded = OffsetMap.decode(ORDERS_0, base, metadata);
        assertThat(decoded).isInstanceOf(DecodedMetadata.Map.class);
        return (DecodedMetadata.Map) decoded;
    }

    private void addRange(long from, long to) {
        for (long offset = from; offset < to; offset++) {
            window.add(offset);
        }
    }

    private void add(long... offsets) {
        for (long offset : offsets) {
            window.add(offset);
        }
    }

    private static final String EARLIER_BITMAP = "\u4C57\u0802\u6438\u25BE\u25E0";
    private static final String PINNED_BITMAP = "\u4C57\u0804\u4526\u4337\u25E0";
    private static final String PINNED_RUNS = "\u4C57\u0803\u4606\u7955\u4800\u0800\u1150\u1FC6\u3F00\u3880";
    private static final String EARLIER_RUNS = "\u4C57\u0801\u1CC8\u3C26\u4800\u0800\u1150\u1FC6\u3F00\u3880";
}
