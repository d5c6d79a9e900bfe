package dev.laneway.engine.track;

import dev.laneway.NullKeys;
import dev.laneway.Ordering;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The cost of finding out whether an arriving record's key is busy: 10,000 of 100,000 keys are. */
@State(Scope.Thread)
public class LaneBenchmark {
    private static final int KEYS = 100_000;
    private static final int BUSY_EVERY = 10;
    private static final int LOOKS = 10_000;
    private static final long SEED = 42;

    private final LaneTable table = new LaneTable(Ordering.KEY, NullKeys.ORDERED);
    private final List<ConsumerRecord<byte[], byte[]>> arriving = new ArrayList<>();

    /** Makes the keys, and lanes for the busy ones. */
    public LaneBenchmark() {
        byte[][] keys = new byte[KEYS][];
        for (int key = 0; key < KEYS; key++) {
            keys[key] = ByteBuffer.allocate(Long.BYTES).putLong(key).array();
            if (key % BUSY_EVERY == 0) {
                table.add(lane(keys[key]));
            }
        }
        SplittableRandom random = new SplittableRandom(SEED);
        for (int look = 0; look < LOOKS; look++) {
            // A copy: the key of a record that arrives is never the array that the lane holds.
            arriving.add(record(keys[random.nextInt(KEYS)].clone()));
        }
    }

    @SuppressWarnings("NullAway") // A look-up does not touch the track.
    private static Lane lane(byte[] key) {
        return new Lane(null, record(key), LaneTable.hash(key), true);
    }

    private static ConsumerRecord<byte[], byte[]> record(byte[] key) {
        return new ConsumerRecord<>("topic", 0, 0, key, key);
    }

    /** One key. */
    @Benchmark
    @OperationsPerInvocation(LOOKS)
    public int hash() {
        int sum = 0;
        for (ConsumerRecord<byte[], byte[]> record : arriving) {
            sum += LaneTable.hash(record.key());
        }
        return sum;
    }

    /** One key, its hash included. */
    @Benchmark
    @OperationsPerInvocation(LOOKS)
    public int lookUp() {
        int busy = 0;
        for (ConsumerRecord<byte[], byte[]> record : arriving) {
            busy += table.find(record) == null ? 0 : 1;
        }
        return busy;
    }
}
