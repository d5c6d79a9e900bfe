package dev.laneway.engine.track;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.NullKeys;
import dev.laneway.Options;
import dev.laneway.Ordering;
import dev.laneway.Outcome;
import dev.laneway.engine.Shop;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** The table against a model: a map of keys. */
class LaneTablePropertyTest {
    private final Track track =
            Shop.async(Options.DEFAULTS, (record, context) -> CompletableFuture.completedFuture(Outcome.done())).track;

    @Property(tries = 300)
    @Label("B18 a key's lane is found as long as it is there, whatever the hashes of others")
    void behavesAsAMap(
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 2_000) int steps,
            @ForAll @IntRange(min = 1, max = 99) int adds,
            @ForAll boolean collide) {
        Random random = new Random(seed);
        LaneTable table = new LaneTable(Ordering.KEY, NullKeys.ORDERED);
        Map<String, Lane> model = new HashMap<>();
        List<Lane> all = new ArrayList<>();
        for (int i = 0; i < steps; i++) {
            byte[] key = key(random, collide);
            Lane known = model.get(name(key));
            assertThat(table.find(record(0, key))).isSameAs(known);
            if (random.nextInt(100) < adds) {
                boolean keyed = known == null && random.nextInt(10) > 0;
                Lane lane = new Lane(track, record(i, key), keyed ? LaneTable.hash(key) : 0, keyed);
                table.add(lane);
                all.add(lane);
                if (keyed) {
                    model.put(name(key), lane);
                }
            } else if (!all.isEmpty()) {
                Lane gone = all.remove(random.nextInt(all.size()));
                table.remove(gone);
                if (gone.keyed) {
                    model.remove(name(gone.record.key()));
                }
                assertThatThrownBy(() -> table.remove(gone)).isInstanceOf(IllegalStateException.class);
            }
            assertThat(table.size()).isEqualTo(all.size());
        }
        assertThat(table).containsExactlyInAnyOrderElementsOf(all);
        model.values().forEach(lane -> assertThat(table.find(lane.record)).isSameAs(lane));
        List.copyOf(all).forEach(table::remove);
        assertThat(table).isEmpty();
    }

    private static ConsumerRecord<byte[], byte[]> record(long offset, byte @Nullable [] key) {
        return new ConsumerRecord<>("t", 0, offset, key, null);
    }

    /** Of two bytes each: 31 a + b has few values where they are to collide. */
    private static byte @Nullable [] key(Random random, boolean collide) {
        if (random.nextInt(50) == 0) {
            return null;
        }
        int step = collide ? 31 : 1;
        return new byte[] {(byte) random.nextInt(40), (byte) (random.nextInt(4) * step)};
    }

    private static String name(byte @Nullable [] key) {
        return key == null ? "none" : key[0] + "," + key[1];
    }
}
