package dev.laneway.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Recording;
import dev.laneway.ops.observe.SourceFailure;
import dev.laneway.ops.plan.MeasuredWork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads what a record took from a recording of {@code check}, or from rows of {@code bench}. Stateless. */
final class RunFile {
    private static final String OPTION = "--from-run: ";

    private RunFile() {}

    static MeasuredWork read(Path file, @Nullable String row) {
        List<JsonNode> rows = rows(file);
        if (rows.isEmpty()) {
            return recording(file, row);
        }
        return bench(file, rows, row);
    }

    private static MeasuredWork recording(Path file, @Nullable String row) {
        if (row != null) {
            throw new VerbFailure("--row is " + row + " but " + file + " has no rows of bench: leave it out");
        }
        try {
            return MeasuredWork.of(new Observations(Recording.read(file).samples()));
        } catch (SourceFailure failed) {
            throw new VerbFailure(OPTION + failed.getMessage(), failed);
        } catch (IllegalArgumentException useless) {
            throw new VerbFailure(OPTION + "recording " + file + " tells no time: " + useless.getMessage(), useless);
        }
    }

    /** The rows of a report, or of lines; none if it is something else. */
    private static List<JsonNode> rows(Path file) {
        List<JsonNode> rows = new ArrayList<>();
        try (MappingIterator<JsonNode> values =
                new ObjectMapper().readerFor(JsonNode.class).readValues(Files.readString(file))) {
            while (values.hasNextValue()) {
                JsonNode value = values.nextValue();
                (value.isArray() ? value : List.of(value)).forEach(rows::add);
            }
        } catch (JsonProcessingException noJson) {
            return List.of();
        } catch (IOException failed) {
            throw new VerbFailure(
                    OPTION + file + " cannot be read: give a file of check --record or bench --json", failed);
        }
        return rows.stream().allMatch(each -> each.has("scenario") && each.has("peer")) ? rows : List.of();
    }

    /** The bare loop handles one record at a time, so the time of a record is the inverse of its rate. */
    private static MeasuredWork bench(Path file, List<JsonNode> rows, @Nullable String row) {
        Map<String, List<JsonNode>> byCase = new TreeMap<>();
        for (JsonNode each : rows) {
            String name =
                    each.path("scenario").asText() + "/" + each.path("case").asText();
            if (each.path("peer").asText().equals("bare")
                    && each.path("ok").asBoolean()
                    && each.path("rate").asDouble() > 0
                    && (row == null || row.equals(name))) {
                byCase.computeIfAbsent(name, _ -> new ArrayList<>()).add(each);
            }
        }
        if (byCase.isEmpty()) {
            throw new VerbFailure(
                    OPTION + file + " has no row of the bare loop with a rate" + (row == null ? "" : " for " + row)
                            + ": only it handles one record at a time; measure it by bench --peers bare --json FILE");
        }
        if (byCase.size() > 1) {
            throw new VerbFailure(OPTION + file + " has rows of several cases: choose one by --row, of "
                    + String.join(", ", byCase.keySet()));
        }
        List<JsonNode> chosen = byCase.values().iterator().next();
        double[] rates = chosen.stream()
                .mapToDouble(each -> each.path("rate").asDouble())
                .sorted()
                .toArray();
        double rate = rates[rates.length / 2];
        double cpu = chosen.stream()
                .mapToDouble(each -> each.path("cpu_s").asDouble()
                        / (each.path("rate").asDouble() * each.path("seconds").asDouble()))
                .filter(Double::isFinite)
                .average()
                .orElse(0);
        return new MeasuredWork(
                1 / rate,
                cpu,
                0,
                1,
                List.of("bench " + byCase.keySet().iterator().next() + ": the bare loop handled "
                        + String.format(java.util.Locale.ROOT, "%,.0f", rate) + " records/s, one at a time ("
                        + rates.length + (rates.length == 1 ? " run)" : " runs, median)")));
    }
}
