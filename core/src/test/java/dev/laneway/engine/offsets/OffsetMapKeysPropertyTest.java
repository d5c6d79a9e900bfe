package dev.laneway.engine.offsets;

import static dev.laneway.engine.MapText.gamma;
import static dev.laneway.engine.MapText.raw;
import static dev.laneway.engine.Records.ORDERS_0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.engine.MapText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.jspecify.annotations.Nullable;

/** Maps with spilled keys against a plain model: the set of undone offsets, and where each key starts. */
class OffsetMapKeysPropertyTest {
    /** Of no key that is spilled. */
    private static final long OTHER = 0x7777;

    /** What is undone below a cursor. */
    record Model(TreeSet<Long> undone, Map<Long, Long> froms, List<SpilledKey> keys, long cursor) {
        long base() {
            long base = undone.isEmpty() ? cursor : undone.getFirst();
            for (long from : froms.values()) {
                base = Math.min(base, from);
            }
            return base;
        }

        /** Where the map ends if there is room for everything. */
        long end() {
            long end = cursor;
            while (end > base() && undone.contains(end - 1)) {
                end--;
            }
            return end;
        }

        boolean isUndone(long offset, long hash) {
            return offset >= cursor || undone.contains(offset) || froms.getOrDefault(hash, Long.MAX_VALUE) <= offset;
        }

        /** Some are lane keys. */
        @Nullable
        LaneKeyId laneKey() {
            int drawn = (int) (cursor + undone.size());
            return drawn % 2 == 0 ? null : new LaneKeyId(drawn * 0x9E3779B9);
        }

        SpilledKeys spilled() {
            return new SpilledKeys(laneKey(), keys);
        }

        OffsetWindow window() {
            OffsetWindow window = new OffsetWindow();
            undone.forEach(window::add);
            return window;
        }

        /** Those below an offset in the order of the format. */
        List<SpilledKey> listed(long end) {
            return froms.entrySet().stream()
                    .map(each -> new SpilledKey(each.getKey(), each.getValue()))
                    .filter(key -> key.from() < end)
                    .sorted(Comparator.comparingLong(SpilledKey::from)
                            .thenComparing(SpilledKey::hash, Long::compareUnsigned))
                    .toList();
        }

        /** The map that ends there, written down bit by bit; null if it cannot end there. */
        String text(long end) {
            if (end <= base() || undone.contains(end - 1)) {
                return null;
            }
            List<SpilledKey> listed = listed(end);
            LaneKeyId laneKey = listed.isEmpty() ? null : laneKey();
            StringBuilder keys = new StringBuilder();
            if (laneKey != null) {
                keys.append(raw(laneKey.hash()).substring(Integer.SIZE));
            }
            keys.append(listed.isEmpty() ? "" : gamma(listed.size()));
            long before = base();
            for (SpilledKey key : listed) {
                keys.append(gamma(key.from() - before + 1)).append(raw(key.hash()));
                before = key.from();
            }
            StringBuilder bitmap = new StringBuilder();
            StringBuilder runs = new StringBuilder();
            long length = listed.isEmpty() ? 0 : 1;
            boolean isDone = false;
            for (long offset = base(); offset < end; offset++) {
                if (undone.contains(offset) == isDone) {
                    runs.append(gamma(length));
                    length = 0;
                    isDone = !isDone;
                }
                length++;
                bitmap.append(isDone ? '1' : '0');
            }
            runs.append(gamma(length));
            boolean isShorter = bitmap.length() <= runs.length();
            int kind = (isShorter ? 4 : 3) + (listed.isEmpty() ? 0 : 2) + (laneKey == null ? 0 : 2);
            return MapText.ofBits(
                    ORDERS_0,
                    base(),
                    kind,
                    keys.append(isShorter ? bitmap : runs).toString());
        }
    }

    @Property(tries = 1_000)
    @Label("B93 a map says of every offset and key what the model says, and is written as the format says")
    void identity(@ForAll("models") Model model) {
        Progress progress =
                OffsetMap.encode(ORDERS_0, model.window(), model.spilled(), model.cursor, Integer.MAX_VALUE);
        assertThat(progress.offset()).isEqualTo(model.base());
        String text = model.text(model.end());
        assertThat(progress.metadata()).isEqualTo(text == null ? "" : text);
        says(model, progress, model.end());
    }

