package dev.laneway.engine.offsets;

import static dev.laneway.engine.Records.ORDERS_0;
import static dev.laneway.engine.offsets.OffsetMapTest.mapOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.engine.MapText;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
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
import org.apache.kafka.common.TopicPartition;

class OffsetMapPropertyTest {

    /** An undone run and the done run after it. */
    record Pair(int undone, long done) {}

    @Property(tries = 500)
    @Label("B2 encode and decode are the identity for every set and base up to the Long range")
    void identity(
            @ForAll @LongRange(min = 0) long anyBase, @ForAll("pairs") List<Pair> pairs, @ForAll boolean openEnd) {
        long base = Math.min(anyBase, Long.MAX_VALUE - span(pairs) - 1);
        OffsetWindow window = new OffsetWindow();
        long end = fill(window, base, pairs);
        long cursor = end;
        if (openEnd) {
            window.add(cursor++);
        }
        String metadata = OffsetMap.encode(ORDERS_0, base, window, cursor, Integer.MAX_VALUE);
        assertThat(metadata).hasSize(OffsetMap.encodedChars(window, cursor));
        if (pairs.isEmpty()) {
            assertThat(metadata).isEmpty();
            return;
        }
        assertThat(metadata.chars()).allMatch(c -> c >= 0x0800 && c <= 0x87FF);
        DecodedMetadata.Map map = mapOf(base, metadata);
        assertThat(map.cursor()).isEqualTo(end);
        assertThat(window.toArray()).startsWith(map.undone());
        assertThat(window.size() - map.undoneCount()).isEqualTo(openEnd ? 1 : 0);
        for (long offset : map.undone()) {
            assertThat(map.isDone(offset)).isFalse();
            boolean nextDone = !window.contains(offset + 1);
            assertThat(map.isDone(offset + 1)).isEqualTo(nextDone);
            assertThat(map.isDone(offset - 1)).isEqualTo(offset > base && !window.contains(offset - 1));
        }
        assertThat(map.isDone(end - 1)).isTrue();
        assertThat(map.isDone(end)).isFalse();
    }

    @Property(tries = 300)
    @Label("B2 B7 under any limit a map fits, and says done of nothing that is not")
    void cutMapsAreTrue(@ForAll("pairs") List<Pair> pairs, @ForAll @IntRange(max = 40) int limit) {
        OffsetWindow window = new OffsetWindow();
        long end = fill(window, 1_000, pairs);
        String metadata = OffsetMap.encode(ORDERS_0, window.committable(end), window, end, limit);
        assertThat(metadata.length()).isLessThanOrEqualTo(limit);
        if (OffsetMap.encodedChars(window, end) <= limit) {
            assertThat(metadata).hasSize(OffsetMap.encodedChars(window, end));
        }
        if (OffsetMap.decode(ORDERS_0, 1_000, metadata) instanceof DecodedMetadata.Map map) {
            assertThat(map.cursor()).isLessThanOrEqualTo(end);
            assertThat(window.toArray()).startsWith(map.undone());
            assertThat(window.contains(map.cursor() - 1)).isFalse();
            long undoneBelow = Arrays.stream(window.toArray())
                    .filter(offset -> offset < map.cursor())
                    .count();
            assertThat(map.undoneCount()).isEqualTo((int) undoneBelow);
        }
    }

    @Property(tries = 300)
    @Label("B6 no order of completion makes a map longer than was foreseen when its records were taken")
    void worstCaseHolds(
            @ForAll long seed,
            @ForAll("pairs") List<Pair> pairs,
            @ForAll @IntRange(max = 100) int open,
            @ForAll @IntRange(max = 100) int more) {
        Random random = new Random(seed);
        OffsetWindow window = new OffsetWindow();
        long cursor = fill(window, 0, pairs);
        for (int i = 0; i < open; i++) {
            window.add(cursor++);
        }
        int bound = OffsetMap.worstCaseChars(window, cursor, more);
        for (int i = 0; i < more; i++) {
            window.add(cursor++);
        }
        while (!window.isEmpty()) {
            assertThat(OffsetMap.encodedChars(window, cursor)).isLessThanOrEqualTo(bound);
            long[] undone = window.toArray();
            // The lowest stays for long, else the map shrinks before it grows.
            int at = undone.length == 1 ? 0 : random.nextInt(random.nextInt(20) == 0 ? 0 : 1, undone.length);
            window.remove(undone[at]);
        }
    }

