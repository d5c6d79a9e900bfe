package dev.laneway.engine.offsets;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Offsets that are added in order and removed in another: within every thousand, shuffled. */
@State(Scope.Thread)
public class OffsetWindowBenchmark {
    private static final int IN_FLIGHT = 1_000;
    private static final long SEED = 42;

    private final OffsetWindow window = new OffsetWindow();
    private final int[] shuffled = shuffled();
    private long next;

    private static int[] shuffled() {
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < IN_FLIGHT; i++) {
            order.add(i);
        }
        Collections.shuffle(order, new Random(SEED));
        return order.stream().mapToInt(Integer::intValue).toArray();
    }

    /** Adds and removes one offset. */
    @Benchmark
    @OperationsPerInvocation(IN_FLIGHT)
    public boolean addAndRemove() {
        long from = next;
        for (int i = 0; i < IN_FLIGHT; i++) {
            window.add(next++);
        }
        boolean removed = true;
        for (int at : shuffled) {
            removed &= window.remove(from + at);
        }
        return removed;
    }
}