    @Property(tries = 500)
    @Label("B93 under every small limit a map fits, says only what is true, and reaches as far as it can")
    void cut(@ForAll("models") Model model) {
        TreeMap<Long, String> texts = new TreeMap<>();
        for (long end = model.base() + 1; end <= model.end(); end++) {
            String text = model.text(end);
            if (text != null) {
                texts.put(end, text);
            }
        }
        boolean hasKeys = !model.listed(model.end()).isEmpty();
        int longest = texts.isEmpty() ? 0 : texts.lastEntry().getValue().length();
        for (int limit = -1; limit <= Math.min(80, longest + 1); limit++) {
            Progress progress = OffsetMap.encode(ORDERS_0, model.window(), model.spilled(), model.cursor, limit);
            assertThat(progress.metadata().length()).isLessThanOrEqualTo(Math.max(0, limit));
            assertThat(progress.offset()).isEqualTo(model.base());
            if (hasKeys) {
                int room = limit;
                String best = texts.descendingMap().values().stream()
                        .filter(text -> text.length() <= room)
                        .findFirst()
                        .orElse("");
                assertThat(progress.metadata()).as("limit %s", limit).isEqualTo(best);
            } else {
                assertThat(progress.metadata())
                        .isEqualTo(OffsetMap.encode(ORDERS_0, model.base(), model.window(), model.cursor, limit));
            }
            says(model, progress, model.end());
        }
    }

    @Property(tries = 1_000)
    @Label("B93 what was read is written again as it stood")
    void idempotence(@ForAll("models") Model model, @ForAll @IntRange(min = 5, max = 60) int limit) {
        Progress progress = OffsetMap.encode(ORDERS_0, model.window(), model.spilled(), model.cursor, limit);
        if (OffsetMap.decode(ORDERS_0, progress.offset(), progress.metadata()) instanceof DecodedMetadata.Map map
                && map.cursor() == model.cursor) { // What was cut to the limit may have a shorter form.
            OffsetWindow window = new OffsetWindow();
            for (long offset : map.undone()) {
                window.add(offset);
            }
            assertThat(OffsetMap.encode(
                            ORDERS_0, window, new SpilledKeys(map.laneKey(), map.keys()), map.cursor(), limit))
                    .isEqualTo(progress);
        }
    }

    @Property(tries = 1_000)
    @Label("B93 what a map says of the offsets below any other is what the model says of them")
    void beginnings(@ForAll("models") Model model, @ForAll @LongRange(min = -3, max = 400) long behind) {
        Progress progress =
                OffsetMap.encode(ORDERS_0, model.window(), model.spilled(), model.cursor, Integer.MAX_VALUE);
        if (OffsetMap.decode(ORDERS_0, model.base(), progress.metadata()) instanceof DecodedMetadata.Map map) {
            long end = model.base() + behind;
            DecodedMetadata.Map before = map.before(end);
            boolean isAnyDone = LongStream.range(model.base(), Math.min(end, model.end()))
                    .anyMatch(offset -> !model.undone.contains(offset));
            assertThat(before != null).isEqualTo(isAnyDone);
            for (long offset = model.base() - 2; before != null && offset < model.cursor + 2; offset++) {
                for (long hash : hashes(model)) {
                    boolean isUndone = offset >= end || offset < model.base() || model.isUndone(offset, hash);
                    assertThat(isUndone(before, offset, hash)).isEqualTo(isUndone);
                }
            }
        }
    }

    @Property(tries = 500)
    @Label("B93 no order in which records finish and keys rise or go makes a map longer than was foreseen")
    void worstCaseHolds(@ForAll long seed, @ForAll("models") Model model, @ForAll @IntRange(max = 60) int more) {
        Random random = new Random(seed);
        OffsetWindow window = model.window();
        long cursor = model.cursor;
        List<SpilledKey> keys = new ArrayList<>(model.keys);
        int bound = OffsetMap.worstCaseChars(window, model.spilled(), cursor, more);
        int left = more;
        int rising = 1 + random.nextInt(200);
        while (left > 0 || !window.isEmpty() || !keys.isEmpty()) {
            assertThat(OffsetMap.encode(ORDERS_0, window, model.spilled().with(keys), cursor, Integer.MAX_VALUE)
                            .metadata())
                    .hasSizeLessThanOrEqualTo(bound);
            int step = random.nextInt(4);
            if (step < 2 && left > 0) {
                if (random.nextInt(3) > 0) {
                    window.add(cursor); // Else it is dropped, as of a spilled key, or done at once.
                }
                cursor++;
                left--;
            } else if (step == 2 && !keys.isEmpty()) {
                int at = random.nextInt(keys.size());
                SpilledKey key = keys.remove(at);
                if (random.nextInt(rising) > 0) {
                    long to = random.nextLong(key.from(), Math.max(key.from(), cursor) + 1);
                    keys.add(at, new SpilledKey(key.hash(), random.nextBoolean() ? key.from() : to));
                }
            } else if (!window.isEmpty()) {
                long[] undone = window.toArray();
                // The lowest stays for long, else the map shrinks before it grows.
                int at = undone.length == 1 ? 0 : random.nextInt(random.nextInt(20) == 0 ? 0 : 1, undone.length);
                window.remove(undone[at]);
            }
        }
    }

