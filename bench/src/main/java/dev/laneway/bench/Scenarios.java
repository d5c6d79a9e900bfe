package dev.laneway.bench;

import java.util.List;

/** All scenarios, in the order in which they are taken. */
final class Scenarios {
    static final List<Scenario> ALL = List.of(
            new ScenarioPlain(),
            new ScenarioManyKeys(),
            new ScenarioHotKey(),
            new ScenarioZipf(),
            new ScenarioOrdering(),
            new ScenarioMillion(),
            new ScenarioCost());

    private Scenarios() {}
}
