package dev.laneway.bench.workload;

/** What arms can do, by name. */
public final class Workloads {
    public static final String CONSUME = "consume";
    public static final String SWEEP = "sweep";
    public static final String HEAP = "heap";
    public static final String MICRO = "micro";
    public static final String COST = "cost";
    public static final String PRODUCE = "produce";
    public static final String COPY = "copy";
    public static final String LATENCY = "latency";
    public static final String TRACE = "trace";
    public static final String PAUSE = "pause";
    public static final String FLOW = "flow";
    public static final String REBALANCE = "rebalance";
    public static final String RESTART = "restart";
    public static final String STUCK_KEY = "stuck-key";
    public static final String SLOW_KEY = "slow-key";
    public static final String RELEASED_KEYS = "released-keys";
    public static final String STUCK_RESTART = "stuck-restart";
    public static final String DELAYS = "delays";
    public static final String SKEWED_GROUP = "skewed-group";
    static final String STUCK_KEYS = "stuck-keys";
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
            case STUCK_KEY -> new StuckKeyWorkload();
            case SLOW_KEY -> new SlowKeyWorkload();
            case RELEASED_KEYS -> new ReleasedKeysWorkload();
            case STUCK_RESTART -> new StuckRestartWorkload();
            case DELAYS -> new DelaysWorkload();
            case SKEWED_GROUP -> new SkewedGroupWorkload();
            case STUCK_KEYS -> new StuckRestartWorkload.First();
            case STUCK -> new RestartWorkload.Stuck();
            default -> throw new IllegalArgumentException("no workload is called " + name);
        };
    }
}
