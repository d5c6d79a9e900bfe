package dev.laneway.bench;

/** What arms can do, by name. */
final class Workloads {
    static final String CONSUME = "consume";
    static final String SWEEP = "sweep";
    static final String HEAP = "heap";
    static final String MICRO = "micro";
    static final String COST = "cost";
    static final String PRODUCE = "produce";
    static final String COPY = "copy";
    static final String LATENCY = "latency";
    static final String TRACE = "trace";
    static final String PAUSE = "pause";
    static final String FLOW = "flow";
    static final String REBALANCE = "rebalance";
    static final String RESTART = "restart";
    static final String STUCK = "stuck";

    private Workloads() {}

    static Workload of(String name) {
        return switch (name) {
            case CONSUME -> new ConsumeWorkload();
            case SWEEP -> new SweepWorkload();
            case HEAP -> new HeapWorkload();
            case MICRO -> new MicroWorkload();
            case COST -> new CostWorkload();
            case PRODUCE -> new ProduceWorkload();
            case COPY -> new CopyWorkload();
            case LATENCY -> new LatencyWorkload();
            case TRACE -> new TraceWorkload();
            case PAUSE -> new PauseWorkload();
            case FLOW -> new FlowWorkload();
            case REBALANCE -> new RebalanceWorkload();
            case RESTART -> new RestartWorkload();
            case STUCK -> new RestartWorkload.Stuck();
            default -> throw new IllegalArgumentException("no workload is called " + name);
        };
    }
}
