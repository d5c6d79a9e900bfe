package dev.laneway.engine.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A map that was read")
class DecodedMetadataTest {
    private static final int END = 45;

    /** Undone are 10, 11, 15, 16, 17, 25 and 38 of the offsets from 10 to 39. */
    private final DecodedMetadata.Map map = map(10, 12, 15, 18, 25, 26, 38, 39, 40);

    @Test
    @DisplayName("B2 says of each offset whether it is done, and lists the undone ones")
    void says() {
        assertThat(done(map)).containsExactlyElementsOf(range(12, 15, 18, 25, 26, 38, 39, 40));
        assertThat(map.undone()).containsExactly(10, 11, 15, 16, 17, 25, 38);
        assertThat(map.undoneCount()).isEqualTo(7);
        assertThat(map.cursor()).isEqualTo(40);
    }

    @Test
    @DisplayName("B2 says of the offsets below any other what it says of all, and ends behind the last done one")
    void beginnings() {
        for (long end = 0; end < END; end++) {
            long last = end;
            List<Long> done = done(map).stream().filter(offset -> offset < last).toList();
            DecodedMetadata.Map before = map.before(end);
            if (done.isEmpty()) {
                assertThat(before).as("before %s", end).isNull();
                continue;
            }
            assertThat(before).as("before %s", end).isNotNull();
            long cursor = done.getLast() + 1;
            assertThat(done(before)).as("before %s", end).isEqualTo(done);
            assertThat(before.cursor()).as("before %s", end).isEqualTo(cursor);
            assertThat(before.origin()).isEqualTo(map.origin());
            assertThat(before.undone())
                    .as("before %s", end)
                    .containsExactly(LongStream.of(map.undone())
                            .filter(offset -> offset < cursor)
                            .toArray());
        }
    }

    @Test
    @DisplayName("B93 may begin with an empty undone run, where only a spilled key starts")
    void emptyStart() {
        DecodedMetadata.Map keyed = keyed(List.of(new SpilledKey(7, 10), new SpilledKey(3, 16)), 10, 10, 15, 17, 20);
        assertThat(done(keyed)).containsExactlyElementsOf(range(10, 15, 17, 20));
        assertThat(keyed.undone()).containsExactly(15, 16);
        assertThat(keyed.undoneCount()).isEqualTo(2);
        assertThat(keyed.cursor()).isEqualTo(20);
        assertThat(keyed.isDone(Long.MIN_VALUE)).isFalse();
        assertThat(keyed.nextUndone(9)).isEqualTo(9);
        assertThat(keyed.nextUndone(10)).isEqualTo(15);
        assertThat(keyed.nextUndone(14)).isEqualTo(15);
        assertThat(keyed.nextUndone(16)).isEqualTo(16);
        assertThat(keyed.nextUndone(17)).isEqualTo(20);
        assertThat(keyed.nextUndone(25)).isEqualTo(25);
        assertThat(keyed).hasToString("LANEWAY map [10, 20) with 2 undone, 2 keys spilled");
        assertThat(keyed(List.of(new SpilledKey(7, 10)), 10, 10, 15))
                .hasToString("LANEWAY map [10, 15) with 0 undone, 1 key spilled");
    }

    @Test
    @DisplayName("B93 says of the offsets below any other which keys are spilled there")
    void beginningsWithKeys() {
        List<SpilledKey> keys =
                List.of(new SpilledKey(7, 10), new SpilledKey(3, 12), new SpilledKey(9, 16), new SpilledKey(1, 19));
        DecodedMetadata.Map keyed = keyed(keys, 10, 10, 15, 17, 20);
        assertThat(keyed.before(10)).isNull();
        for (long end = 11; end < END; end++) {
            DecodedMetadata.Map before = keyed.before(end);
            assertThat(before).as("before %s", end).isNotNull();
            long cursor = end > 15 && end <= 17 ? 15 : Math.min(end, 20);
            assertThat(before.cursor()).as("before %s", end).isEqualTo(cursor);
            assertThat(before.keys())
                    .as("before %s", end)
                    .isEqualTo(keys.stream().filter(key -> key.from() < cursor).toList());
            assertThat(before.undone()).as("before %s", end).isEqualTo(cursor > 17 ? new long[] {15, 16} : new long[0]);
        }
    }

    @Test
    @DisplayName("B93 gives its keys unmodifiable, and none where it lists none")
    void keys() {
        List<SpilledKey> keys = new ArrayList<>(List.of(new SpilledKey(7, 10)));
        DecodedMetadata.Map keyed = keyed(keys, 10, 10, 15);
        keys.clear();
        assertThat(keyed.keys()).containsExactly(new SpilledKey(7, 10)).isUnmodifiable();
        assertThat(map.keys()).isEmpty();
        assertThat(map.keys()).isUnmodifiable();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("B2 B8 claims no more undone offsets than memory allows, whoever wrote it")
    void bounded(DecodedMetadata.Map.Origin origin) {
        int most = DecodedMetadata.Map.MAX_UNDONE;
        assertThat(DecodedMetadata.Map.of(origin, new long[] {7, 7 + most, 8 + most}))
                .isInstanceOfSatisfying(
                        DecodedMetadata.Map.class,
                        whole -> assertThat(whole.undoneCount()).isEqualTo(most));
        assertThat(DecodedMetadata.Map.of(origin, new long[] {7, 6 + most, 7 + most, 9 + most, 10 + most}))
                .isInstanceOfSatisfying(DecodedMetadata.Foreign.class, foreign -> {
                    assertThat(foreign.kind())
                            .isEqualTo(
                                    switch (origin) {
                                        case LANEWAY -> DecodedMetadata.Foreign.Kind.MISMATCH;
                                        case PARALLEL_CONSUMER ->
                                            DecodedMetadata.Foreign.Kind.PARALLEL_CONSUMER_UNREADABLE;
                                    });
                    assertThat(foreign.reason()).contains("it lists " + (most + 1) + " undone offsets");
                });
    }

    private static DecodedMetadata.Map keyed(List<SpilledKey> keys, long... edges) {
        return (DecodedMetadata.Map)
                DecodedMetadata.Map.of(DecodedMetadata.Map.Origin.LANEWAY, edges, SpilledKeys.of(keys));
    }

    private static DecodedMetadata.Map map(long... edges) {
        return (DecodedMetadata.Map) DecodedMetadata.Map.of(DecodedMetadata.Map.Origin.LANEWAY, edges);
    }

    private static List<Long> done(DecodedMetadata.Map map) {
        return LongStream.range(0, END).filter(map::isDone).boxed().toList();
    }

    /** The offsets from each first one to below the second one. */
    private static List<Long> range(long... bounds) {
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < bounds.length; i += 2) {
            LongStream.range(bounds[i], bounds[i + 1]).forEach(all::add);
        }
        return all;
    }
}
