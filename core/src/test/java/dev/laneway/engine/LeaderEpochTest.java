package dev.laneway.engine;

import static dev.laneway.engine.Records.ORDERS_0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Options;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.engine.offsets.DecodedMetadata;
import dev.laneway.engine.offsets.OffsetMap;
import dev.laneway.engine.offsets.OffsetMapTest;
import dev.laneway.engine.offsets.OffsetWindow;
import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.runtime.HandHost;
import dev.laneway.engine.track.Chunk;
import dev.laneway.engine.track.CursorRun;
import dev.laneway.engine.track.Partition;
import dev.laneway.engine.track.Track;
import dev.laneway.engine.track.TrackDiagnostics;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Commits carry the latest leader epoch that was read, and a map does not outlive the log that it was made for. */
class LeaderEpochTest {
    private final HandHost host = new HandHost();
    private final Machine machine = new Machine(
            host,
            Options.DEFAULTS,
            new HandlerSpec.Plain<>(new ByteArrayDeserializer(), new ByteArrayDeserializer(), record -> {}),
            new HandConsumer(),
            null);

    @Test
    @DisplayName("B14 a commit carries the latest leader epoch of what was read; none when none is known")
    void carried() {
        Partition partition = machine.partition(ORDERS_0, 0);
        assertThat(committed(partition)).isEqualTo(new OffsetAndMetadata(0, Optional.empty(), ""));
        take(partition, chunk(0, 5, -1), 5);
        assertThat(committed(partition).leaderEpoch()).isEmpty();
        take(partition, chunk(5, 5, 3), 10);
        machine.handle(partition.track, 10);
        assertThat(committed(partition)).isEqualTo(new OffsetAndMetadata(10, Optional.of(3), ""));
        take(partition, chunk(10, 5, 3, 3, 3, 4), 15);
        assertThat(committed(partition).leaderEpoch()).hasValue(4);
        partition.skipTo(new OffsetAndMetadata(17, Optional.of(5), ""));
        assertThat(committed(partition).leaderEpoch()).hasValue(5);
    }

    @Test
    @DisplayName("B3 a map counts for records up to the epoch that its owner knew")
    void trustsTheMap() {
        Partition partition = restored(10, 7, LongStream.of(10, 12, 13));
        take(partition, chunk(10, 3, 6, 6, 7), 13);
        take(partition, chunk(13, 9, 7, 7, 7, 7, 7, 7, 7, 7, 8), 22);
        assertThat(handled(partition)).containsExactly(10L, 12L, 13L, 20L, 21L);
    }

    @Test
    @DisplayName("B3 where records were written under a later leader, the map says nothing: its log was cut")
    void distrustsTheMap() {
        Partition partition = restored(10, 7, LongStream.of(10, 12, 13));
        take(partition, chunk(10, 3, 6, 6, 7), 13);
        take(partition, chunk(13, 4, 7, 7, 8, 8), 17);
        take(partition, chunk(17, 5, 8, 8, 8, 8, 9), 22);
        assertThat(handled(partition)).containsExactly(10L, 12L, 13L, 15L, 16L, 17L, 18L, 19L, 20L, 21L);
        assertThat(committed(partition)).isEqualTo(new OffsetAndMetadata(22, Optional.of(9), ""));
    }

    @Test
    @DisplayName(
            "B3 a later leader's markers and aborted records tell of a cut, too: the map says nothing from there on")
    void cutBeforeWhatIsNoRecord() {
        Partition partition = restored(10, 7, LongStream.of(10, 12, 13));
        take(partition, chunk(10, 3, 7), 13);
        partition.skipTo(new OffsetAndMetadata(16, Optional.of(8), ""));
        take(partition, chunk(16, 4, 8), 20);
        assertThat(handled(partition)).containsExactly(10L, 12L, 16L, 17L, 18L, 19L);
    }

    @Test
    @DisplayName("B3 so they do at the end of a poll")
    void cutBehindRecords() {
        Partition partition = restored(10, 7, LongStream.of(10, 12, 13));
        take(partition, chunk(10, 4, 7), new OffsetAndMetadata(16, Optional.of(8), ""));
        take(partition, chunk(16, 4, 8), 20);
        assertThat(handled(partition)).containsExactly(10L, 12L, 13L, 16L, 17L, 18L, 19L);
    }

    @Test
    @DisplayName(
            "B14 a commit behind a marker carries the marker's leader epoch, so that no later owner sees a cut in it")
    void epochOfMarkers() {
        Partition partition = machine.partition(ORDERS_0, 10);
        take(partition, chunk(10, 4, 7), new OffsetAndMetadata(15, Optional.of(8), ""));
        assertThat(committed(partition).leaderEpoch()).hasValue(8);
        Partition next = restored(10, 8, LongStream.of(10, 12, 13));
        take(next, chunk(10, 4, 7), new OffsetAndMetadata(15, Optional.of(8), ""));
        take(next, chunk(15, 5, 8), 20);
        assertThat(handled(next)).containsExactly(10L, 12L, 13L);
    }

