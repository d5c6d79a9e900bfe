package dev.laneway.ops.scale;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The form of a decision log: JSON lines, the first with the format's version. Pure functions. */
final class LogLines {
    static final String FORMAT = "laneway-decisions";
    static final int VERSION = 1;

    /** Fields of later versions are left out when read; what is null is not written. */
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .defaultPropertyInclusion(
                    JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.NON_NULL))
            .build();

    private LogLines() {}

    static String head() {
        return JSON.createObjectNode().put("format", FORMAT).put("version", VERSION) + "\n";
    }

    /** An entry as a line, with its end. */
    static String of(LogEntry entry) throws JsonProcessingException {
        return JSON.writeValueAsString(entry) + "\n";
    }

    /** Whether a line begins a log; throws if that is of another version. */
    static boolean isHead(JsonNode line) {
        if (!line.has("format")) {
            return false;
        }
        if (!FORMAT.equals(line.path("format").asText()) || line.path("version").asInt() != VERSION) {
            throw new DecisionLogFailure(
                    "it is of format " + line.path("format").asText("?") + ", version "
                            + line.path("version").asText("?") + ", and " + FORMAT + ", version " + VERSION
                            + ", is known here: read it with the program that wrote it");
        }
        return true;
    }

    /** A line as JSON; null if it is torn. */
    static @Nullable JsonNode json(String line) {
        try {
            JsonNode node = JSON.readTree(line);
            return node instanceof ObjectNode ? node : null;
        } catch (JsonProcessingException torn) {
            return null;
        }
    }

    /** An entry; null if it lacks what each entry has. */
    static @Nullable LogEntry entry(JsonNode line) {
        try {
            return JSON.treeToValue(line, LogEntry.class);
        } catch (JsonProcessingException | IllegalArgumentException damaged) {
            return null;
        }
    }
}
