package dev.laneway.metrics;

import dev.laneway.Health;
import dev.laneway.PauseReason;
import dev.laneway.State;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a query for Prometheus names: metrics, and labels of each. It knows as much of the language as rules and panels
 * use; whether the query is one, Prometheus tells.
 */
record PromQuery(String text) {
    private static final Pattern STRING = Pattern.compile("\"[^\"]*\"");
    private static final Pattern RANGE = Pattern.compile("\\[[^\\]]*]");
    private static final Pattern SELECTOR = Pattern.compile("([a-zA-Z_:][\\w:]*)\\s*\\{([^}]*)}");
    private static final Pattern MATCHER = Pattern.compile("(\\w+)\\s*(=~|!~|!=|=)\\s*\"([^\"]*)\"");
    private static final Pattern LABELS = Pattern.compile("\\b(?:by|on|without|ignoring)\\s*\\(([^)]*)\\)");
    private static final Pattern NAME = Pattern.compile("(?<![\\w:$])[a-zA-Z_:][\\w:]*(?![\\w:]|\\s*\\()");
    private static final Set<String> WORDS = Set.of("and", "or", "unless", "offset");
    /** What Prometheus adds to each series, and the bounds of histograms. */
    private static final Set<String> OF_SCRAPES = Set.of("job", "instance", "le");

    /** The values of labels that can have no other. */
    private static final Map<String, Set<String>> VALUES = Map.of(
            "laneway_reason", lower(PauseReason.values()),
            "laneway_state", lower(State.values()),
            "laneway_activity", lower(Readings.Activity.values()),
            "laneway_cause",
                    Arrays.stream(Health.Cause.values()).map(Readings::verdict).collect(Collectors.toSet()));

    /** A matcher of a metric's label. */
    record Match(String metric, String label, String value) {}

    /** The names of series that it reads. */
    Set<String> metrics() {
        String plain = STRING.matcher(LABELS.matcher(text).replaceAll("")).replaceAll("");
        plain = RANGE.matcher(plain).replaceAll("");
        plain = plain.replaceAll("\\{[^}]*}", "");
        Set<String> names =
                NAME.matcher(plain).results().map(MatchResult::group).collect(Collectors.toCollection(TreeSet::new));
        names.removeAll(WORDS);
        return names;
    }

    /** What it asks of labels. */
    List<Match> matches() {
        List<Match> all = new ArrayList<>();
        SELECTOR.matcher(text)
                .results()
                .forEach(selector -> MATCHER.matcher(selector.group(2))
                        .results()
                        .forEach(found -> all.add(new Match(selector.group(1), found.group(1), found.group(3)))));
        return all;
    }

    /** The labels that it groups or joins by. */
    Set<String> grouping() {
        return LABELS.matcher(text)
                .results()
                .flatMap(found -> Arrays.stream(found.group(1).split(",")))
                .map(String::strip)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    // ---------------------------------------------------------------- what there is

    /** The table's series, by the names that Prometheus stores: those of a histogram are three. */
    static Map<String, LanewayMetric> exported() {
        Map<String, LanewayMetric> all = new TreeMap<>();
        for (LanewayMetric metric : LanewayMetric.values()) {
            String name = metric.prometheusName();
            if (metric.kind() == LanewayMetric.Kind.HISTOGRAM) {
                Stream.of("_bucket", "_count", "_sum").forEach(end -> all.put(name + end, metric));
            } else {
                all.put(name, metric);
            }
        }
        return all;
    }

    /** The labels of a metric, as Prometheus stores them. */
    static Set<String> labels(LanewayMetric metric) {
        Set<String> all = new HashSet<>(OF_SCRAPES);
        metric.tags().forEach(tag -> all.add(stored(metric.key(tag))));
        metric.constantTags().keySet().forEach(key -> all.add(stored(key)));
        return all;
    }

    private static String stored(String key) {
        return key.replace('.', '_');
    }

    /** What is wrong with it: a series or a label that no metric of the table has, or a value that no label takes. */
    List<String> findings(Set<String> others) {
        List<String> found = new ArrayList<>();
        Map<String, LanewayMetric> exported = exported();
        Set<String> known = new HashSet<>(OF_SCRAPES);
        for (String name : metrics()) {
            LanewayMetric metric = exported.get(name);
            if (metric != null) {
                known.addAll(labels(metric));
            } else if (!others.contains(name)) {
                found.add(name + " is no metric of the table");
            }
        }
        for (Match match : matches()) {
            LanewayMetric metric = exported.get(match.metric);
            if (metric != null && !labels(metric).contains(match.label)) {
                found.add(match.metric + " has no label " + match.label);
            }
            Set<String> values = VALUES.get(match.label);
            if (values != null && !values.containsAll(List.of(match.value.split("\\|")))) {
                found.add(match.label + " is never " + match.value);
            }
        }
        grouping().stream()
                .filter(label -> !label.isEmpty() && !known.contains(label))
                .filter(label -> metrics().stream().noneMatch(others::contains))
                .forEach(label -> found.add("no metric here has the label " + label));
        return found;
    }

    private static Set<String> lower(Enum<?>[] values) {
        return Arrays.stream(values)
                .map(value -> value.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet());
    }
}
