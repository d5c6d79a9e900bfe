package dev.laneway.metrics;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A dashboard for Grafana, as it stands in the documents and in the jar. */
record Dashboard(Path file, JsonNode root) {
    private static final Path FOLDER = Path.of("../docs/grafana");
    private static final Pattern LABEL_VALUES = Pattern.compile("label_values\\((.*), (\\w+)\\)");

    /** One query: of a panel, of a variable, or of the annotations. */
    record Query(String dashboard, String panel, String text, String unit, boolean isVariable) {
        PromQuery asked() {
            return new PromQuery(text);
        }

        @Override
        public String toString() {
            return dashboard + ", " + panel + ": " + text;
        }
    }

    static List<Dashboard> all() throws IOException {
        List<Dashboard> all = new ArrayList<>();
        try (Stream<Path> files = Files.list(FOLDER)) {
            for (Path file : files.sorted().toList()) {
                all.add(new Dashboard(file, new ObjectMapper().readTree(file.toFile())));
            }
        }
        return all;
    }

    static Dashboard of(String name) throws IOException {
        return all().stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow();
    }

    String name() {
        return file.getFileName().toString().replace(".json", "");
    }

    /** The variables by name, in their order. */
    Map<String, JsonNode> variables() {
        Map<String, JsonNode> all = new LinkedHashMap<>();
        root.get("templating")
                .get("list")
                .forEach(one -> all.put(one.get("name").asText(), one));
        return all;
    }

    /** All that it asks Prometheus; of a variable the series whose label it wants. */
    List<Query> queries() {
        List<Query> all = new ArrayList<>();
        for (JsonNode panel : root.get("panels")) {
            String unit =
                    panel.path("fieldConfig").path("defaults").path("unit").asText();
            panel.path("targets")
                    .forEach(target -> all.add(new Query(
                            name(),
                            panel.get("title").asText(),
                            target.get("expr").asText(),
                            unit,
                            false)));
        }
        variables().forEach((name, variable) -> {
            Matcher values = LABEL_VALUES.matcher(variable.path("definition").asText());
            if (values.matches()) {
                String text = "count by (" + values.group(2) + ") (" + values.group(1) + ")";
                all.add(new Query(name(), "variable " + name, text, "", true));
            }
        });
        root.get("annotations")
                .get("list")
                .forEach(one -> all.add(new Query(
                        name(),
                        "annotation " + one.get("name").asText(),
                        one.get("expr").asText(),
                        "",
                        false)));
        return all;
    }
}
