package dev.laneway.engine;

import static dev.laneway.engine.Records.ORDERS_0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.BrokerException;
import dev.laneway.MetadataPolicy;
import dev.laneway.Options;
import dev.laneway.engine.commit.CommitterFixture;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.engine.offsets.OffsetMap;
import dev.laneway.engine.offsets.OffsetWindow;
import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.runtime.HandHost;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.start.StartOffsets;
import dev.laneway.engine.track.Assignment;
import dev.laneway.engine.track.CursorRun;
import dev.laneway.engine.track.Partition;
import dev.laneway.engine.track.Track;
import dev.laneway.engine.track.TrackDiagnostics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * What a start makes of the metadata beside a committed offset, whatever it is: nobody's text, maps of others, and true
 * maps that were damaged, mixed, or moved to another offset or partition. The log has 200 records from the committed
 * offset on.
 */
class CommitMetadataFuzzTest {
    private static final int RECORDS = 200;
    private static final TopicPartition ORDERS_1 = new TopicPartition(ORDERS_0.topic(), 1);

    /** Maps of Parallel Consumer for base 100, one per form (its own writing, see ForeignMetadataTest). */
    private static final List<String> OF_OTHERS = List.of(
            "bAAK3AMA",
            "YSi1L/0AWCkAAAAK3AMA",
            "bgACAAMAAQAE",
            "Sii1L/0AWEEAAAACAAMAAQAE",
            "bwAAAArcAwA=",
            "cyi1L/0AWDkAAAAAAArcAwA=",
            "ZQAAAAIAAAADAAAAAQAAAAQ=",
            "cCi1L/0AWIEAAAAAAAIAAAADAAAAAQAAAAQ=",
            "AQAAAAAAAAAB",
            "AgAAAAAAAAAB");

    private final HandHost host = new HandHost();

    @Property(tries = 5_000)
    @Label("B2 B8 whatever stands beside the offset, a start skips only what a true map of this offset and partition"
            + " names")
    void damaged(@ForAll("seeds") long seed) {
        Random random = new Random(seed);
        long base = random.nextInt(4) == 0 ? 0 : random.nextLong(1L << 40);
        Set<Long> done = new HashSet<>();
        TopicPartition of = random.nextInt(8) == 0 ? ORDERS_1 : ORDERS_0;
        String map = map(random, of, base, done);
        String metadata = map;
        for (int slips = random.nextInt(4); slips > 0; slips--) {
            metadata = slip(random, metadata, base);
        }
        long committed = random.nextInt(4) == 0 ? base + random.nextInt(-3, 4) : base;
        committed = Math.max(0, committed);
        boolean isTrue = metadata.equals(map) && committed == base && of.equals(ORDERS_0);
        Set<Long> skipped = skipped(committed, metadata, MetadataPolicy.READ);
        if (isTrue) {
            assertThat(skipped).isEqualTo(done);
        } else if (metadata.isEmpty() || metadata.charAt(0) >= '\u0800') {
            assertThat(skipped).as("what nobody has named").isEmpty();
        }
    }

    @Property(tries = 5_000)
    @Label("B2 B8 maps of others: read or ignored by policy, never thrown at, and the committed record always runs")
    void ofOthers(@ForAll("seeds") long seed, @ForAll MetadataPolicy policy) {
        Random random = new Random(seed);
        String metadata = OF_OTHERS.get(random.nextInt(OF_OTHERS.size()));
        boolean whole = random.nextInt(4) == 0;
        if (!whole) {
            byte[] bytes = Base64.getDecoder().decode(metadata);
            for (int slips = 1 + random.nextInt(3); slips > 0; slips--) {
                bytes = slip(random, bytes);
            }
            metadata = Base64.getEncoder().encodeToString(bytes);
        }
        try {
            Set<Long> skipped = skipped(100, metadata, policy);
            assertThat(skipped).doesNotContain(100L);
            if (policy != MetadataPolicy.READ) {
                assertThat(skipped).isEmpty();
            }
        } catch (BrokerException told) {
            assertThat(policy).isEqualTo(MetadataPolicy.FAIL_ON_FOREIGN);
            assertThat(told).hasMessageContaining("FAIL_ON_FOREIGN").hasMessageContaining("orders-0");
        }
    }

    @Property(tries = 2_000)
    @Label("B2 text that nobody has written as a map skips nothing")
    void anyText(@ForAll String metadata, @ForAll MetadataPolicy policy) {
        try {
            assertThat(skipped(7, metadata, policy)).isEmpty();
        } catch (BrokerException told) {
            assertThat(policy).isEqualTo(MetadataPolicy.FAIL_ON_FOREIGN);
        }
    }