    @Test
    @DisplayName("B3 B113 once a log was cut, no later cut brings back what the map said of what is behind the first")
    void cutTwice() {
        Partition partition = restored(10, 7, LongStream.of(10, 12, 13));
        assertThat(partition.committedMap().cursor()).isEqualTo(20);
        take(partition, chunk(10, 8, 7, 7, 7, 7, 7, 8), 18);
        partition.wasCut(17);
        DecodedMetadata.Map map = partition.committedMap();
        assertThat(LongStream.range(10, 20).filter(map::isDone)).containsExactly(11L, 14L);
    }

    @Test
    @DisplayName("B3 B113 a cut before an assignment is forgotten once that has committed what is its own")
    void committedSinceTheCut() {
        Partition before = restored(10, 7, LongStream.of(10, 12, 13));
        before.wasCut(14);
        Partition partition = restored(10, 7, LongStream.of(10, 12, 13));
        partition.cutAs(before);
        partition.confirmed(partition.committed); // The same once more, so that the broker does not forget it.
        assertThat(partition.committedMap().cursor()).isLessThanOrEqualTo(14);
        partition.confirmed(new Progress(12, encoded(12, 20, LongStream.of(12))));
        assertThat(partition.committedMap().cursor()).isEqualTo(20);
    }

    @Test
    @DisplayName("B3 B113 a map that was not believed at the start is not believed after a cut either")
    void dismissed() {
        Partition partition = machine.partition(ORDERS_0, 10);
        String text = encoded(10, 20, LongStream.of(10, 12, 13));
        partition.restored(new OffsetAndMetadata(10, Optional.of(7), text), null);
        assertThat(partition.committedMap()).isNull();
    }

    @Test
    @DisplayName("B3 a map whose owner knew no epoch is believed, as are records without one")
    void noEpoch() {
        Partition partition = restored(10, -1, LongStream.of(10, 12, 13));
        take(partition, chunk(10, 10, 8), 20);
        assertThat(handled(partition)).containsExactly(10L, 12L, 13L);
        Partition without = restored(10, 7, LongStream.of(10, 12, 13));
        take(without, chunk(10, 10, -1), 20);
        assertThat(handled(without)).containsExactly(10L, 12L, 13L);
    }

    @Test
    @DisplayName("B135 what is done is read where its owner knew no epoch: who seeks over it could not see a cut")
    void seeksWithAnEpochOnly() {
        assertThat(restored(10, 7, LongStream.of(10, 12, 13)).nextUndone(14)).isEqualTo(20);
        assertThat(restored(10, -1, LongStream.of(10, 12, 13)).nextUndone(14)).isEqualTo(14);
    }

    /** As {@code StartOffsets} makes it: committed at 10 by an owner who had done everything below 20 but for these. */
    private Partition restored(long base, int epoch, LongStream undone) {
        String text = encoded(base, 20, undone);
        DecodedMetadata.Map map = OffsetMapTest.mapOf(base, text);
        Track track = machine.track(ORDERS_0, base, map);
        Partition partition = new Partition(ORDERS_0, track, new TrackDiagnostics(track, host), base);
        Optional<Integer> known = epoch < 0 ? Optional.empty() : Optional.of(epoch);
        partition.restored(new OffsetAndMetadata(base, known, text), map);
        return partition;
    }

    private static String encoded(long base, long cursor, LongStream undone) {
        OffsetWindow window = new OffsetWindow();
        undone.forEach(window::add);
        return OffsetMap.encode(ORDERS_0, base, window, cursor);
    }

    private static void take(Partition partition, Chunk chunk, long next) {
        take(partition, chunk, new OffsetAndMetadata(next));
    }

    private static void take(Partition partition, Chunk chunk, OffsetAndMetadata next) {
        partition.refute(chunk.records, next);
        partition.append(chunk, next);
    }

    private static OffsetAndMetadata committed(Partition partition) {
        return partition.offset(partition.track.progress(OffsetMap.DEFAULT_LIMIT));
    }

    /** Runs what there is to run; the offsets, in order. */
    private List<Long> handled(Partition partition) {
        List<Long> offsets = new ArrayList<>();
        if (partition.track.claim(Thread.currentThread()) instanceof CursorRun run) {
            do {
                offsets.add(partition.track.runningOffset());
            } while (partition.track.finish(run, false));
        }
        return offsets;
    }

    /** So many records, with these epochs; the last one goes on. */
    private static Chunk chunk(long from, int count, int... epochs) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int epoch = epochs[Math.min(i, epochs.length - 1)];
            records.add(new ConsumerRecord<>(
                    ORDERS_0.topic(),
                    ORDERS_0.partition(),
                    from + i,
                    0,
                    TimestampType.CREATE_TIME,
                    1,
                    1,
                    new byte[] {(byte) i},
                    new byte[1],
                    new RecordHeaders(),
                    epoch < 0 ? Optional.empty() : Optional.of(epoch)));
        }
        return new Chunk(records);
    }
}
