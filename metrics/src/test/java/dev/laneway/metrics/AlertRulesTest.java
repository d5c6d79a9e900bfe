package dev.laneway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.laneway.Health;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The alert rules: they agree with the table, with health and with the runbook, and each fires when it must. */
class AlertRulesTest {
    private static final Path TESTS = Path.of("src/test/prometheus/alerts-test.yml");
    private static final Path RUNBOOK = Path.of("../docs/runbook.md");
    private static final Pattern VERDICT =
            Pattern.compile("(?m)^\\| `([a-z-]+)` \\| (?:breaks|limits|wastes|risks) \\| (.+) \\|$");
    private static final Pattern SECTION = Pattern.compile("(?ms)^### (\\w+)\n(.*?)(?=^###? |\\z)");
    private static final Pattern FIRING = Pattern.compile("alertname=\"(\\w+)\"");
    /** Nothing is to be done about the first; the second is one of LanewayMemberEnded. */
    private static final Set<Health.Cause> WITHOUT_ALERT = Set.of(Health.Cause.REREADING, Health.Cause.MEMBER_CLOSED);

    @Test
    @DisplayName("B175 each metric, label and value that a rule names is one of the table's")
    void table() throws IOException {
        Set<String> others = new HashSet<>(Set.of("up"));
        AlertRules.recorded().forEach(rule -> others.add(rule.get("record").asText()));
        List<String> findings = new ArrayList<>();
        for (JsonNode rule : AlertRules.recorded()) {
            findings.addAll(AlertRules.query(rule).findings(others));
        }
        for (JsonNode alert : AlertRules.alerts()) {
            PromQuery query = AlertRules.query(alert);
            assertThat(query.metrics()).as(query.text()).isNotEmpty();
            query.findings(others).forEach(finding -> findings.add(AlertRules.name(alert) + ": " + finding));
        }
        assertThat(findings).isEmpty();
    }

    @Test
    @DisplayName("B175 a query that names what does not exist is found")
    void findsWhatIsWrong() {
        assertThat(new PromQuery("rate(laneway_retires_total[5m]) > 0.1 and on (job) up == 1").findings(Set.of("up")))
                .containsExactly("laneway_retires_total is no metric of the table");
        assertThat(new PromQuery("sum by (topic) (laneway_health{client_id=\"a\"} offset 5m)").findings(Set.of()))
                .containsExactlyInAnyOrder(
                        "laneway_health has no label client_id", "no metric here has the label topic");
        assertThat(new PromQuery("laneway_partitions_paused{laneway_reason=~\"bytes_full|ful\"}").findings(Set.of()))
                .containsExactly("laneway_reason is never bytes_full|ful");
    }