    /** Starts there and runs what is to be run; what was not, of the log's records. */
    private Set<Long> skipped(long committed, String metadata, MetadataPolicy policy) {
        HandConsumer consumer = new HandConsumer();
        consumer.assign(List.of(ORDERS_0));
        consumer.updateEndOffsets(Map.of(ORDERS_0, committed + RECORDS));
        consumer.commitSync(Map.of(ORDERS_0, new OffsetAndMetadata(committed, metadata)), Duration.ZERO);
        Options options = Options.DEFAULTS.withMetadata(policy);
        Machine machine = new Machine(
                host,
                options,
                new HandlerSpec.Plain<>(new ByteArrayDeserializer(), new ByteArrayDeserializer(), record -> {}),
                consumer,
                null);
        StartOffsets starts = new StartOffsets(
                host,
                consumer,
                new Assignment(),
                options,
                new HealthConditions(host),
                new CommitterFixture().commits,
                (id, start, done) -> {
                    Track track = machine.track(id, start, done);
                    return new Partition(id, track, new TrackDiagnostics(track, host), start);
                },
                true,
                true,
                "earliest");
        Partition partition = starts.open(List.of(ORDERS_0), true).getFirst();
        char[] keys = new char[RECORDS];
        Arrays.fill(keys, 'a');
        partition.append(Records.chunk(committed, new String(keys)), new OffsetAndMetadata(committed + RECORDS));
        Set<Long> skipped = new HashSet<>();
        for (long offset = committed; offset < committed + RECORDS; offset++) {
            skipped.add(offset);
        }
        if (partition.track.claim(Thread.currentThread()) instanceof CursorRun run) {
            do {
                assertThat(skipped.remove(partition.track.runningOffset())).isTrue();
            } while (partition.track.finish(run, false));
        }
        // With everything run, nothing is left to be said.
        Progress progress = partition.track.progress(OffsetMap.DEFAULT_LIMIT);
        assertThat(progress).isEqualTo(new Progress(committed + RECORDS, ""));
        return skipped;
    }

    /** A true map of the log's first records, and what it names. */
    private static String map(Random random, TopicPartition of, long base, Set<Long> done) {
        OffsetWindow window = new OffsetWindow();
        long cursor = base + 1 + random.nextInt(RECORDS - 1);
        window.add(base);
        int density = 1 + random.nextInt(8);
        for (long offset = base + 1; offset < cursor; offset++) {
            if (random.nextInt(density) == 0) {
                window.add(offset);
            } else {
                done.add(offset);
            }
        }
        return OffsetMap.encode(of, base, window, cursor);
    }

    private static String slip(Random random, String text, long base) {
        int at = text.isEmpty() ? 0 : random.nextInt(text.length());
        char any = random.nextBoolean() ? (char) (0x800 + random.nextInt(1 << 15)) : (char) random.nextInt(1 << 16);
        String other = map(random, random.nextBoolean() ? ORDERS_0 : ORDERS_1, base, new HashSet<>());
        return switch (random.nextInt(7)) {
            case 0 -> text.isEmpty() ? text : text.substring(0, at) + any + text.substring(at + 1);
            case 1 -> text.substring(0, at) + any + text.substring(at);
            case 2 -> text.isEmpty() ? text : text.substring(0, at) + text.substring(at + 1);
            case 3 -> text.substring(0, at);
            case 4 -> text + text.substring(at);
            // The head of one, with its checksum, and the payload of the other.
            case 5 -> at < 4 ? text : text.substring(0, at) + other.substring(Math.min(at, other.length()));
            default -> {
                char[] mixed = text.toCharArray();
                if (mixed.length > 0) {
                    int with = random.nextInt(mixed.length);
                    char kept = mixed[at];
                    mixed[at] = mixed[with];
                    mixed[with] = kept;
                }
                yield new String(mixed);
            }
        };
    }

    private static byte[] slip(Random random, byte[] bytes) {
        int at = random.nextInt(bytes.length);
        switch (random.nextInt(3)) {
            case 0 -> bytes[at] = (byte) random.nextInt();
            case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
            default -> {
                List<Byte> longer = new ArrayList<>();
                for (byte one : bytes) {
                    longer.add(one);
                }
                if (random.nextBoolean() || bytes.length == 1) {
                    longer.add(at, (byte) random.nextInt());
                } else {
                    longer.remove(at);
                }
                byte[] changed = new byte[longer.size()];
                for (int i = 0; i < changed.length; i++) {
                    changed[i] = longer.get(i);
                }
                return changed;
            }
        }
        return bytes;
    }

    @Provide
    Arbitrary<Long> seeds() {
        return Arbitraries.longs();
    }
}
