package dev.laneway.ops.observe;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * A file of samples, to be judged again later or elsewhere: JSON lines, the first with the format's version and when it
 * was begun, each other one a sample. Numbers that are NaN or infinite are left out, and halves of characters are
 * written as question marks. A file whose name ends with {@code .gz} is compressed by gzip. Used by one thread.
 *
 * <pre>
 * {"format":"laneway-observations","version":1,"begun":"2026-01-31T12:00:00Z"}
 * {"source":"pid 4711","at":1769860800000,"numbers":[["jvm","uptime-ms",{},60000.0]],"texts":[]}
 * </pre>
 */
public final class Recording implements AutoCloseable {
    private static final String FORMAT = "laneway-observations";
    private static final int VERSION = 1;
    private static final int PACKER_BYTES = 1 << 13;

    /** With escapes, so that any text is written, whatever is in a topic's or a thread's name. */
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final Path file;
    private final BufferedWriter out;

    /**
     * What was recorded. Immutable.
     *
     * @param begunMillis when the recording was begun, in milliseconds since 1970
     * @param samples in the order in which they were added
     */
    public record Content(long begunMillis, List<Sample> samples) {
        /** Copies the list. */
        public Content {
            samples = List.copyOf(samples);
        }
    }

    private Recording(Path file, BufferedWriter out) {
        this.file = file;
        this.out = out;
    }

    /**
     * Begins a recording, in place of what the file had.
     *
     * @throws SourceFailure if it cannot be written
     */
    public static Recording to(Path file) {
        return to(file, System.currentTimeMillis());
    }

    static Recording to(Path file, long begunMillis) {
        ObjectNode head = JSON.createObjectNode()
                .put("format", FORMAT)
                .put("version", VERSION)
                .put("begun", Instant.ofEpochMilli(begunMillis).toString());
        try {
            Recording recording = new Recording(file, writer(file));
            recording.write(head);
            return recording;
        } catch (IOException failed) {
            throw unwritable(file, failed);
        }
    }

    private static BufferedWriter writer(Path file) throws IOException {
        return isPacked(file)
                ? new BufferedWriter(new OutputStreamWriter(
                        new GZIPOutputStream(Files.newOutputStream(file), PACKER_BYTES, true), StandardCharsets.UTF_8))
                : Files.newBufferedWriter(file);
    }

    private static BufferedReader reader(Path file) throws IOException {
        if (!isPacked(file)) {
            return Files.newBufferedReader(file);
        }
        InputStream raw = Files.newInputStream(file);
        try {
            return new BufferedReader(
                    new InputStreamReader(new GZIPInputStream(raw), StandardCharsets.UTF_8.newDecoder()));
        } catch (IOException failed) {
            raw.close();
            throw failed;
        }
    }

    private static boolean isPacked(Path file) {
        return file.toString().endsWith(".gz");
    }

    /**
     * Adds a sample; it is in the file when this returns.
     *
     * @throws SourceFailure if it cannot be written
     */
    public void add(Sample sample) {
        ObjectNode line =
                JSON.createObjectNode().put("source", unicode(sample.source())).put("at", sample.atMillis());
        ArrayNode numbers = line.putArray("numbers");
        sample.numbers().forEach((metric, value) -> {
            if (Double.isFinite(value)) {
                metric(metric, numbers.addArray()).add(value.doubleValue());
            }
        });
        ArrayNode texts = line.putArray("texts");
        sample.texts()
                .forEach((metric, text) -> metric(metric, texts.addArray()).add(unicode(text)));
        try {
            write(line);
        } catch (IOException failed) {
            throw unwritable(file, failed);
        }
    }

    private static ArrayNode metric(Metric metric, ArrayNode into) {
        ObjectNode tags =
                into.add(unicode(metric.group())).add(unicode(metric.name())).addObject();
        metric.tags().forEach((tag, value) -> tags.put(unicode(tag), unicode(value)));
        return into;
    }

