package dev.laneway.engine.offsets;

import static dev.laneway.engine.MapText.gamma;
import static dev.laneway.engine.MapText.raw;
import static dev.laneway.engine.Records.ORDERS_0;
import static dev.laneway.engine.offsets.OffsetMapTest.mapOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.laneway.engine.MapText;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A map with spilled keys")
class OffsetMapKeysTest {
    private static final SpilledKey KEY = new SpilledKey(0x8123456789ABCDEFL, 103);
    private static final int LIMIT = OffsetMap.DEFAULT_LIMIT;

    private final OffsetWindow window = new OffsetWindow();

    @Test
    @DisplayName("B93 says of every offset and every key what is undone")
    void smallMap() {
        add(100, 101, 105, 110, 111);
        List<SpilledKey> keys = List.of(new SpilledKey(5, 109), KEY, new SpilledKey(6, 110));
        Progress progress = OffsetMap.encode(ORDERS_0, window, SpilledKeys.of(keys), 112, LIMIT);
        assertThat(progress.offset()).isEqualTo(100);
        DecodedMetadata.Map map = mapOf(100, progress.metadata());
        assertThat(map.cursor()).isEqualTo(110);
        assertThat(map.undone()).containsExactly(100, 101, 105);
        // What starts at the map's end is undone without being listed.
        assertThat(map.keys()).containsExactly(KEY, new SpilledKey(5, 109));
        assertThat(map).hasToString("LANEWAY map [100, 110) with 3 undone, 2 keys spilled");
    }

    @Test
    @DisplayName("B93 starts at the lowest offset of a key, if that is lower than what is undone by itself")
    void baseOfAKey() {
        Progress idle = OffsetMap.encode(ORDERS_0, window, SpilledKeys.of(List.of(KEY)), 2_000, LIMIT);
        assertThat(idle.offset()).isEqualTo(103);
        DecodedMetadata.Map map = mapOf(103, idle.metadata());
        assertThat(map.undone()).isEmpty();
        assertThat(map.cursor()).isEqualTo(2_000);
        assertThat(map.keys()).containsExactly(KEY);

        add(1_000);
        assertThat(OffsetMap.encode(ORDERS_0, window, SpilledKeys.of(List.of(KEY)), 2_000, LIMIT)
                        .offset())
                .isEqualTo(103);
        assertThat(OffsetMap.encode(ORDERS_0, window, SpilledKeys.of(List.of(new SpilledKey(1, 1_001))), 2_000, LIMIT)
                        .offset())
                .isEqualTo(1_000);
        assertThatIllegalStateException()
                .isThrownBy(() -> OffsetMap.encode(ORDERS_0, window, SpilledKeys.of(List.of(KEY)), 1_000, LIMIT));
    }

    @Test
    @DisplayName("B93 is the map of earlier releases where no key starts below its end")
    void earlierFormat() {
        add(100, 101, 105, 110);
        String earlier = OffsetMap.encode(ORDERS_0, 100, window, 111);
        for (List<SpilledKey> keys : List.of(
                List.<SpilledKey>of(),
                List.of(new SpilledKey(1, 110)),
                List.of(new SpilledKey(1, 111), new SpilledKey(KEY.hash(), 500)))) {
            assertThat(OffsetMap.encode(ORDERS_0, window, SpilledKeys.of(keys), 111, LIMIT))
                    .isEqualTo(new Progress(100, earlier));
        }
        assertThat(OffsetMap.encode(ORDERS_0, window, SpilledKeys.of(List.of(KEY)), 111, LIMIT)
                        .metadata())
                .isNotEqualTo(earlier);
    }

    @Test
    @DisplayName("B93 is empty where nothing is done beyond the base")
    void nothingDone() {
        add(103, 104);
        assertThat(OffsetMap.encode(ORDERS_0, window, SpilledKeys.of(List.of(KEY)), 105, LIMIT))
                .isEqualTo(new Progress(103, ""));
        assertThat(OffsetMap.encode(ORDERS_0, new OffsetWindow(), SpilledKeys.of(List.of(KEY)), 103, LIMIT))
                .isEqualTo(new Progress(103, ""));
        assertThat(OffsetMap.encode(ORDERS_0, new OffsetWindow(), SpilledKeys.of(List.of(KEY)), 104, LIMIT)
                        .metadata())
                .isNotEmpty();
    }

