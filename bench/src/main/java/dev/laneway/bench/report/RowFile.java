package dev.laneway.bench.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.bench.scenario.Case;
import dev.laneway.cli.program.VerbFailure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a measurement, one JSON object per line, each written at once, so that a stopped measurement goes on with
 * what is missing. Failed rows are measured again, and so are those of another setting, such as another
 * {@code --scale}, since they must not be mixed. Used by one thread.
 */
public final class RowFile {
    /** The file of the rows. */
    public static final String NAME = "rows.jsonl";

    private static final String COMMANDS = "commands.txt";
    private static final String MACHINE = "machine.json";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path directory;
    private final Path file;
    private final Map<String, Row> known = new LinkedHashMap<>();

    /** Opens the file in a directory, which is created if it is missing. */
    public RowFile(Path directory) {
        this.directory = directory;
        this.file = directory.resolve(NAME);
        try {
            Files.createDirectories(directory);
            if (Files.exists(file)) {
                for (String line : Files.readAllLines(file)) {
                    read(line);
                }
            }
        } catch (IOException failed) {
            throw failure(failed);
        }
    }

    private void read(String line) {
        try {
            JsonNode json = JSON.readTree(line);
            Row row = Row.of(json);
            known.put(row.id(), row);
        } catch (JsonProcessingException cutOff) {
            // The process ended while it wrote this line.
        }
    }

    /** The directory of the file. */
    public Path directory() {
        return directory.toAbsolutePath();
    }

    /** The good row of this setting that was measured earlier; null if it must be measured. */
    public @Nullable Row get(String id, String setting) {
        Row row = known.get(id);
        return row != null && row.isOk() && row.taken().setting().equals(setting) ? row : null;
    }

    /** Whether there is a good row of this name that is of another setting. */
    public boolean hasOther(String id, String setting) {
        Row row = known.get(id);
        return row != null && row.isOk() && !row.taken().setting().equals(setting);
    }

    /** All rows of a case in its present setting, failed ones, too. */
    List<Row> all(String scenario, Case setting) {
        String checksum = Taken.setting(setting);
        return known.values().stream()
                .filter(row -> row.scenario().equals(scenario) && row.caseName().equals(setting.name()))
                .filter(row -> row.taken().setting().equals(checksum))
                .toList();
    }

    /** All rows. */
    public List<Row> all() {
        return List.copyOf(known.values());
    }

    /** The commands that have been noted, line by line. */
    public String commands() {
        Path commands = directory.resolve(COMMANDS);
        try {
            return Files.exists(commands) ? Files.readString(commands).strip() : "";
        } catch (IOException failed) {
            throw failure(failed);
        }
    }

    /** Notes the machine that the rows are taken on. */
    public void note(Machine machine) {
        try {
            Files.writeString(
                    directory.resolve(MACHINE), JSON.writeValueAsString(machine.toJson()) + System.lineSeparator());
        } catch (IOException failed) {
            throw failure(failed);
        }
    }

    /** The machine that the rows were taken on; null where it was not noted. */
    public @Nullable Machine machine() {
        Path noted = directory.resolve(MACHINE);
        try {
            return Files.exists(noted) ? Machine.of(JSON.readTree(Files.readString(noted))) : null;
        } catch (IOException failed) {
            throw failure(failed);
        }
    }

    /** Notes a command that adds rows; returns all such commands, line by line. */
    public String noted(String command) {
        Path commands = directory.resolve(COMMANDS);
        try {
            List<String> all = new ArrayList<>(Files.exists(commands) ? Files.readAllLines(commands) : List.of());
            if (!all.contains(command)) {
                all.add(command);
                Files.write(commands, all);
            }
            return String.join("\n", all);
        } catch (IOException failed) {
            throw failure(failed);
        }
    }

    public void add(Row row) {
        try {
            Files.writeString(
                    file,
                    JSON.writeValueAsString(row.toJson()) + System.lineSeparator(),
                    StandardCharsets.UTF_8,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException failed) {
            throw failure(failed);
        }
        known.put(row.id(), row);
    }

    private VerbFailure failure(IOException failed) {
        return new VerbFailure("cannot keep the rows in " + file + ": " + failed, failed);
    }
}
