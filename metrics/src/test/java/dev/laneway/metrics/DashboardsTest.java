package dev.laneway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The dashboards are what Grafana imports, and agree with the table. */
class DashboardsTest {
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{?(\\w+)}?");
    private static final Pattern ALERT = Pattern.compile("\\bLaneway[A-Z]\\w+");
    private static final Set<String> UNITS = Set.of("none", "short", "cps", "s", "bytes", "percentunit");
    private static final Set<String> TYPES = Set.of("row", "stat", "timeseries", "state-timeline");
    private static final int COLUMNS = 24;

    @Test
    @DisplayName("B178 a dashboard has what Grafana's import needs, and a variable for data source, group and client")
    void structure() throws IOException {
        Set<String> uids = new HashSet<>();
        for (Dashboard dashboard : Dashboard.all()) {
            JsonNode root = dashboard.root();
            assertThat(uids.add(root.get("uid").asText())).isTrue();
            assertThat(root.get("uid").asText()).matches("[a-zA-Z0-9_-]{1,40}").isEqualTo(dashboard.name());
            assertThat(root.get("title").asText()).isNotBlank();
            assertThat(root.has("id")).as("an id is that of one Grafana").isFalse();
            assertThat(root.get("schemaVersion").asInt()).isBetween(36, 42);
            assertThat(root.get("time").get("from").asText()).startsWith("now-");
            assertThat(root.get("refresh").asText()).matches("\\d+[sm]");
            Map<String, JsonNode> variables = dashboard.variables();
            assertThat(variables).containsKeys("datasource", "group");
            assertThat(variables.get("datasource").get("type").asText()).isEqualTo("datasource");
            assertThat(variables.get("datasource").get("query").asText()).isEqualTo("prometheus");
            variables.forEach((name, variable) -> {
                assertThat(name).matches("\\w{1,50}");
                if (variable.get("type").asText().equals("query")) {
                    assertThat(variable.get("query").get("query").asText())
                            .isEqualTo(variable.get("definition").asText())
                            .startsWith("label_values(");
                    fromTheDatasource(variable);
                }
            });
            root.get("links")
                    .forEach(link -> assertThat(link.get("url").asText()).startsWith("/d/laneway-"));
        }
        assertThat(Dashboard.of("laneway-client").variables()).containsKeys("instance", "client");
    }

    private static void fromTheDatasource(JsonNode node) {
        assertThat(node.get("datasource").get("type").asText()).isEqualTo("prometheus");
        assertThat(node.get("datasource").get("uid").asText()).isEqualTo("${datasource}");
    }

    @Test
    @DisplayName("B178 panels have ids of their own, a place of their own, a title, a unit and queries")
    void panels() throws IOException {
        for (Dashboard dashboard : Dashboard.all()) {
            Set<Integer> ids = new HashSet<>();
            Map<String, String> taken = new HashMap<>();
            for (JsonNode panel : dashboard.root().get("panels")) {
                String title = dashboard.name() + ": " + panel.get("title").asText();
                assertThat(ids.add(panel.get("id").asInt())).as(title).isTrue();
                assertThat(panel.get("id").asInt()).isPositive();
                assertThat(panel.get("type").asText()).isIn(TYPES);
                occupy(panel.get("gridPos"), title, taken);
                if (!panel.get("type").asText().equals("row")) {
                    plotted(panel, title);
                }
            }
            assertThat(dashboard.root().get("panels").get(0).get("type").asText())
                    .isEqualTo("row");
        }
    }

    private static void occupy(JsonNode grid, String title, Map<String, String> taken) {
        int x = grid.get("x").asInt();
        int width = grid.get("w").asInt();
        assertThat(x).isNotNegative();
        assertThat(width).isPositive();
        assertThat(x + width).as(title).isLessThanOrEqualTo(COLUMNS);
        assertThat(grid.get("h").asInt()).isPositive();
        for (int column = x; column < x + width; column++) {
            for (int line = 0; line < grid.get("h").asInt(); line++) {
                String place = column + "/" + (grid.get("y").asInt() + line);
                assertThat(taken.putIfAbsent(place, title))
                        .as("%s at %s", title, place)
                        .isNull();
            }
        }
    }