    @Test
    @DisplayName("B93 lists two keys of one hash once, from the lower offset on")
    void oneHash() {
        List<SpilledKey> keys = List.of(new SpilledKey(9, 120), new SpilledKey(9, 110), new SpilledKey(9, 115));
        Progress progress = OffsetMap.encode(ORDERS_0, window, SpilledKeys.of(keys), 130, LIMIT);
        assertThat(mapOf(110, progress.metadata()).keys()).containsExactly(new SpilledKey(9, 110));
    }

    @Test
    @DisplayName("B93 lists keys of one offset by their hash without sign")
    void ties() {
        List<SpilledKey> keys = List.of(new SpilledKey(-1, 7), new SpilledKey(3, 7), new SpilledKey(Long.MIN_VALUE, 7));
        Progress progress = OffsetMap.encode(ORDERS_0, window, SpilledKeys.of(keys), 9, LIMIT);
        assertThat(mapOf(7, progress.metadata()).keys())
                .extracting(SpilledKey::hash)
                .containsExactly(3L, Long.MIN_VALUE, -1L);
    }

    @Test
    @DisplayName("B93 has a pinned format: these strings stand in committed offsets")
    void pinnedFormat() {
        List<SpilledKey> keys = List.of(KEY, new SpilledKey(1, 1_000_000));
        add(100, 5_000_000_000L);
        Progress runs = OffsetMap.encode(ORDERS_0, window, SpilledKeys.of(keys), 5_000_000_777L, LIMIT);
        assertThat(runs).isEqualTo(new Progress(100, PINNED_RUNS));
        assertThat(mapOf(100, PINNED_RUNS).keys()).isEqualTo(keys);
        assertThat(mapOf(100, PINNED_RUNS).undone()).containsExactly(100, 5_000_000_000L);

        OffsetWindow dense = new OffsetWindow();
        dense.add(105);
        Progress bitmap = OffsetMap.encode(ORDERS_0, dense, SpilledKeys.of(keys), 110, LIMIT);
        assertThat(bitmap).isEqualTo(new Progress(103, PINNED_BITMAP));
        assertThat(mapOf(103, PINNED_BITMAP).keys()).containsExactly(KEY);
        assertThat(mapOf(103, PINNED_BITMAP).undone()).containsExactly(105);
    }

    @Test
    @DisplayName("B93 holds 700 keys of a span of a million offsets in 4,096 characters")
    void manyKeys() {
        List<SpilledKey> keys = keys(700, 1_300);
        Progress progress = OffsetMap.encode(ORDERS_0, window, SpilledKeys.of(keys), 1_000_000, LIMIT);
        assertThat(mapOf(0, progress.metadata()).cursor()).isEqualTo(1_000_000);
        assertThat(mapOf(0, progress.metadata()).keys()).isEqualTo(keys);
        assertThat(OffsetMap.worstCaseChars(window, SpilledKeys.of(keys), 1_000_000, 500))
                .isLessThanOrEqualTo(LIMIT);
        assertThat(OffsetMap.worstCaseChars(window, SpilledKeys.of(keys(900, 1_000)), 1_000_000, 500))
                .isGreaterThan(LIMIT);
    }

    @Test
    @DisplayName("B93 that is too long ends before the first key that it has no room for")
    void cutBeforeAKey() {
        List<SpilledKey> keys = keys(2_000, 1_300);
        DecodedMetadata.Map map = mapOf(
                0,
                OffsetMap.encode(ORDERS_0, window, SpilledKeys.of(keys), 5_000_000, LIMIT)
                        .metadata());
        int listed = map.keys().size();
        assertThat(listed).isBetween(700, 900);
        assertThat(map.keys()).isEqualTo(keys.subList(0, listed));
        assertThat(map.cursor()).isEqualTo(keys.get(listed).from());
    }

    @Test
    @DisplayName("B93 leaves keys out for the sake of runs only as far as it then reaches further")
    void cutBetweenKeysAndRuns() {
        // Dense runs first: with all keys listed no room were left for them.
        for (long offset = 0; offset < 100_000; offset += 3) {
            window.add(offset);
        }
        List<SpilledKey> keys = keys(600, 100);
        DecodedMetadata.Map map = mapOf(
                0,
                OffsetMap.encode(ORDERS_0, window, SpilledKeys.of(keys), 200_000, LIMIT)
                        .metadata());
        assertThat(map.cursor()).isBetween(30_000L, 60_000L);
        assertThat(map.keys())
                .isEqualTo(
                        keys.stream().filter(key -> key.from() < map.cursor()).toList());
    }

