package dev.laneway.engine.offsets;

import org.apache.kafka.common.TopicPartition;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** A commit's map of two thousand offsets, of which every second one is undone. */
@State(Scope.Thread)
public class OffsetMapBenchmark {
    private static final TopicPartition ID = new TopicPartition("orders", 0);
    private static final long BASE = 1_000_000;
    private static final int SPAN = 2_000;

    private final OffsetWindow window = new OffsetWindow();
    private final String map;

    /** Fills the window. */
    public OffsetMapBenchmark() {
        for (int offset = 0; offset < SPAN; offset += 2) {
            window.add(BASE + offset);
        }
        map = OffsetMap.encode(ID, BASE, window, BASE + SPAN);
    }

    /** One map. */
    @Benchmark
    public String encode() {
        return OffsetMap.encode(ID, BASE, window, BASE + SPAN);
    }

    /** One map. */
    @Benchmark
    public Object decode() {
        return OffsetMap.decode(ID, BASE, map);
    }
}
