package dev.laneway.bench.scenario;

import dev.laneway.ConfigurationException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The cases to measure. Immutable.
 *
 * @param runs the most of any case
 */
public record Plan(List<Part> parts, int runs) {
    private static final int RUNS = 5;
    private static final int QUICK_RUNS = 3;
    private static final List<String> QUICK = List.of("plain", "many-keys");

    /**
     * A case of a scenario, with the requested peers.
     *
     * @param runs how often each peer is measured
     */
    public record Part(Scenario scenario, Case setting, int runs) {
        public String title() {
            return scenario.name() + " " + setting.name();
        }
    }

    public static Plan of(BenchOrder order) {
        checkScenarios(order.scenarios());
        boolean headline = order.quick() && order.scenarios().isEmpty();
        Size size = new Size(order.scale(), order.quick());
        Integer given = order.runs();
        int usual = order.quick() ? QUICK_RUNS : RUNS;
        List<Part> parts = new ArrayList<>();
        Set<String> peers = new TreeSet<>();
        for (Scenario scenario : Scenarios.ALL) {
            if (order.scenarios().isEmpty()
                    ? !scenario.isByNameOnly() && (!order.quick() || QUICK.contains(scenario.name()))
                    : order.scenarios().stream()
                            .anyMatch(name -> scenarioOf(name).equals(scenario.name()))) {
                boolean few = headline && order.peers().isEmpty();
                for (Case each : few ? scenario.quickCases(size) : scenario.cases(size)) {
                    if (!isAsked(scenario, each, order.scenarios())) {
                        continue;
                    }
                    peers.addAll(each.peers());
                    List<String> wanted = each.peers().stream()
                            .filter(peer -> isWanted(peer, order.peers()))
                            .toList();
                    if (!wanted.isEmpty()) {
                        parts.add(new Part(
                                scenario, each.withPeers(wanted), given != null ? given : scenario.runs(usual)));
                    }
                }
            }
        }
        for (String wanted : order.peers()) {
            if (peers.stream().noneMatch(peer -> isWanted(peer, List.of(wanted)))) {
                throw new ConfigurationException(
                        "--peers",
                        wanted,
                        "must be one of " + String.join(", ", peers),
                        "--list says which scenario has whom");
            }
        }
        return new Plan(
                List.copyOf(parts), parts.stream().mapToInt(Part::runs).max().orElse(usual));
    }

    /** All cases. */
    public static Plan full() {
        Size full = new Size(1, false);
        return new Plan(
                Scenarios.ALL.stream()
                        .flatMap(scenario -> scenario.cases(full).stream()
                                .map(each -> new Part(scenario, each, scenario.runs(RUNS))))
                        .toList(),
                RUNS);
    }

    /** What is measured where no scenario is named. */
    public Plan withoutNamedOnly() {
        return new Plan(
                parts.stream().filter(part -> !part.scenario().isByNameOnly()).toList(), runs);
    }

    private static boolean isWanted(String peer, List<String> wanted) {
        return wanted.isEmpty()
                || wanted.stream()
                        .anyMatch(name -> name.endsWith("*")
                                ? peer.startsWith(name.substring(0, name.length() - 1))
                                : peer.equals(name));
    }

    /** Whether a case is asked for, by its scenario or as {@code SCENARIO/CASE}. */
    private static boolean isAsked(Scenario scenario, Case setting, List<String> names) {
        return names.isEmpty()
                || names.contains(scenario.name())
                || names.contains(scenario.name() + "/" + setting.name());
    }

    private static String scenarioOf(String name) {
        int slash = name.indexOf('/');
        return slash < 0 ? name : name.substring(0, slash);
    }

    private static void checkScenarios(List<String> given) {
        for (String name : given) {
            Scenario scenario = Scenarios.ALL.stream()
                    .filter(known -> known.name().equals(scenarioOf(name)))
                    .findFirst()
                    .orElseThrow(() -> new ConfigurationException(
                            "--scenario",
                            name,
                            "must be one of "
                                    + String.join(
                                            ", ",
                                            Scenarios.ALL.stream()
                                                    .map(Scenario::name)
                                                    .toList()),
                            "take one of these"));
            List<String> cases =
                    scenario.cases(new Size(1, false)).stream().map(Case::name).toList();
            if (name.contains("/")
                    && !cases.contains(name.substring(scenario.name().length() + 1))) {
                throw new ConfigurationException(
                        "--scenario",
                        name,
                        "has no such case: " + scenario.name() + " has " + String.join(", ", cases),
                        "take one of these");
            }
        }
    }

    /** The scenarios, each once. */
    public List<Scenario> scenarios() {
        return parts.stream().map(Part::scenario).distinct().toList();
    }

    /** About how long all of it takes, in seconds. */
    public double seconds() {
        double loading = parts.stream()
                .map(part -> part.setting().topic())
                .distinct()
                .mapToDouble(Plan::loadSeconds)
                .sum();
        return loading
                + parts.stream()
                        .mapToDouble(
                                part -> part.runs() * part.setting().peers().size() * armSeconds(part.setting()))
                        .sum();
    }

    public static double loadSeconds(Topic topic) {
        return 1 + topic.records() / 300_000.0 + topic.records() * (double) topic.size() / 2e8;
    }

    public static double armSeconds(Case setting) {
        return setting.armTime().toMillis() / 1e3;
    }

    /** All peers that appear anywhere. */
    static Stream<String> allPeers() {
        Size full = new Size(1, false);
        return Scenarios.ALL.stream()
                .flatMap(scenario -> scenario.cases(full).stream())
                .flatMap(each -> each.peers().stream())
                .distinct();
    }
}