    @Test
    @DisplayName("B93 that may not list its first key ends before it, in the form of earlier releases")
    void cutBeforeTheFirstKey() {
        add(100);
        List<SpilledKey> keys = List.of(new SpilledKey(4, 150));
        Progress progress = OffsetMap.encode(ORDERS_0, window, SpilledKeys.of(keys), 1_000, 6);
        assertThat(progress.metadata().charAt(1)).isIn('\u0803', '\u0804');
        DecodedMetadata.Map map = mapOf(100, progress.metadata());
        assertThat(map.cursor()).isEqualTo(150);
        assertThat(map.keys()).isEmpty();
        assertThat(OffsetMap.encode(ORDERS_0, new OffsetWindow(), SpilledKeys.of(keys), 1_000, 6))
                .isEqualTo(new Progress(150, ""));
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE / 2, -1, 0, 4, 5})
    @DisplayName("B93 is empty where nothing fits")
    void nothingFits(int limit) {
        assertThat(OffsetMap.encode(ORDERS_0, window, SpilledKeys.of(List.of(KEY)), 1_000, limit))
                .isEqualTo(new Progress(103, ""));
    }

    @Test
    @DisplayName("B93 has no more keys than are read, whatever the limit")
    void mostKeys() {
        int most = DecodedMetadata.Map.MAX_KEYS;
        Progress whole = OffsetMap.encode(ORDERS_0, window, SpilledKeys.of(keys(most, 2)), 1 << 20, Integer.MAX_VALUE);
        assertThat(mapOf(0, whole.metadata()).keys()).hasSize(most);
        assertThat(mapOf(0, whole.metadata()).cursor()).isEqualTo(1 << 20);
        Progress cut =
                OffsetMap.encode(ORDERS_0, window, SpilledKeys.of(keys(most + 1, 2)), 1 << 20, Integer.MAX_VALUE);
        assertThat(mapOf(0, cut.metadata()).keys()).hasSize(most);
        assertThat(mapOf(0, cut.metadata()).cursor()).isEqualTo(2L * most);

        StringBuilder bits = new StringBuilder(gamma(most + 1));
        LongStream.rangeClosed(0, most).forEach(hash -> bits.append(gamma(1)).append(raw(hash)));
        refused(5, bits.append(gamma(1)).append(gamma(5)).toString(), "it lists 65537 keys, more than 65536");
        refused(6, gamma(Long.MAX_VALUE >>> 1), "it lists " + (Long.MAX_VALUE >>> 1) + " keys");
    }

    @Test
    @DisplayName("B93 is refused where its keys are out of order, stand twice, or lie where it says nothing")
    void brokenRules() {
        String runs = gamma(3) + gamma(8); // Two undone offsets, then eight done ones: from 100 to 109.
        String first = gamma(3) + raw(7); // From 102 on.
        assertThat(mapOf(100, bits(5, gamma(1) + first + runs)).keys()).containsExactly(new SpilledKey(7, 102));
        assertThat(mapOf(100, bits(6, gamma(1) + first + "00" + "11111111")).cursor())
                .isEqualTo(110);
        refused(5, gamma(2) + first + gamma(1) + raw(7) + runs, "breaks the rules");
        refused(5, gamma(2) + first + gamma(2) + raw(7) + runs, "breaks the rules");
        refused(5, gamma(2) + first + gamma(1) + raw(6) + runs, "breaks the rules");
        refused(5, gamma(2) + gamma(3) + raw(-1) + gamma(1) + raw(1) + runs, "breaks the rules");
        assertThat(mapOf(100, bits(5, gamma(2) + first + gamma(1) + raw(-1) + runs))
                        .keys())
                .hasSize(2);
        assertThat(mapOf(100, bits(5, gamma(2) + first + gamma(8) + raw(-1) + runs))
                        .keys())
                .hasSize(2);
        refused(5, gamma(2) + first + gamma(9) + raw(-1) + runs, "breaks the rules");
        refused(6, gamma(1) + gamma(11) + raw(7) + "00" + "11111111", "breaks the rules");
        refused(5, gamma(1) + gamma(Long.MAX_VALUE >>> 1) + raw(7) + runs, "breaks the rules");
        // No key, less keys than claimed, and a hash that is cut.
        refused(5, "", "");
        refused(5, "0".repeat(15), "breaks the rules");
        refused(5, gamma(3) + first + gamma(1) + raw(8), "breaks the rules");
        refused(5, gamma(1) + gamma(1) + "1".repeat(58), "breaks the rules");
        refused(5, gamma(1) + "0".repeat(70), "breaks the rules");
        // No runs, no done run, an empty done run where the base must be undone, and padding that is too long.
        refused(5, gamma(1) + first, "breaks the rules");
        refused(5, gamma(1) + first + gamma(3), "breaks the rules");
        refused(5, gamma(1) + first + gamma(1) + gamma(8), "breaks the rules");
        refused(6, gamma(1) + first + "1", "breaks the rules");
        refused(5, gamma(1) + first + runs + "0".repeat(15), "breaks the rules");
        refused(6, gamma(1) + first + "0011" + "0".repeat(15), "breaks the rules");
    }

    @Test
    @DisplayName("B93 may fill its last character with runs and bits")
    void lastCharacter() {
        String key = gamma(1) + gamma(1) + raw(7);
        String one = bits(6, key + "1".repeat(9));
        assertThat((key.length() + 9) % BitText.PER_CHAR).isZero();
        assertThat(mapOf(100, one).cursor()).isEqualTo(109);
        assertThat(mapOf(100, bits(6, key + "1" + "01".repeat(4))).undoneCount())
                .isEqualTo(4);
        String two = gamma(2) + gamma(1) + raw(7) + gamma(1) + raw(8);
        assertThat((two.length() + 2) % BitText.PER_CHAR).isZero();
        assertThat(mapOf(100, bits(5, two + "11")).cursor()).isEqualTo(101);
        assertThat(mapOf(100, bits(5, key + "1".repeat(10))).cursor()).isEqualTo(109);
    }

    @Test
    @DisplayName("B93 that grows is foreseen: keys of many offsets, runs, and records that are still to come")
    void foreseen() {
        add(100, 200);
        assertThat(OffsetMap.worstCaseChars(window, SpilledKeys.of(List.of()), 300, 7))
                .isEqualTo(OffsetMap.worstCaseChars(window, 300, 7));
        assertThat(OffsetMap.worstCaseChars(
                        new OffsetWindow(), SpilledKeys.of(List.of(new SpilledKey(KEY.hash(), 300))), 300, 0))
                .isZero();
        // A key's number and hash, and the longest step in 214 offsets; two gaps of 13 bits and two cuts; two bits for
        // the first run; 16 records.
        int bits = 1 + 64 + 15 + 2 * (13 + 2) + 2 + 24;
        assertThat(OffsetMap.worstCaseChars(window, SpilledKeys.of(List.of(KEY)), 300, 14))
                .isEqualTo((int) (4 + BitText.chars(bits)));
        assertThat(OffsetMap.worstCaseChars(
                        new OffsetWindow(), SpilledKeys.of(List.of(new SpilledKey(KEY.hash(), 0))), Long.MAX_VALUE, 0))
                .isBetween(4 + 17, 4 + 22);
    }

    private void refused(int kind, String bits, String reason) {
        assertThat(OffsetMap.decode(ORDERS_0, 100, bits(kind, bits)))
                .isInstanceOfSatisfying(DecodedMetadata.Foreign.class, foreign -> {
                    assertThat(foreign.kind()).isEqualTo(DecodedMetadata.Foreign.Kind.MISMATCH);
                    assertThat(foreign.reason()).contains(reason);
                });
    }

    private static String bits(int kind, String bits) {
        return MapText.ofBits(ORDERS_0, 100, kind, bits);
    }

    private static List<SpilledKey> keys(int count, long apart) {
        List<SpilledKey> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            keys.add(new SpilledKey(i * 0x9E3779B97F4A7C15L, i * apart));
        }
        return keys;
    }

    private void add(long... offsets) {
        for (long offset : offsets) {
            window.add(offset);
        }
    }

    private static final String PINNED_RUNS = "\u4C57\u0805\u1B59\u7BAA\u2A40\u50D1\u34F1\u22BC\u7778\u0800\u4507\u3C00"
            + "\u0800\u0800\u0800\u0828\u0800\u0800\u5281\u4633\u4003\u0C00";
    private static final String PINNED_BITMAP = "\u4C57\u0806\u44EB\u4BD6\u7824\u3C56\u444D\u3737\u67BC";
}