    @Property(tries = 2_000)
    @Label("B2 arbitrary text never throws and is never taken for a map")
    void arbitraryText(@ForAll long base, @ForAll("anyText") String text) {
        DecodedMetadata decoded = OffsetMap.decode(ORDERS_0, base, text);
        if (text.isEmpty()) {
            assertThat(decoded).isEqualTo(new DecodedMetadata.None());
        } else {
            assertThat(decoded).isInstanceOf(DecodedMetadata.Foreign.class);
        }
    }

    @Property(tries = 1_000)
    @Label("B2 a damaged map is never taken for a map")
    void damagedMap(@ForAll("pairs") List<Pair> pairs, @ForAll int where, @ForAll char what, @ForAll boolean cut) {
        OffsetWindow window = new OffsetWindow();
        long end = fill(window, 77, pairs);
        String metadata = OffsetMap.encode(ORDERS_0, window.committable(end), window, end);
        if (metadata.isEmpty()) {
            return;
        }
        int at = Math.floorMod(where, metadata.length());
        String damaged = metadata.substring(0, at) + (cut ? "" : what + metadata.substring(at + 1));
        if (!damaged.equals(metadata)) {
            assertThat(OffsetMap.decode(ORDERS_0, 77, damaged)).isNotInstanceOf(DecodedMetadata.Map.class);
        }
        assertThat(OffsetMap.decode(ORDERS_0, 77, metadata + what)).isNotInstanceOf(DecodedMetadata.Map.class);
    }

    @Property(tries = 500)
    @Label("B113 a map is a map beside its own partition's offset only")
    void otherPartition(@ForAll("pairs") List<Pair> pairs, @ForAll("topics") String topic, @ForAll int partition) {
        OffsetWindow window = new OffsetWindow();
        long end = fill(window, 77, pairs);
        TopicPartition id = new TopicPartition(topic, partition);
        String metadata = OffsetMap.encode(id, 77, window, end, Integer.MAX_VALUE);
        if (metadata.isEmpty()) {
            return;
        }
        assertThat(OffsetMap.decode(id, 77, metadata)).isInstanceOf(DecodedMetadata.Map.class);
        assertThat(OffsetMap.decode(new TopicPartition(topic, partition + 1), 77, metadata))
                .isInstanceOf(DecodedMetadata.Foreign.class);
        assertThat(OffsetMap.decode(new TopicPartition(topic + "a", partition), 77, metadata))
                .isInstanceOf(DecodedMetadata.Foreign.class);
        assertThat(OffsetMap.decode(ORDERS_0, 77, metadata)).isInstanceOf(DecodedMetadata.Foreign.class);
    }

    @Provide
    Arbitrary<String> topics() {
        return Arbitraries.strings()
                .withCharRange('a', 'z')
                .withChars('.', '_', '-', '0', '9')
                .ofMinLength(1)
                .ofMaxLength(249)
                .filter(topic -> !topic.equals(ORDERS_0.topic()));
    }

    @Property(tries = 2_000)
    @Label("B2 any payload with a right checksum is read or refused, never thrown at")
    void arbitraryPayload(
            @ForAll @LongRange(min = 0) long base,
            @ForAll @IntRange(min = 1, max = 4) int kind,
            @ForAll("packed") String payload) {
        DecodedMetadata decoded = OffsetMap.decode(ORDERS_0, base, MapText.sealed(ORDERS_0, base, kind, payload));
        if (decoded instanceof DecodedMetadata.Map map) {
            assertThat(map.cursor()).isGreaterThan(base + 1);
            assertThat(map.isDone(map.cursor() - 1)).isTrue();
            assertThat(map.undoneCount()).isPositive();
        }
    }

