package dev.laneway.bench.scenario;

import java.util.List;

/** All scenarios, in the order in which they are measured. */
public final class Scenarios {
    public static final List<Scenario> ALL = List.of(
            new ScenarioPlain(),
            new ScenarioAtLeastOnce(),
            new ScenarioAtMostOnce(),
            new ScenarioProduce(),
            new ScenarioManyKeys(),
            new ScenarioHotKey(),
            new ScenarioZipf(),
            new ScenarioUneven(),
            new ScenarioOrdering(),
            new ScenarioSlowRecord(),
            new ScenarioMillion(),
            new ScenarioPauseRandom(),
            new ScenarioFlowControl(),
            new ScenarioPrefetch(),
            new ScenarioExactlyOnce(),
            new ScenarioLatency(),
            new ScenarioRebalance(),
            new ScenarioSkewedGroup(),
            new ScenarioRestart(),
            new ScenarioStuckKey(),
            new ScenarioDelays(),
            new ScenarioMetrics(),
            new ScenarioCost(),
            new ScenarioMicro());

    private Scenarios() {}
}
