package dev.laneway.cli.size;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.ops.size.SizeProfile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A {@link SizeProfile} as a file of JSON. Stateless. */
public final class ProfileFile {
    private static final String FORMAT = "laneway-size";
    private static final int VERSION = 1;
    private static final JsonMapper JSON = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .build();

    private ProfileFile() {}

    /** @throws VerbFailure if it cannot be written */
    static void write(Path file, SizeProfile profile) {
        try {
            Files.writeString(file, json(profile).toPrettyString() + System.lineSeparator(), StandardCharsets.UTF_8);
        } catch (IOException failed) {
            throw new VerbFailure("cannot write --profile " + file + ": " + failed, failed);
        }
    }

    static ObjectNode json(SizeProfile profile) {
        ObjectNode all = JSON.createObjectNode().put("format", FORMAT).put("version", VERSION);
        all.setAll(JSON.<ObjectNode>valueToTree(profile));
        return all;
    }

    /**
     * Reads one; empty if it is a file of something else.
     *
     * @throws VerbFailure if it is one that cannot be used
     */
    public static Optional<SizeProfile> read(Path file) {
        try {
            JsonNode read = JSON.readTree(Files.readString(file));
            if (!(read instanceof ObjectNode all)
                    || !FORMAT.equals(all.path("format").asText())) {
                return Optional.empty();
            }
            if (all.path("version").asInt() != VERSION) {
                throw new VerbFailure(file + " is a profile of version "
                        + all.path("version").asText() + " but this reads version " + VERSION + ": measure again");
            }
            all.remove("format");
            all.remove("version");
            return Optional.of(JSON.treeToValue(all, SizeProfile.class));
        } catch (JsonProcessingException wrong) {
            if (isProfile(file)) {
                throw new VerbFailure(
                        file + " is a profile that cannot be read: " + wrong.getOriginalMessage() + ": measure again",
                        wrong);
            }
            return Optional.empty();
        } catch (IOException failed) {
            return Optional.empty();
        }
    }

    private static boolean isProfile(Path file) {
        try {
            return Files.readString(file).contains('"' + FORMAT + '"');
        } catch (IOException gone) {
            return false;
        }
    }
}