    /** Halves of characters, which JSON cannot have in names, become question marks. */
    private static String unicode(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    private void write(JsonNode line) throws IOException {
        out.write(JSON.writeValueAsString(line));
        out.write('\n');
        out.flush();
    }

    private static SourceFailure unwritable(Path file, IOException failed) {
        return new SourceFailure(
                "recording " + file + " cannot be written (" + failure(failed)
                        + "): give a file in a directory that is there, with room, and yours",
                failed);
    }

    /** What a failure of a file says beside the file's name. */
    private static String failure(Exception failed) {
        return failed instanceof NoSuchFileException ? "it is not there" : Reasons.of(failed);
    }

    @Override
    public void close() {
        try {
            out.close();
        } catch (IOException failed) {
            throw unwritable(file, failed);
        }
    }

    /**
     * Reads a recording, all of it into memory.
     *
     * @throws SourceFailure if the file is not there, is damaged or of a newer version; says in which line
     */
    public static Content read(Path file) {
        try (BufferedReader in = reader(file)) {
            Reader reader = new Reader(file);
            in.lines().forEachOrdered(reader::take);
            return reader.content();
        } catch (IOException failed) {
            throw unreadable(file, failed);
        } catch (UncheckedIOException failed) {
            throw unreadable(file, failed);
        }
    }

    private static SourceFailure unreadable(Path file, Exception failed) {
        return new SourceFailure(
                "recording " + file + " cannot be read ("
                        + (isNoText(failed) ? "it is not UTF-8" : failure(failed))
                        + "): give a file that --record wrote",
                failed);
    }

    private static boolean isNoText(Exception failed) {
        return failed instanceof MalformedInputException || failed.getCause() instanceof MalformedInputException;
    }

    /** Reads line by line. */
    private static final class Reader {
        private final Path file;
        private final List<Sample> samples = new ArrayList<>();
        private long begunMillis;
        private int line;

        Reader(Path file) {
            this.file = file;
        }

        void take(String text) {
            line++;
            JsonNode node = node(text);
            if (line == 1) {
                head(node);
            } else {
                samples.add(sample(node));
            }
        }

        Content content() {
            if (line == 0) {
                line = 1;
                throw broken("the file is empty");
            }
            return new Content(begunMillis, samples);
        }

        private JsonNode node(String text) {
            try {
                JsonNode node = JSON.readTree(text);
                if (node.isObject()) {
                    return node;
                }
            } catch (JsonProcessingException malformed) {
                throw broken("it is no JSON: " + Reasons.shortened(malformed.getOriginalMessage()));
            }
            throw broken("it is no JSON object");
        }

        private void head(JsonNode node) {
            if (!FORMAT.equals(node.path("format").textValue())) {
                throw broken("its format is not " + FORMAT);
            }
            int version = node.path("version").asInt(0);
            if (version != VERSION) {
                throw broken("version " + node.path("version") + " is not the " + VERSION + " that is known here");
            }
            try {
                begunMillis = Instant.parse(text(node.path("begun"), "begun")).toEpochMilli();
            } catch (DateTimeParseException | ArithmeticException wrong) {
                throw broken("'begun' is no time");
            }
        }

        private Sample sample(JsonNode node) {
            if (!node.path("at").isIntegralNumber() || !node.path("at").canConvertToLong()) {
                throw broken("'at' is no time");
            }
            Map<Metric, Double> numbers = new HashMap<>();
            for (JsonNode entry : list(node, "numbers")) {
                JsonNode value = entry.path(3);
                if (!value.isNumber() || !Double.isFinite(value.doubleValue())) {
                    throw broken("a number is none");
                }
                numbers.put(metric(entry), value.doubleValue());
            }
            Map<Metric, String> texts = new HashMap<>();
            for (JsonNode entry : list(node, "texts")) {
                texts.put(metric(entry), text(entry.path(3), "a text"));
            }
            return new Sample(
                    text(node.path("source"), "source"), node.path("at").longValue(), numbers, texts);
        }

        private JsonNode list(JsonNode node, String name) {
            if (!node.path(name).isArray()) {
                throw broken("'" + name + "' is no list");
            }
            return node.path(name);
        }

        private Metric metric(JsonNode entry) {
            Map<String, String> tags = new HashMap<>();
            if (!entry.path(2).isObject()) {
                throw broken("a metric has no tags");
            }
            entry.path(2).properties().forEach(tag -> tags.put(tag.getKey(), text(tag.getValue(), "a tag")));
            return Metric.of(text(entry.path(0), "a group"), text(entry.path(1), "a name"), tags);
        }

        private String text(JsonNode node, String what) {
            if (!node.isTextual()) {
                throw broken(what + " is no text");
            }
            return node.textValue();
        }

        private SourceFailure broken(String why) {
            return new SourceFailure(
                    "recording " + file + " is damaged or newer, at line " + line + " (" + why
                            + "): record it again, or read it with the version that wrote it",
                    null);
        }
    }
}
