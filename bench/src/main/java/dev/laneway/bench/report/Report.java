package dev.laneway.bench.report;

import dev.laneway.bench.measure.ArmResult;
import dev.laneway.bench.scenario.Plan;
import dev.laneway.bench.scenario.Published;
import dev.laneway.bench.scenario.Scenario;
import dev.laneway.cli.program.Text;
import dev.laneway.cli.program.VerbFailure;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The results for people, with slower results and failed arms beside the others. Immutable.
 *
 * @param command the command that measured it; several, line by line
 */
public record Report(String command, Machine machine, Plan plan, List<Row> rows) {
    /** The line of an arm that has just ended. */
    public static String line(Row row) {
        ArmResult result = row.result();
        String failure = result.failure();
        if (failure != null) {
            return row.id() + ": failed: " + failure;
        }
        StringBuilder line = new StringBuilder(row.id()).append(": ");
        List<String> words = new ArrayList<>();
        add(words, "", result.rate(), " records/s");
        add(words, "", row.ratioToBare(), " of bare");
        add(words, "p50 ", result.p50Ms(), " ms");
        add(words, "p99 ", result.p99Ms(), " ms");
        result.figures().forEach((name, value) -> words.add(name + " " + Figure.number(value)));
        return line.append(String.join(", ", words)).toString();
    }

    private static void add(List<String> words, String before, @Nullable Double value, String after) {
        if (value != null) {
            words.add(before + Figure.number(value) + after);
        }
    }

    /** The commits and days of the rows: a stopped run may go on later. */
    String sittings() {
        Map<String, List<String>> byCommit = new LinkedHashMap<>();
        for (Row row : rows) {
            byCommit.computeIfAbsent(row.taken().commit(), _ -> new ArrayList<>())
                    .add(row.taken().at());
        }
        List<String> sittings = new ArrayList<>();
        byCommit.forEach((commit, times) -> sittings.add(Text.count(times.size()) + " rows of " + commit + " from "
                + times.stream().min(String::compareTo).orElse("") + " to "
                + times.stream().max(String::compareTo).orElse("")));
        return "Taken: " + String.join("; ", sittings);
    }

    /** The rows of a case by peer, in the order in which peers were measured. */
    Map<String, List<Row>> byPeer(Plan.Part part) {
        Map<String, List<Row>> byPeer = new LinkedHashMap<>();
        for (Row row : rows) {
            if (row.scenario().equals(part.scenario().name())
                    && row.caseName().equals(part.setting().name())) {
                byPeer.computeIfAbsent(row.peer(), _ -> new ArrayList<>()).add(row);
            }
        }
        return byPeer;
    }

    /** The table of a case: a header and a row for each peer. */
    List<List<String>> table(Plan.Part part) {
        Map<String, List<Row>> byPeer = byPeer(part);
        Set<String> figures = new LinkedHashSet<>();
        byPeer.values()
                .forEach(taken -> taken.forEach(
                        row -> figures.addAll(row.result().figures().keySet())));
        List<String> header = new ArrayList<>(
                List.of("peer", "records/s", "of bare", "CPU s", "peak RSS MB", "B/record", "p50 ms", "p99 ms"));
        header.addAll(figures);
        header.add("notes");
        List<List<String>> table = new ArrayList<>();
        table.add(header);
        byPeer.forEach((peer, taken) -> {
            List<String> cells = new ArrayList<>();
            cells.add(peer);
            cells.add(cell(Figure.of(taken, row -> row.result().rate())));
            cells.add(cell(Figure.of(taken, Row::ratioToBare)));
            cells.add(median(Figure.of(taken, row -> row.result().cpuSeconds())));
            cells.add(median(Figure.of(taken, row -> row.result().peakRssMb())));
            cells.add(median(Figure.of(taken, row -> row.result().allocBytesPerRecord())));
            cells.add(median(Figure.of(taken, row -> row.result().p50Ms())));
            cells.add(median(Figure.of(taken, row -> row.result().p99Ms())));
            for (String name : figures) {
                cells.add(cell(Figure.of(taken, row -> row.result().figures().get(name))));
            }
            cells.add(notes(taken));
            table.add(cells);
        });
        return withoutEmptyColumns(table);
    }

    private static List<List<String>> withoutEmptyColumns(List<List<String>> table) {
        List<Integer> kept = new ArrayList<>();
        for (int column = 0; column < table.getFirst().size(); column++) {
            int at = column;
            if (table.stream().skip(1).anyMatch(row -> !row.get(at).isEmpty())) {
                kept.add(column);
            }
        }
        return table.stream().map(row -> kept.stream().map(row::get).toList()).toList();
    }

