package dev.laneway.engine.offsets;

import static dev.laneway.engine.MapText.gamma;
import static dev.laneway.engine.MapText.raw;
import static dev.laneway.engine.Records.ORDERS_0;
import static dev.laneway.engine.offsets.OffsetMapTest.mapOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.LaneKey;
import dev.laneway.engine.MapText;
import java.util.List;
import java.util.Objects;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A map with spilled lane keys")
class OffsetMapLaneKeysTest {
    private static final SpilledKey KEY = new SpilledKey(0x8123456789ABCDEFL, 103);
    private static final int LIMIT = OffsetMap.DEFAULT_LIMIT;
    private static final LaneKeyId CUSTOMER = Objects.requireNonNull(LaneKeyId.of(LaneKey.header("customer")));

    private static SpilledKeys customers(SpilledKey... keys) {
        return new SpilledKeys(CUSTOMER, List.of(keys));
    }

    private static OffsetWindow window(long... offsets) {
        OffsetWindow window = new OffsetWindow();
        for (long offset : offsets) {
            window.add(offset);
        }
        return window;
    }

    @Test
    @DisplayName("B137 names the id by a hash that is pinned, and is what sha256sum says")
    void pinnedId() {
        assertThat(CUSTOMER.hash()).isEqualTo(HASH);
        assertThat(CUSTOMER).hasToString(HASH_TEXT);
        assertThat(LaneKeyId.of((LaneKey) null)).isNull();
    }

    @Test
    @DisplayName("B137 has a pinned format: these strings stand in committed offsets")
    void pinnedFormat() {
        Progress runs = OffsetMap.encode(
                ORDERS_0,
                window(100, 5_000_000_000L),
                customers(KEY, new SpilledKey(1, 1_000_000)),
                5_000_000_777L,
                LIMIT);
        assertThat(runs).isEqualTo(new Progress(100, PINNED_RUNS));
        assertThat(mapOf(100, PINNED_RUNS).laneKey()).isEqualTo(CUSTOMER);
        assertThat(mapOf(100, PINNED_RUNS).keys()).containsExactly(KEY, new SpilledKey(1, 1_000_000));
        assertThat(mapOf(100, PINNED_RUNS).undone()).containsExactly(100, 5_000_000_000L);

        Progress bitmap = OffsetMap.encode(ORDERS_0, window(105), customers(KEY), 110, LIMIT);
        assertThat(bitmap).isEqualTo(new Progress(103, PINNED_BITMAP));
        assertThat(mapOf(103, PINNED_BITMAP).laneKey()).isEqualTo(CUSTOMER);
        assertThat(mapOf(103, PINNED_BITMAP).keys()).containsExactly(KEY);
        assertThat(mapOf(103, PINNED_BITMAP).before(108).laneKey()).isEqualTo(CUSTOMER);
    }

    @Test
    @DisplayName("B137 says nothing of lane keys where it lists none, so that earlier releases read it")
    void earlierFormat() {
        OffsetWindow window = window(100, 101, 105, 110);
        Progress plain = OffsetMap.encode(ORDERS_0, window, SpilledKeys.NONE, 111, LIMIT);
        assertThat(OffsetMap.encode(ORDERS_0, window, customers(), 111, LIMIT)).isEqualTo(plain);
        assertThat(OffsetMap.encode(ORDERS_0, window, customers(new SpilledKey(1, 111)), 111, LIMIT))
                .isEqualTo(plain);
        assertThat(mapOf(100, plain.metadata()).laneKey()).isNull();
    }

    @Test
    @DisplayName("B137 of an earlier release lists the records' own keys")
    void earlierMaps() {
        String earlier = MapText.ofBits(ORDERS_0, 100, 5, gamma(1) + gamma(3) + raw(7) + gamma(3) + gamma(8));
        assertThat(mapOf(100, earlier).laneKey()).isNull();
        assertThat(mapOf(100, earlier).keys()).containsExactly(new SpilledKey(7, 102));
    }

    @Test
    @DisplayName("B137 is foreseen with the bits of the id, and cut to any limit like others")
    void foreseen() {
        int bits = 32 + 1 + 64 + 15 + 2 * (13 + 2) + 2 + 24;
        assertThat(OffsetMap.worstCaseChars(window(100, 200), customers(KEY), 300, 14))
                .isEqualTo((int) (4 + BitText.chars(bits)));
        for (int limit = 0; limit < 14; limit++) {
            String cut = OffsetMap.encode(ORDERS_0, window(100, 200), customers(KEY), 300, limit)
                    .metadata();
            assertThat(cut).hasSizeLessThanOrEqualTo(limit);
        }
    }

    @Test
    @DisplayName("B137 that is too short for its id is refused")
    void tooShort() {
        for (int kind = 7; kind <= 8; kind++) {
            assertThat(OffsetMap.decode(ORDERS_0, 100, MapText.ofBits(ORDERS_0, 100, kind, "1".repeat(30))))
                    .extracting(Object::toString, InstanceOfAssertFactories.STRING)
                    .contains("MISMATCH", "breaks the rules of kind " + kind);
        }
    }

    /** printf 'header customer' | sha256sum | cut -c 1-8. */
    private static final int HASH = 0x32CA6B73;

    private static final String HASH_TEXT = "32ca6b73";
    private static final String PINNED_RUNS = "\u4C57\u0807\u4AA2\u27D4\u2165\u22DC\u7090\u1A34\u333C\u2EAF\u23DE\u0800"
            + "\u1741\u7500\u0800\u0800\u0800\u080A\u0800\u0800\u1AA0\u378C\u7600\u6900";
    private static final String PINNED_BITMAP = "\u4C57\u0808\u3456\u678B\u2165\u22DC\u8409\u1515\u5713\u33CD\u7FEF";
}
