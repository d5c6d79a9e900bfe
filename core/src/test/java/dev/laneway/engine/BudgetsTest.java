package dev.laneway.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Options;
import dev.laneway.PauseReason;
import dev.laneway.engine.handle.FeedDiagnostics;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.engine.handle.NoOutlet;
import dev.laneway.engine.handle.RecordSlice;
import dev.laneway.engine.handle.StreamFeed;
import dev.laneway.engine.runtime.HandHost;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.track.Assignment;
import dev.laneway.engine.track.Chunk;
import dev.laneway.engine.track.Partition;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is held, turn by turn, with a client that returns as much as Kafka's may. */
class BudgetsTest {
    private static final int POLL_RECORDS = 200;
    private static final int PARTITION_FETCH = 20_000;
    private static final int FETCH = 100_000;
    private static final long BUFFER_RECORDS = 2_000;
    private static final long BUFFER_BYTES = 400_000;
    private static final long TURN_NANOS = 10_000_000;

    private final HandHost host = new HandHost();
    private final HandConsumer consumer = new HandConsumer();
    private final Assignment assignment = new Assignment();
    private final List<Partition> partitions = new ArrayList<>();
    private final int[] taken = new int[2_000];
    private int firstPolled;

    @ParameterizedTest(name = "{0} partitions, records of {1} bytes")
    @CsvSource({"1, 1000", "300, 1000", "2000, 1000", "1, 10", "300, 10", "2000, 10"})
    @DisplayName("B121 B25 what a stream holds stays within both budgets when nobody asks, and when one of many asks")
    void streams(int count, int recordBytes) {
        FlowControl flow = streamFlow(count);
        for (int turn = 0; turn < 300; turn++) {
            turn(flow, recordBytes);
        }
        // One subscriber asks for all it can get; all others hold what they have.
        int asks = count / 2;
        for (int turn = 0; turn < 3_000 && taken[asks] < 2_000; turn++) {
            turn(flow, recordBytes);
            take(asks);
        }
        assertThat(taken[asks]).as("one that asks gets records").isGreaterThanOrEqualTo(2_000);
    }

    @ParameterizedTest(name = "{0} partitions")
    @ValueSource(ints = {1, 300, 2_000})
    @DisplayName("B121 B31 all that ask get records, in turns")
    void allAsk(int count) {
        FlowControl flow = streamFlow(count);
        for (int turn = 0; turn < 20_000 && IntStream.range(0, count).anyMatch(i -> taken[i] < 40); turn++) {
            turn(flow, 1_000);
            IntStream.range(0, count).forEach(this::take);
        }
        assertThat(IntStream.range(0, count).filter(i -> taken[i] < 40)).isEmpty();
    }

    @ParameterizedTest(name = "{0} partitions")
    @ValueSource(ints = {2, 300, 2_000})
    @DisplayName("B121 B25 a record larger than the budget comes to whoever asks for it, though others are unread")
    void largerThanTheBudget(int count) {
        FlowControl flow = streamFlow(count);
        for (int turn = 0; turn < 300; turn++) {
            turn(flow, 1_000);
        }
        Partition large = partitions.getLast();
        while (take(count - 1)) {
            // It reads what it holds.
        }
        flow.saw(2 * BUFFER_BYTES);
        for (int turn = 0; turn < 1_000 && large.pauseReason != null; turn++) {
            flow.apply();
            host.nowNanos += TURN_NANOS;
        }
        assertThat(large.pauseReason).isNull();
        assertThat(bytes()).as("it passes alone").isZero();
    }

    @ParameterizedTest(name = "{0} partitions")
    @ValueSource(ints = {1, 300, 2_000})
    @DisplayName("B121 B25 what handlers that do not end hold stays within both budgets")
    void handlers(int count) {
        Machine machine = new Machine(
                host,
                Options.DEFAULTS,
                new HandlerSpec.Plain<>(new ByteArrayDeserializer(), new ByteArrayDeserializer(), record -> {}),
                consumer,
                null);
        IntStream.range(0, count).forEach(i -> partitions.add(machine.partition(id(i), 0)));
        FlowControl flow = flow();
        for (int turn = 0; turn < 300; turn++) {
            turn(flow, 1_000);
        }
    }