    @Property(tries = 300)
    @Label("B93 the most bits of some keys are what the dearest places for them take")
    void worstKeyBits(@ForAll @IntRange(min = 1, max = 4) int count, @ForAll @LongRange(min = 1, max = 18) long span) {
        long dearest = 0;
        for (int keys = 1; keys <= count; keys++) {
            dearest = Math.max(dearest, gamma(keys).length() + dearest(keys, span - 1));
        }
        assertThat(KeyedMapCodec.worstKeyBits(count, span)).isEqualTo(dearest);
    }

    /** By trial of all distances that add up to no more. */
    private static long dearest(int keys, long distance) {
        if (keys == 0) {
            return 0;
        }
        long dearest = 0;
        for (long first = 0; first <= distance; first++) {
            dearest = Math.max(dearest, gamma(first + 1).length() + Long.SIZE + dearest(keys - 1, distance - first));
        }
        return dearest;
    }

    @Property(tries = 5_000)
    @Label("B93 any payload with a right checksum is read or refused, never thrown at")
    void arbitraryPayload(
            @ForAll @LongRange(min = 0) long base,
            @ForAll @IntRange(min = 5, max = 8) int kind,
            @ForAll("payloads") String bits) {
        isInOrder(base, MapText.ofBits(ORDERS_0, base, kind, bits));
    }

    @Property(tries = 5_000)
    @Label("B93 any change of a true payload with a right checksum is read or refused, never thrown at")
    void changedPayload(@ForAll("models") Model model, @ForAll long seed) {
        Progress progress =
                OffsetMap.encode(ORDERS_0, model.window(), model.spilled(), model.cursor, Integer.MAX_VALUE);
        String map = progress.metadata();
        if (map.isEmpty()) {
            return;
        }
        Random random = new Random(seed);
        StringBuilder payload = new StringBuilder(map.substring(4));
        for (int slips = 1 + random.nextInt(3); slips > 0; slips--) {
            int at = random.nextInt(payload.length());
            switch (random.nextInt(3)) {
                case 0 ->
                    payload.setCharAt(at, (char) (((payload.charAt(at) - 0x800) ^ 1 << random.nextInt(15)) + 0x800));
                case 1 -> payload.insert(at, BitText.packed(random.nextInt()));
                default -> payload.setLength(Math.max(1, at));
            }
        }
        isInOrder(progress.offset(), MapText.sealed(ORDERS_0, progress.offset(), 5 + random.nextInt(4), "" + payload));
        int at = random.nextInt(map.length());
        String damaged =
                map.substring(0, at) + (char) (map.charAt(at) ^ 1 << random.nextInt(15)) + map.substring(at + 1);
        assertThat(OffsetMap.decode(ORDERS_0, progress.offset(), damaged)).isInstanceOf(DecodedMetadata.Foreign.class);
    }

    /** What is taken for a map is one that could have been written. */
    private static void isInOrder(long base, String text) {
        if (OffsetMap.decode(ORDERS_0, base, text) instanceof DecodedMetadata.Map map) {
            List<SpilledKey> keys = map.keys();
            assertThat(keys).isNotEmpty().isSortedAccordingTo(Comparator.comparingLong(SpilledKey::from));
            assertThat(keys).extracting(SpilledKey::hash).doesNotHaveDuplicates();
            assertThat(keys).allMatch(key -> key.from() >= base && key.from() < map.cursor());
            assertThat(map.isDone(map.cursor() - 1)).isTrue();
            OffsetWindow window = new OffsetWindow();
            for (long offset : map.undone()) {
                window.add(offset);
            }
            Progress again = OffsetMap.encode(
                    ORDERS_0, window, new SpilledKeys(map.laneKey(), keys), map.cursor(), Integer.MAX_VALUE);
            assertThat(again.offset()).isEqualTo(base);
            assertThat(OffsetMap.decode(ORDERS_0, base, again.metadata()))
                    .isInstanceOfSatisfying(DecodedMetadata.Map.class, same -> {
                        assertThat(same.keys()).isEqualTo(keys);
                        assertThat(same.laneKey()).isEqualTo(map.laneKey());
                        assertThat(same.undone()).isEqualTo(map.undone());
                        assertThat(same.cursor()).isEqualTo(map.cursor());
                    });
        } else {
            assertThat(OffsetMap.decode(ORDERS_0, base, text)).isInstanceOf(DecodedMetadata.Foreign.class);
        }
    }

