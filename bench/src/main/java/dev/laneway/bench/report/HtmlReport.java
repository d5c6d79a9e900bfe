package dev.laneway.bench.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.bench.scenario.Plan;
import dev.laneway.bench.scenario.Published;
import dev.laneway.bench.scenario.Scenario;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The report as one self-contained HTML file: a chart and a table for each case. Used by one thread. */
final class HtmlReport {
    private static final String CHART_JS = "/META-INF/resources/webjars/chart.js/";
    private static final String CHART_JS_POM = "/META-INF/maven/org.webjars.npm/chart.js/pom.properties";
    /** A number with an optional range. */
    private static final Pattern NUMBER = Pattern.compile("[0-9][0-9,.]*( \\([^)]*\\)| \\[[^\\]]*\\])?");

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Report report;
    private final StringBuilder html = new StringBuilder();

    private HtmlReport(Report report) {
        this.report = report;
    }

    static String of(Report report) {
        HtmlReport page = new HtmlReport(report);
        page.write();
        return page.html.toString();
    }

    private void write() {
        html.append("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        html.append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        html.append("<title>Laneway benchmarks</title>\n<style>\n");
        html.append(resource("report.css")).append("</style>\n</head>\n<body>\n<h1>Laneway benchmarks</h1>\n");
        report.command()
                .lines()
                .forEach(line -> html.append("<p><code>").append(escaped(line)).append("</code></p>\n"));
        html.append("<p>").append(escaped(report.machine().text())).append("</p>\n");
        html.append("<p>").append(escaped(report.sittings())).append("</p>\n");
        html.append("<p>Medians; runs: ").append(report.plan().runs());
        html.append(", in brackets least and most. Failed arms are shown, and say what failed.</p>\n");
        List<List<String>> reached = Targets.table(report.rows());
        if (reached.size() > 1) {
            html.append("<h2>What is to be reached</h2>\n");
            table(reached);
        }
        report.plan().scenarios().forEach(this::scenario);
        html.append("<script>\n").append(chartJs()).append("\n</script>\n<script>\n");
        html.append(resource("report.js")).append("</script>\n</body>\n</html>\n");
    }

    private void scenario(Scenario scenario) {
        html.append("<h2>").append(escaped(scenario.name())).append("</h2>\n");
        html.append("<p>").append(escaped(scenario.what())).append(".</p>\n");
        for (Plan.Part part : report.plan().parts()) {
            if (part.scenario().equals(scenario)) {
                html.append("<h3>").append(escaped(part.title())).append("</h3>\n");
                Map<String, List<Row>> byPeer = report.byPeer(part);
                if (byPeer.values().stream().flatMap(List::stream).anyMatch(HtmlReport::isDrawn)) {
                    html.append("<div class=\"chart\" data-chart=\"");
                    html.append(escaped(json(chart(byPeer)))).append("\"></div>\n");
                }
                table(report.table(part));
            }
        }
        List<List<String>> further = report.further(scenario);
        if (further.size() > 1) {
            table(further);
        }
        String remark = report.remark(scenario);
        if (!remark.isEmpty()) {
            html.append("<p>").append(escaped(remark)).append("</p>\n");
        }
        if (!scenario.published().isEmpty()) {
            html.append("<div class=\"published\"><p>Published by others, not measured here:</p>\n<ul>\n");
            for (Published published : scenario.published()) {
                html.append("<li>").append(escaped(published.who() + ": " + published.figure()));
                html.append(" (").append(escaped(published.source())).append(")</li>\n");
            }
            html.append("</ul></div>\n");
        }
    }

    /** A case whose rows have neither has only a table. */
    private static boolean isDrawn(Row row) {
        return row.result().rate() != null || row.result().p50Ms() != null;
    }

    /** Latencies where they are measured, else rates. */
    private static Map<String, Object> chart(Map<String, List<Row>> byPeer) {
        boolean latencies = byPeer.values().stream()
                .flatMap(List::stream)
                .anyMatch(row -> row.result().p50Ms() != null);
        Map<String, Object> chart = new LinkedHashMap<>();
        chart.put("unit", latencies ? "milliseconds, less is better" : "records/s, more is better");
        chart.put("peers", List.copyOf(byPeer.keySet()));
        List<Map<String, Object>> series = new ArrayList<>();
        if (latencies) {
            series.add(series("p50", byPeer, row -> row.result().p50Ms()));
            series.add(series("p99", byPeer, row -> row.result().p99Ms()));
        } else {
            series.add(series("records/s", byPeer, row -> row.result().rate()));
        }
        chart.put("series", series);
        return chart;
    }

    private static Map<String, Object> series(
            String name, Map<String, List<Row>> byPeer, Function<Row, @Nullable Double> number) {
        List<Double> medians = new ArrayList<>();
        List<List<Double>> ranges = new ArrayList<>();
        List<String> texts = new ArrayList<>();
        byPeer.values().forEach(taken -> {
            Figure figure = Figure.of(taken, number);
            medians.add(figure == null ? 0 : figure.median());
            ranges.add(figure == null ? List.of() : List.of(figure.min(), figure.max()));
            texts.add(figure == null ? "failed" : name + ": " + figure.text());
        });
        return Map.of("name", name, "medians", medians, "ranges", ranges, "texts", texts);
    }

    private void table(List<List<String>> table) {
        html.append("<div class=\"scroll\"><table>\n<tr>");
        table.getFirst()
                .forEach(cell ->
                        html.append("<th scope=\"col\">").append(escaped(cell)).append("</th>"));
        html.append("</tr>\n");
        for (List<String> row : table.subList(1, table.size())) {
            html.append(row.getLast().startsWith("FAILED") ? "<tr class=\"failed\">" : "<tr>");
            for (String cell : row) {
                boolean number = !cell.isEmpty() && NUMBER.matcher(cell).matches();
                html.append(number ? "<td class=\"number\">" : "<td>")
                        .append(escaped(cell))
                        .append("</td>");
            }
            html.append("</tr>\n");
        }
        html.append("</table></div>\n");
    }

    private static String json(Object value) {
        try {
            return JSON.writeValueAsString(value);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    /** The library's file, whose path has its version in it. */
    private static String chartJs() {
        Properties pom = new Properties();
        try (InputStream properties = open(CHART_JS_POM)) {
            pom.load(properties);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return text(CHART_JS + pom.getProperty("version") + "/dist/chart.umd.js");
    }

    private static String resource(String name) {
        return text("/dev/laneway/bench/" + name);
    }

    private static String text(String path) {
        try (InputStream in = open(path)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static InputStream open(String path) {
        InputStream in = HtmlReport.class.getResourceAsStream(path);
        if (in == null) {
            throw new IllegalStateException("the class path lacks " + path);
        }
        return in;
    }
}
