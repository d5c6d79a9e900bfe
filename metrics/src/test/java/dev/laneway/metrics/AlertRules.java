package dev.laneway.metrics;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** The file of alert rules, as it stands in the documents and in the jar. */
final class AlertRules {
    static final Path FILE = Path.of("../docs/prometheus/laneway-alerts.yml");

    private AlertRules() {}

    static JsonNode yaml(Path file) throws IOException {
        return new ObjectMapper(new YAMLFactory()).readTree(file.toFile());
    }

    static Stream<JsonNode> each(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }

    private static List<JsonNode> rules() throws IOException {
        return each(yaml(FILE).get("groups"))
                .flatMap(group -> each(group.get("rules")))
                .toList();
    }

    /** The alerts, in the order of the file. */
    static List<JsonNode> alerts() throws IOException {
        return rules().stream().filter(rule -> rule.has("alert")).toList();
    }

    /** Their names. */
    static List<String> names() throws IOException {
        return alerts().stream().map(AlertRules::name).toList();
    }

    static String name(JsonNode alert) {
        return alert.get("alert").asText();
    }

    /** What it records for other rules. */
    static List<JsonNode> recorded() throws IOException {
        return rules().stream().filter(rule -> rule.has("record")).toList();
    }

    static PromQuery query(JsonNode rule) {
        return new PromQuery(rule.get("expr").asText());
    }
}
