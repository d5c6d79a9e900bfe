package dev.laneway.bench.workload;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * The whole engine over records replayed from memory: start and end of a consumer are in it, as they are once a replay.
 */
@State(Scope.Thread)
public class EngineBenchmark {
    private static final int RECORDS = 500_000;

    private final ReplayLog log = new ReplayLog(CostWorkload.PARTITIONS, RECORDS, CostWorkload.KEYS);

    /** One record. */
    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public void replay() throws InterruptedException {
        CostWorkload.replay(CostWorkload.laneway(log), log, RECORDS);
    }
}