    private static String cell(@Nullable Figure figure) {
        return figure == null ? "" : figure.text();
    }

    private static String median(@Nullable Figure figure) {
        return figure == null ? "" : Figure.number(figure.median());
    }

    private static String notes(List<Row> taken) {
        Set<String> notes = new LinkedHashSet<>();
        for (Row row : taken) {
            String failure = row.result().failure();
            if (failure != null) {
                notes.add("FAILED in run " + row.run() + ": " + failure);
            }
        }
        taken.stream()
                .filter(Row::isOk)
                .map(row -> row.result().notes())
                .findFirst()
                .ifPresent(notes::add);
        return String.join("; ", notes);
    }

    /** What is computed over the cases of a scenario, with a header; only that if there is nothing. */
    List<List<String>> further(Scenario scenario) {
        return switch (scenario.name()) {
            case "prefetch" -> Crossover.table(rows);
            case "million" -> Sizing.table(rows);
            default -> List.of();
        };
    }

    /** The conclusion; empty if there is none. */
    String remark(Scenario scenario) {
        return scenario.name().equals("million") ? Sizing.text(rows, machine.cores()) : "";
    }

    public void print(PrintStream text) {
        for (Plan.Part part : plan.parts()) {
            text.println();
            text.println(part.title() + ": " + part.scenario().what());
            Tables.print(text, table(part));
        }
        for (Scenario scenario : plan.scenarios()) {
            for (Published published : scenario.published()) {
                text.println("published, " + scenario.name() + ": " + published.who() + ": " + published.figure() + " ("
                        + published.source() + ")");
            }
        }
        for (List<List<String>> table : List.of(Crossover.table(rows), Sizing.table(rows), Targets.table(rows))) {
            if (table.size() > 1) {
                text.println();
                Tables.print(text, table);
            }
        }
        String sizing = Sizing.text(rows, machine.cores());
        if (!sizing.isEmpty()) {
            text.println();
            text.println(sizing);
        }
        text.println();
        text.println(machine.text());
        text.println(sittings());
        text.println(command);
    }

    /** Writes the report's files. */
    public void write(Path directory) {
        try {
            Files.createDirectories(directory);
            Files.writeString(directory.resolve("report.md"), markdown());
        } catch (IOException failed) {
            throw failure(directory, failed);
        }
        writePage(directory);
    }

    /** Writes the page with charts; returns its file. */
    public Path writePage(Path directory) {
        try {
            return Files.writeString(directory.resolve("report.html"), HtmlReport.of(this));
        } catch (IOException failed) {
            throw failure(directory, failed);
        }
    }

    private static VerbFailure failure(Path directory, IOException failed) {
        return new VerbFailure("cannot write the report to " + directory + ": " + failed, failed);
    }

    private String markdown() {
        StringBuilder text = new StringBuilder("# Benchmarks\n\n");
        command.lines().forEach(line -> text.append("`").append(line).append("`\n\n"));
        text.append(machine.text()).append("\n\n");
        text.append(sittings()).append("\n\n");
        text.append("Medians; runs: ").append(plan.runs()).append(", in brackets least and most.\n");
        List<List<String>> reached = Targets.table(rows);
        if (reached.size() > 1) {
            text.append("\n## What is to be reached\n\n");
            Tables.markdown(text, reached);
        }
        for (Scenario scenario : plan.scenarios()) {
            text.append("\n## ").append(scenario.name()).append("\n\n");
            text.append(scenario.what()).append(".\n");
            for (Plan.Part part : plan.parts()) {
                if (part.scenario().equals(scenario)) {
                    text.append("\n### ").append(part.title()).append("\n\n");
                    Tables.markdown(text, table(part));
                }
            }
            List<List<String>> further = further(scenario);
            if (further.size() > 1) {
                text.append('\n');
                Tables.markdown(text, further);
            }
            String remark = remark(scenario);
            if (!remark.isEmpty()) {
                text.append('\n').append(remark).append('\n');
            }
            if (!scenario.published().isEmpty()) {
                text.append("\nPublished by others, not measured here:\n\n");
                for (Published published : scenario.published()) {
                    text.append("- ").append(published.who()).append(": ").append(published.figure());
                    text.append(" (").append(published.source()).append(")\n");
                }
            }
        }
        return text.toString();
    }
}