    private static void plotted(JsonNode panel, String title) {
        assertThat(panel.get("title").asText()).isNotBlank();
        assertThat(panel.get("description").asText()).as(title).endsWith(".");
        assertThat(panel.get("fieldConfig").get("defaults").get("unit").asText())
                .as(title)
                .isIn(UNITS);
        assertThat(panel.get("fieldConfig").get("overrides").isArray()).isTrue();
        fromTheDatasource(panel);
        Set<String> letters = new HashSet<>();
        assertThat(panel.get("targets")).as(title).isNotEmpty();
        panel.get("targets").forEach(target -> {
            assertThat(letters.add(target.get("refId").asText())).isTrue();
            assertThat(target.get("expr").asText()).isNotBlank();
            assertThat(target.get("legendFormat").isTextual()).isTrue();
            fromTheDatasource(target);
        });
    }

    @Test
    @DisplayName("B178 each metric, label and value that a panel names is one of the table's, in its unit")
    void table() throws IOException {
        List<String> findings = new ArrayList<>();
        for (Dashboard dashboard : Dashboard.all()) {
            for (Dashboard.Query query : dashboard.queries()) {
                query.asked().findings(Set.of("ALERTS")).forEach(one -> findings.add(query + ": " + one));
                for (String name : query.asked().metrics()) {
                    LanewayMetric metric = PromQuery.exported().get(name);
                    if (metric != null && name.endsWith("_seconds") && metric.isTime()) {
                        assertThat(query.unit()).as(query.toString()).isEqualTo("s");
                    }
                }
            }
        }
        assertThat(findings).isEmpty();
    }

    @Test
    @DisplayName(
            "B178 a panel's queries keep to the chosen group, and the client's to the client; no variable is unknown")
    void chosen() throws IOException {
        for (Dashboard dashboard : Dashboard.all()) {
            Set<String> known = new TreeSet<>(dashboard.variables().keySet());
            boolean isClient = known.contains("client");
            for (Dashboard.Query query : dashboard.queries()) {
                Set<String> named = VARIABLE.matcher(query.text())
                        .results()
                        .map(found -> found.group(1))
                        .collect(Collectors.toCollection(TreeSet::new));
                named.remove("__rate_interval");
                assertThat(known).as(query.toString()).containsAll(named);
                if (!query.isVariable()) {
                    assertThat(named).as(query.toString()).contains("group");
                    assertThat(named.contains("client")).as(query.toString()).isEqualTo(isClient);
                    long selectors =
                            query.text().chars().filter(letter -> letter == '{').count();
                    assertThat(query.asked().matches().stream()
                                    .filter(match -> match.value().equals("$group"))
                                    .count())
                            .as(query.toString())
                            .isEqualTo(selectors);
                }
            }
        }
    }

    @Test
    @DisplayName("B176 B178 alerts that a panel's text names are alerts of the rules")
    void alerts() throws IOException {
        Set<String> named = new TreeSet<>();
        for (Dashboard dashboard : Dashboard.all()) {
            for (JsonNode panel : dashboard.root().get("panels")) {
                ALERT.matcher(panel.path("description").asText()).results().forEach(found -> named.add(found.group()));
            }
        }
        assertThat(named).hasSizeGreaterThan(10);
        assertThat(AlertRules.names()).containsAll(named);
    }

    @Test
    @DisplayName("B178 the jar has the rules and the dashboards as they are in the documents")
    void inTheJar() throws IOException {
        List<Path> files = new ArrayList<>(List.of(AlertRules.FILE));
        Dashboard.all().forEach(dashboard -> files.add(dashboard.file()));
        for (Path file : files) {
            String resource = "/META-INF/laneway/" + file.getParent().getFileName() + "/" + file.getFileName();
            try (InputStream shipped = LanewayMetric.class.getResourceAsStream(resource)) {
                assertThat(shipped).as(resource).isNotNull();
                assertThat(shipped.readAllBytes()).isEqualTo(Files.readAllBytes(file));
            }
        }
    }
}
