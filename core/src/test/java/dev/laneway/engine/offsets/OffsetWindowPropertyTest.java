package dev.laneway.engine.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** The window against a model: a tree set of the undone offsets. */
class OffsetWindowPropertyTest {

    @Property(tries = 300)
    @Label("B1 for any order of completion the committed offset never exceeds the lowest undone one")
    void behavesAsATreeSet(
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 2_000) int steps,
            @ForAll @IntRange(max = 100) int adds) {
        Random random = new Random(seed);
        OffsetWindow window = new OffsetWindow();
        TreeSet<Long> model = new TreeSet<>();
        long cursor = random.nextInt(3);
        for (int i = 0; i < steps; i++) {
            if (random.nextInt(100) < adds) {
                long offset = cursor + (random.nextInt(8) == 0 ? random.nextInt(1_000) : 0);
                window.add(offset);
                model.add(offset);
                cursor = offset + 1;
            } else if (random.nextInt(50) == 0) {
                long from = cursor - random.nextInt(100);
                long to = from + random.nextInt(30);
                int expected = model.subSet(from, to).size();
                model.subSet(from, to).clear();
                assertThat(window.removeRange(from, to)).isEqualTo(expected);
            } else {
                long offset = pick(random, model, cursor);
                assertThat(window.contains(offset)).isEqualTo(model.contains(offset));
                assertThat(window.remove(offset)).isEqualTo(model.remove(offset));
            }
            agree(window, model, cursor);
        }
        assertThat(window.toArray())
                .containsExactly(model.stream().mapToLong(Long::longValue).toArray());
    }

    private static long pick(Random random, NavigableSet<Long> model, long cursor) {
        if (model.isEmpty() || random.nextInt(10) == 0) {
            return cursor - random.nextInt(50);
        }
        Long near = model.ceiling(model.first() + random.nextLong(model.last() - model.first() + 1));
        return near == null ? model.first() : near;
    }

    private static void agree(OffsetWindow window, NavigableSet<Long> model, long cursor) {
        assertThat(window.size()).isEqualTo(model.size());
        assertThat(window.isEmpty()).isEqualTo(model.isEmpty());
        assertThat(window.committable(cursor)).isEqualTo(model.isEmpty() ? cursor : model.first());
        assertThat(window.slots()).isLessThanOrEqualTo(2 * window.size() + OffsetWindow.MIN_CAPACITY);
        assertThat(window.capacity()).isLessThanOrEqualTo(Math.max(OffsetWindow.MAX_IDLE_CAPACITY, 16 * window.size()));
    }

    @Property(tries = 300)
    @Label("B1 the edges list exactly the undone offsets below the last done one")
    void edgesAgreeWithTheSet(@ForAll long seed, @ForAll @IntRange(max = 300) int span) {
        Random random = new Random(seed);
        int density = 1 + random.nextInt(10);
        OffsetWindow window = new OffsetWindow();
        TreeSet<Long> undone = new TreeSet<>();
        for (long offset = 0; offset < span; offset++) {
            if (random.nextInt(10) < density) {
                window.add(offset);
                undone.add(offset);
            }
        }
        long[] edges = window.edges(span);
        assertThat(edges.length % 2).isEqualTo(1);
        assertThat(edges).isSorted().doesNotHaveDuplicates();
        for (long offset = window.committable(span); offset < span; offset++) {
            int passed = 0;
            while (passed < edges.length && edges[passed] <= offset) {
                passed++;
            }
            boolean done = passed % 2 == 0;
            assertThat(done).as("offset %d of %s", offset, undone).isEqualTo(!undone.contains(offset));
        }
    }
}
