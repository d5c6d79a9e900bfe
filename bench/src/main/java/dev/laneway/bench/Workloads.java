package dev.laneway.bench;

/** What arms can do, by name. */
final class Workloads {
    static final String CONSUME = "consume";
    static final String COST = "cost";

    private Workloads() {}

    static Workload of(String name) {
        return switch (name) {
            case CONSUME -> new ConsumeWorkload();
            case COST -> new CostWorkload();
            default -> throw new IllegalArgumentException("no workload is called " + name);
        };
    }
}