    /** Below its own end a map says what the model says, and nothing is done from there on. */
    private static void says(Model model, Progress progress, long end) {
        switch (OffsetMap.decode(ORDERS_0, progress.offset(), progress.metadata())) {
            case DecodedMetadata.None _ -> assertThat(progress.metadata()).isEmpty();
            case DecodedMetadata.Map map -> {
                assertThat(map.cursor()).isLessThanOrEqualTo(end);
                assertThat(map.keys()).isEqualTo(model.listed(map.cursor()));
                assertThat(map.laneKey()).isEqualTo(map.keys().isEmpty() ? null : model.laneKey());
                for (long offset = model.base(); offset < model.cursor + 2; offset++) {
                    for (long hash : hashes(model)) {
                        assertThat(isUndone(map, offset, hash))
                                .isEqualTo(offset >= map.cursor() || model.isUndone(offset, hash));
                    }
                }
            }
            case DecodedMetadata.Foreign foreign -> throw new AssertionError(foreign.reason());
        }
    }

    private static Set<Long> hashes(Model model) {
        Set<Long> hashes = new TreeSet<>(model.froms.keySet());
        hashes.add(OTHER);
        return hashes;
    }

    private static boolean isUndone(DecodedMetadata.Map map, long offset, long hash) {
        boolean isSpilled = map.keys().stream().anyMatch(key -> key.hash() == hash && key.from() <= offset);
        return isSpilled || !map.isDone(offset);
    }

    /** Undone and done runs in turn, and keys that start anywhere, up to a little beyond the cursor. */
    @Provide
    Arbitrary<Model> models() {
        Arbitrary<Integer> run = Arbitraries.frequencyOf(
                Tuple.of(6, Arbitraries.integers().between(1, 4)),
                Tuple.of(2, Arbitraries.integers().between(1, 40)),
                Tuple.of(1, Arbitraries.integers().between(1, 200)));
        Arbitrary<Long> hash = Arbitraries.frequencyOf(
                Tuple.of(1, Arbitraries.longs().between(-2, 2)), Tuple.of(2, Arbitraries.longs()));
        Arbitrary<SpilledKey> key = Combinators.combine(
                        hash.filter(each -> each != OTHER), Arbitraries.longs().between(0, 1_000))
                .as(SpilledKey::new);
        Arbitrary<Long> base = Arbitraries.frequencyOf(
                Tuple.of(1, Arbitraries.of(0L, Long.MAX_VALUE - 10_000)),
                Tuple.of(4, Arbitraries.longs().between(0, 1L << 40)));
        return Combinators.combine(base, run.list().ofMaxSize(12), key.list().ofMaxSize(6), Arbitraries.of(true, false))
                .as(OffsetMapKeysPropertyTest::model);
    }

    private static Model model(long base, List<Integer> runs, List<SpilledKey> places, boolean startsUndone) {
        TreeSet<Long> undone = new TreeSet<>();
        long at = base;
        boolean isUndone = startsUndone;
        for (int run : runs) {
            for (int i = 0; i < run && isUndone; i++) {
                undone.add(at + i);
            }
            at += run;
            isUndone = !isUndone;
        }
        long cursor = at;
        Map<Long, Long> froms = new HashMap<>();
        List<SpilledKey> keys = new ArrayList<>();
        for (SpilledKey place : places) {
            long from = base + place.from() % (cursor - base + 2);
            keys.add(new SpilledKey(place.hash(), from));
            if (from < cursor) {
                froms.merge(place.hash(), from, Math::min);
            }
        }
        return new Model(undone, froms, keys, cursor);
    }

    /** Bits that often begin as keys do. */
    @Provide
    Arbitrary<String> payloads() {
        Arbitrary<String> code = Arbitraries.integers().between(1, 9).map(MapText::gamma);
        Arbitrary<String> bits =
                Arbitraries.strings().withChars('0', '1').ofMinLength(1).ofMaxLength(80);
        Arbitrary<String> part = Arbitraries.frequencyOf(
                Tuple.of(4, code), Tuple.of(2, Arbitraries.longs().map(MapText::raw)), Tuple.of(1, bits));
        Arbitrary<String> keyed = Combinators.combine(
                        code, Arbitraries.longs(), part.list().ofMaxSize(8))
                .as((from, hash, rest) -> "1" + from + raw(hash) + String.join("", rest));
        return Arbitraries.oneOf(keyed, part.list().ofMinSize(1).ofMaxSize(10).map(all -> String.join("", all)));
    }
}