    @Test
    @DisplayName("B122 a partition whose stream was cancelled is fetched no more, whatever it held")
    void cancelled() {
        FlowControl flow = streamFlow(3);
        turn(flow, 100);
        StreamFeed untouched = (StreamFeed) partitions.get(0).held;
        untouched.cancel();
        while (take(1)) {
            // It reads what it holds.
        }
        ((StreamFeed) partitions.get(1).held).cancel();
        List<Long> positions =
                partitions.stream().map(partition -> partition.position).toList();
        List<Long> offsets = partitions.stream()
                .map(partition -> partition.held.progress(4_096).offset())
                .toList();
        for (int turn = 0; turn < 100; turn++) {
            turn(flow, 100);
            take(2);
        }
        for (int cancelled = 0; cancelled < 2; cancelled++) {
            Partition partition = partitions.get(cancelled);
            assertThat(partition.pauseReason).isEqualTo(PauseReason.CANCELLED);
            assertThat(partition.position).isEqualTo(positions.get(cancelled));
            assertThat(partition.held.progress(4_096).offset()).isEqualTo(offsets.get(cancelled));
            assertThat(partition.held.ledger.bytes()).isZero();
        }
        assertThat(taken[2]).as("others go on").isGreaterThan(1_000);
    }

    private FlowControl streamFlow(int count) {
        HandlerSpec.Streaming streaming = new HandlerSpec.Streaming(NoOutlet.OUTLET, HandlerSpec.Streaming.Kind.PLAIN);
        Machine machine = new Machine(host, Options.DEFAULTS, streaming, consumer, null);
        for (int i = 0; i < count; i++) {
            StreamFeed feed = new StreamFeed(
                    id(i),
                    i,
                    0,
                    null,
                    streaming,
                    machine.wake,
                    machine.counts,
                    new HealthConditions(host),
                    () -> CompletableFuture.completedStage(null));
            partitions.add(new Partition(id(i), feed, new FeedDiagnostics(feed), 0));
        }
        return flow().independent();
    }

    private FlowControl flow() {
        assignment.add(partitions);
        consumer.assign(assignment.ids());
        partitions.forEach(partition -> consumer.lag(partition.id, 1_000_000));
        return new FlowControl(
                host,
                consumer,
                assignment,
                RecordReserve.fixed(BUFFER_RECORDS),
                BUFFER_BYTES,
                POLL_RECORDS,
                PARTITION_FETCH,
                FETCH,
                100_000_000,
                MapRooms.guarding(() -> 4_096, POLL_RECORDS),
                false);
    }

    private static TopicPartition id(int number) {
        return new TopicPartition("orders", number);
    }

    /** Flow control, then a poll: of each partition that may be fetched up to a chunk, up to a poll in all. */
    private void turn(FlowControl flow, int recordBytes) {
        flow.apply();
        Set<Integer> open = new TreeSet<>();
        for (int i = 0; i < partitions.size(); i++) {
            if (partitions.get(i).pauseReason == null) {
                open.add(i);
            }
        }
        int left = Math.min(POLL_RECORDS, FETCH / recordBytes);
        int polled = 0;
        for (int i = 0; i < partitions.size() && left > 0; i++) {
            int at = (firstPolled + i) % partitions.size();
            if (open.contains(at)) {
                int some = Math.min(left, PARTITION_FETCH / recordBytes);
                append(flow, partitions.get(at), some, recordBytes);
                left -= some;
                polled += some;
                firstPolled = left == 0 ? at + 1 : firstPolled;
            }
        }
        flow.polled(polled);
        assertThat(bytes()).isLessThanOrEqualTo(BUFFER_BYTES);
        assertThat(partitions.stream()
                        .mapToLong(partition -> partition.held.ledger.records())
                        .sum())
                .isLessThanOrEqualTo(BUFFER_RECORDS);
        host.nowNanos += TURN_NANOS;
    }

    private static void append(FlowControl flow, Partition partition, int records, int bytes) {
        List<ConsumerRecord<byte[], byte[]>> list = new ArrayList<>();
        for (long offset = partition.position; offset < partition.position + records; offset++) {
            list.add(Records.record(partition.id, offset, "", bytes));
        }
        Chunk chunk = new Chunk(list);
        flow.returned(partition, chunk);
        partition.append(chunk, new OffsetAndMetadata(partition.position + records));
    }

    /** A subscriber that has asked for all it can get takes what there is; false when that is nothing. */
    private boolean take(int number) {
        StreamFeed feed = (StreamFeed) partitions.get(number).held;
        RecordSlice run = feed.take(Long.MAX_VALUE);
        if (run == null) {
            feed.want();
            return false;
        }
        assertThat(run.records().get(run.from()).offset())
                .as("nothing is left out or repeated")
                .isEqualTo(taken[number]);
        taken[number] += run.to() - run.from();
        feed.delivered();
        return true;
    }

    private long bytes() {
        return partitions.stream()
                .mapToLong(partition -> partition.held.ledger.bytes())
                .sum();
    }
}