    @Property(tries = 2_000)
    @Label("B2 B8 Base64 of arbitrary bytes never throws, whatever its first byte promises")
    void arbitraryForeign(@ForAll("foreignKind") byte first, @ForAll byte[] rest) {
        byte[] bytes = new byte[rest.length + 1];
        bytes[0] = first;
        System.arraycopy(rest, 0, bytes, 1, rest.length);
        DecodedMetadata decoded =
                OffsetMap.decode(ORDERS_0, 5, Base64.getEncoder().encodeToString(bytes));
        if (decoded instanceof DecodedMetadata.Map map) {
            assertThat(map.isDone(5)).isFalse();
            assertThat(map.isDone(map.cursor() - 1)).isTrue();
        }
    }

    @Property(tries = 1_000)
    @Label("B2 every number comes back from its gamma code, which takes at most 1.5 bits per unit")
    void gamma(@ForAll @LongRange(min = 1) long number, @ForAll @IntRange(max = 14) int offset) {
        char[] text = new char[10];
        BitText.Writer writer = new BitText.Writer(text, 0);
        writer.repeat(1, offset);
        writer.gamma(number);
        writer.finish();
        int length = (int) BitText.chars(offset + BitText.gammaLength(number));
        BitText.Reader reader = new BitText.Reader(new String(text, 0, length), 0);
        for (int i = 0; i < offset; i++) {
            assertThat(reader.next()).isEqualTo(1);
        }
        assertThat(reader.gamma()).isEqualTo(number);
        assertThat(reader.gamma()).isZero();
        assertThat((double) BitText.gammaLength(number)).isLessThanOrEqualTo(1.5 * number);
    }

    @Provide
    Arbitrary<List<Pair>> pairs() {
        Arbitrary<Long> done = Arbitraries.frequencyOf(
                Tuple.of(5, Arbitraries.longs().between(1, 4)),
                Tuple.of(2, Arbitraries.longs().between(1, 5_000)),
                Tuple.of(1, Arbitraries.longs().between(1, 1L << 55)));
        return Combinators.combine(Arbitraries.integers().between(1, 6), done)
                .as(Pair::new)
                .list()
                .ofMaxSize(60);
    }

    @Provide
    Arbitrary<String> anyText() {
        return Arbitraries.oneOf(
                Arbitraries.strings().ofMaxLength(200),
                Arbitraries.strings().withCharRange('\uD800', '\uDFFF').ofMaxLength(20),
                packed().map(text -> "\u4C57" + text),
                packed().map(text -> "\u4C57\u0801" + text),
                packed());
    }

    @Provide
    Arbitrary<String> packed() {
        return Arbitraries.strings().withCharRange('\u0800', '\u87FF').ofMaxLength(40);
    }

    @Provide
    Arbitrary<Byte> foreignKind() {
        return Arbitraries.of(
                (byte) 1,
                (byte) 2,
                (byte) 'l',
                (byte) 'o',
                (byte) 'n',
                (byte) 'e',
                (byte) 'a',
                (byte) 's',
                (byte) 'J',
                (byte) 'p',
                (byte) 'L',
                (byte) 0xEE,
                (byte) 'x');
    }

    private static long span(List<Pair> pairs) {
        return pairs.stream().mapToLong(pair -> pair.undone() + pair.done()).sum();
    }

    /** Adds the undone runs; returns where the last done run ends. */
    private static long fill(OffsetWindow window, long base, List<Pair> pairs) {
        long at = base;
        for (Pair pair : pairs) {
            for (int i = 0; i < pair.undone(); i++) {
                window.add(at++);
            }
            at += pair.done();
        }
        return at;
    }
}
