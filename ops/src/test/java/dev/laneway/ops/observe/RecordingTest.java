package dev.laneway.ops.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordingTest {
    private static final String HEAD =
            "{\"format\":\"laneway-observations\",\"version\":1,\"begun\":\"2026-01-31T12:00:00Z\"}\n";
    private static final String SAMPLE =
            "{\"source\":\"pid 1\",\"at\":5,\"numbers\":[[\"jvm\",\"uptime-ms\",{\"a\":\"b\"},7]],\"texts\":[]}\n";

    @Property(tries = 200)
    @Label("B83 What is recorded is read again, whatever is in it")
    void roundTrip(@ForAll("samples") List<Sample> samples, @ForAll("times") long begun) throws IOException {
        Path file = Files.createTempFile("recording", ".jsonl");
        try {
            try (Recording recording = Recording.to(file, begun)) {
                samples.forEach(recording::add);
            }
            Recording.Content content = Recording.read(file);
            assertThat(content.begunMillis()).isEqualTo(begun);
            assertThat(content.samples()).isEqualTo(samples);
            assertThat(Files.readAllLines(file)).hasSize(1 + samples.size());
        } finally {
            Files.delete(file);
        }
    }

    @Property(tries = 300)
    @Label("B83 A recording with one damaged byte is read, or refused in one sentence with the line")
    void damagedByte(@ForAll("positions") int position, @ForAll byte value) throws IOException {
        Path file = Files.createTempFile("recording", ".jsonl");
        try {
            byte[] bytes = (HEAD + SAMPLE + SAMPLE).getBytes(java.nio.charset.StandardCharsets.UTF_8);
            bytes[position] = value;
            Files.write(file, bytes);
            try {
                assertThat(Recording.read(file).samples()).hasSizeBetween(1, 2);
            } catch (SourceFailure refused) {
                assertThat(refused.getMessage())
                        .startsWith("recording " + file)
                        .containsPattern("at line [1-4] \\(|it is not UTF-8")
                        .doesNotContain("\n");
            }
        } finally {
            Files.delete(file);
        }
    }

    @Provide
    Arbitrary<Integer> positions() {
        return Arbitraries.integers().between(0, HEAD.length() + 2 * SAMPLE.length() - 1);
    }

    @Provide
    Arbitrary<Long> times() {
        return Arbitraries.longs().between(-1L << 40, 1L << 45);
    }

    @Provide
    Arbitrary<List<Sample>> samples() {
        Arbitrary<String> text = Arbitraries.oneOf(
                Arbitraries.strings()
                        .ofMaxLength(8)
                        .map(any -> any.codePoints()
                                .filter(point -> point < Character.MIN_SURROGATE || point > Character.MAX_SURROGATE)
                                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                                .toString()),
                Arbitraries.of("", "\"", "\\", "\n", "\u2028", "topic.a-b"));
        Arbitrary<Metric> metric = Combinators.combine(
                        text, text, Arbitraries.maps(text, text).ofMaxSize(3))
                .as((group, name, tags) -> Metric.of(group, name, new TreeMap<>(tags)));
        Arbitrary<Double> number = Arbitraries.oneOf(
                Arbitraries.doubles(),
                Arbitraries.of(-0.0, Double.MIN_VALUE, Double.MAX_VALUE, 1e300, (double) Long.MAX_VALUE, 0.1));
        return Combinators.combine(
                        text,
                        Arbitraries.longs(),
                        Arbitraries.maps(metric, number).ofMaxSize(4),
                        Arbitraries.maps(metric, text).ofMaxSize(4))
                .as(Sample::new)
                .list()
                .ofMaxSize(4);
    }

    @TempDir
    private Path directory;

    private void refused(String text, String line, String why) throws IOException {
        Path file = Files.writeString(directory.resolve("r.jsonl"), text);
        assertThatThrownBy(() -> Recording.read(file))
                .isInstanceOf(SourceFailure.class)
                .hasMessageContaining("recording " + file + " is damaged or newer, at " + line + " (")
                .hasMessageContaining(why)
                .hasMessageContaining("record it again");
    }

    @Test
    @DisplayName("B83 A damaged or newer recording is refused with the number of the line")
    void damaged() throws IOException {
        assertThat(Recording.read(Files.writeString(directory.resolve("good"), HEAD + SAMPLE))
                        .samples())
                .containsExactly(new Sample(
                        "pid 1", 5, Map.of(Metric.of("jvm", "uptime-ms", Map.of("a", "b")), 7.0), Map.of()));
        refused("", "line 1", "empty");
        refused("hello\n", "line 1", "no JSON");
        refused("{}\n", "line 1", "format");
        refused(HEAD.replace(":1", ":2") + SAMPLE, "line 1", "version 2 is not the 1");
        refused(HEAD.replace("2026", "now"), "line 1", "'begun' is no time");
        refused(HEAD + SAMPLE + SAMPLE.substring(0, 40), "line 3", "no JSON");
        refused(HEAD + SAMPLE + "\n", "line 3", "no JSON object");
        refused(HEAD + SAMPLE + "[]\n", "line 3", "no JSON object");
        refused(HEAD + SAMPLE.strip() + "{}\n", "line 2", "no JSON");
        refused(HEAD + SAMPLE.replace("5", "\"5\""), "line 2", "'at'");
        refused(HEAD + SAMPLE.replace(",7]", ",\"7\"]"), "line 2", "a number is none");
        refused(HEAD + SAMPLE.replace(",7]", ",1e999]"), "line 2", "a number is none");
        refused(HEAD + SAMPLE.replace("{\"a\":\"b\"}", "0"), "line 2", "a metric has no tags");
        refused(HEAD + SAMPLE.replace("\"b\"", "1"), "line 2", "a tag is no text");
        refused(HEAD + SAMPLE.replace("[]", "{}"), "line 2", "'texts' is no list");
        refused(HEAD + SAMPLE.replace("\"pid 1\"", "null"), "line 2", "source is no text");
    }

    @Test
    @DisplayName("B83 A recording that is not there, or cannot be written, says what to do")
    void noFile() {
        Path missing = directory.resolve("missing/r.jsonl");
        assertThatThrownBy(() -> Recording.read(missing))
                .isInstanceOf(SourceFailure.class)
                .hasMessage(
                        "recording " + missing + " cannot be read (it is not there): give a file that --record wrote");
        assertThatThrownBy(() -> Recording.to(missing))
                .isInstanceOf(SourceFailure.class)
                .hasMessageContaining("recording " + missing + " cannot be written (it is not there)");
    }

    @Test
    @DisplayName("B83 A sample is in the file when it has been added")
    void atOnce() throws IOException {
        Path file = directory.resolve("r.jsonl");
        try (Recording recording = Recording.to(file)) {
            recording.add(new Sample("a\ud800", 1, Map.of(Metric.of("g", "n"), Double.NaN), Map.of()));
            assertThat(Recording.read(file).samples())
                    .as("NaN is not known, and half a character is none")
                    .containsExactly(new Sample("a?", 1, Map.of(), Map.of()));
        }
    }
}