    @Test
    @DisplayName("B175 each alert has a severity, group and client, and says in health's words what it is")
    void words() throws IOException {
        Map<String, String> verdicts = new HashMap<>();
        VERDICT.matcher(Files.readString(Path.of("../docs/check.md")))
                .results()
                .forEach(found -> verdicts.put(found.group(1), found.group(2)));
        assertThat(verdicts).hasSizeGreaterThan(40);
        for (JsonNode alert : AlertRules.alerts()) {
            String name = AlertRules.name(alert);
            JsonNode labels = alert.get("labels");
            JsonNode annotations = alert.get("annotations");
            assertThat(name).matches("Laneway[A-Z][A-Za-z]+");
            assertThat(labels.get("severity").asText()).as(name).isIn("critical", "warning");
            assertThat(labels.get("group").asText()).as(name).startsWith("{{ $labels.");
            assertThat(annotations.get("summary").asText())
                    .as(name)
                    .startsWith(labels.get("group").asText() + ": ");
            assertThat(annotations.get("description").asText()).as(name).matches("(?s).{40,}\\.");
            assertThat(annotations.get("runbook_url").asText())
                    .isEqualTo("docs/runbook.md#" + name.toLowerCase(Locale.ROOT));
            if (labels.has("cause")) {
                String cause = labels.get("cause").asText();
                assertThat(verdicts).as(name).containsKey(cause);
                assertThat(annotations.get("summary").asText()
                                + annotations.get("description").asText())
                        .as(name)
                        .contains(verdicts.get(cause));
            }
        }
        assertThat(AlertRules.names()).doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("B175 each cause that health can name and that must be acted on has an alert")
    void causes() throws IOException {
        Set<String> alerted = AlertRules.alerts().stream()
                .filter(alert -> alert.get("labels").has("cause"))
                .map(alert -> alert.get("labels").get("cause").asText())
                .collect(Collectors.toSet());
        assertThat(Arrays.stream(Health.Cause.values())
                        .filter(cause -> !WITHOUT_ALERT.contains(cause))
                        .map(Readings::verdict))
                .isSubsetOf(alerted);
    }

    @Test
    @DisplayName("B176 the runbook has a section for each alert, in the same order, with its words and a command")
    void runbook() throws IOException {
        List<MatchResult> sections =
                SECTION.matcher(Files.readString(RUNBOOK)).results().toList();
        assertThat(sections.stream().map(section -> section.group(1))).containsExactlyElementsOf(AlertRules.names());
        for (MatchResult section : sections) {
            String text = section.group(2);
            assertThat(text)
                    .as(section.group(1))
                    .containsSubsequence("- **Means**:", "- **Look**:", "`./laneway ", "- **Do**:");
        }
        Map<String, String> verdicts = new HashMap<>();
        for (Health.Cause cause : Health.Cause.values()) {
            verdicts.put(Readings.verdict(cause), cause.words());
        }
        for (JsonNode alert : AlertRules.alerts()) {
            String words = verdicts.get(alert.get("labels").path("cause").asText());
            if (words != null) {
                assertThat(sections.stream()
                                .filter(section -> section.group(1).equals(AlertRules.name(alert)))
                                .map(section -> section.group(2).replaceAll("\\s+", " "))
                                .findFirst())
                        .hasValueSatisfying(text -> assertThat(text).contains(words));
            }
        }
    }

    @Test
    @DisplayName("B177 promtool takes the rules, and their tests pass")
    void promtool() throws Exception {
        Promtool.run(null, "check", "rules", AlertRules.FILE.toString()).mustPass();
        Promtool.run(null, "test", "rules", TESTS.toString()).mustPass();
    }

    @Test
    @DisplayName(
            "B177 each alert fires in a test, in which it is silent before or after, and what is healthy has it all")
    void coverage() throws IOException {
        Set<String> fired = new TreeSet<>();
        Set<String> healthy = new TreeSet<>();
        for (JsonNode test : AlertRules.yaml(TESTS).get("tests")) {
            String name = test.get("name").asText();
            List<JsonNode> checks =
                    AlertRules.each(test.get("promql_expr_test")).toList();
            assertThat(checks)
                    .as(name)
                    .allSatisfy(check -> assertThat(check.get("expr").asText())
                            .isEqualTo("count by (alertname) (ALERTS{alertstate=\"firing\", group=\"shop\"})"))
                    .anyMatch(check -> check.get("exp_samples").isEmpty());
            FIRING.matcher(checks.toString().replace("\\", "")).results().forEach(found -> fired.add(found.group(1)));
            if (name.startsWith("healthy")) {
                assertThat(checks)
                        .as(name)
                        .allMatch(check -> check.get("exp_samples").isEmpty());
                AlertRules.each(test.get("input_series"))
                        .map(series -> series.get("series").asText().replaceFirst("\\{.*", ""))
                        .forEach(healthy::add);
            }
        }
        assertThat(fired).containsExactlyInAnyOrderElementsOf(AlertRules.names());
        Set<String> asked = new TreeSet<>();
        for (JsonNode alert : AlertRules.alerts()) {
            asked.addAll(AlertRules.query(alert).metrics());
        }
        for (JsonNode recorded : AlertRules.recorded()) {
            asked.addAll(AlertRules.query(recorded).metrics());
        }
        asked.removeIf(name -> name.startsWith("laneway:"));
        assertThat(healthy).containsAll(asked);
    }

    @Test
    @DisplayName("B177 where no alert fires for its group, the tests of all of them fail")
    void planted(@TempDir Path folder) throws Exception {
        String rules = Files.readString(AlertRules.FILE);
        Files.writeString(folder.resolve("rules.yml"), rules.replaceAll("( group:) \"\\{\\{ .*", "$1 elsewhere"));
        String tests = Files.readString(TESTS).replaceFirst("(?m)^  - \\.\\./.*$", "  - rules.yml");
        Path copy = Files.writeString(folder.resolve("tests.yml"), tests);
        Promtool.Answer answer = Promtool.run(null, "test", "rules", copy.toString());
        assertThat(answer.exitCode()).isEqualTo(1);
        Set<String> missed = FIRING.matcher(answer.said())
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(missed).containsExactlyInAnyOrderElementsOf(AlertRules.names());
    }
}
