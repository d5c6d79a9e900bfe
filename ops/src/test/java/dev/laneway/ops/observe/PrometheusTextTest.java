package dev.laneway.ops.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.ops.observe.PrometheusText.Line;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PrometheusTextTest {
    private static List<Line> lines(String text) {
        return PrometheusText.parse(text).lines();
    }

    @Test
    @DisplayName("B83 Lines of Prometheus' and OpenMetrics' text formats are read")
    void formats() {
        assertThat(lines("""
            # HELP a_total Things with "quotes".
            # TYPE a_total counter
            a_total 5
            a_total{b="c",} 5.5 1395066363000
              a_total { b = "c" , d="e" }\t-1e-3
            a{b="x\\"y\\\\z\\n",c=""} +Inf
            a NaN
            a:b -Inf
            a_bucket{le="+Inf"} 17 1.5 # {trace_id="} 5"} 0.67 152.7
            {"a.b",c="d"} 1
            {"quoted name"} 2
            # EOF\
            """))
                .containsExactly(
                        new Line("a_total", Map.of(), 5),
                        new Line("a_total", Map.of("b", "c"), 5.5),
                        new Line("a_total", Map.of("b", "c", "d", "e"), -0.001),
                        new Line("a", Map.of("b", "x\"y\\z\n", "c", ""), Double.POSITIVE_INFINITY),
                        new Line("a", Map.of(), Double.NaN),
                        new Line("a:b", Map.of(), Double.NEGATIVE_INFINITY),
                        new Line("a_bucket", Map.of("le", "+Inf"), 17),
                        new Line("a.b", Map.of("c", "d"), 1),
                        new Line("quoted name", Map.of(), 2));
    }

    @Test
    @DisplayName("B83 Lines that are none are left out, and the first is told")
    void broken() {
        for (String line : new String[] {
            "<html>",
            "a",
            "a b",
            "a{",
            "a{b}",
            "a{b=\"c} 1",
            "a{b=c} 1",
            "a{b=\"c\" d=\"e\"} 1",
            "a{,} 1",
            "{} 1",
            "a{\"b\",\"c\"} 1",
            "a=1",
            "a Infinity",
            "a 1x"
        }) {
            PrometheusText.Parsed parsed = PrometheusText.parse("x 1\n" + line + "\ny 2\n<later>");
            assertThat(parsed.lines()).as(line).extracting(Line::name).containsExactly("x", "y");
            assertThat(parsed.broken()).isEqualTo(line);
        }
    }

    @Property(tries = 2_000)
    @Label("B83 Any text at all is read without a failure")
    void fuzz(@ForAll("nearly") String text) {
        PrometheusText.Parsed parsed = PrometheusText.parse(text);
        assertThat(parsed.lines()).allSatisfy(line -> assertThat(line.name()).isNotEmpty());
        SampleBuilder into = new SampleBuilder();
        PrometheusNames.translate(parsed.lines(), 0, into);
        assertThat(into.build("x", 0).numbers().values()).allMatch(Double::isFinite);
    }

    @Property(tries = 500)
    @Label("B83 What is written in the format is read as it was, whatever is in the labels")
    void roundTrip(@ForAll("names") String name, @ForAll("labels") Map<String, String> labels, @ForAll double value) {
        StringBuilder text = new StringBuilder(name).append('{');
        labels.forEach((label, of) -> text.append(label)
                .append("=\"")
                .append(of.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n"))
                .append("\","));
        text.append("} ").append(value).append('\n');
        assertThat(lines("z 1\n" + text)).containsExactly(new Line("z", Map.of(), 1), new Line(name, labels, value));
    }

    @Provide
    Arbitrary<String> names() {
        return Arbitraries.strings().withChars("abcXYZ_:019").ofMinLength(1).ofMaxLength(12);
    }

    @Provide
    Arbitrary<Map<String, String>> labels() {
        return Arbitraries.maps(names(), Arbitraries.strings().ofMaxLength(10))
                .ofMaxSize(3)
                .map(LinkedHashMap::new);
    }

    @Provide
    Arbitrary<String> nearly() {
        Arbitrary<String> part = Arbitraries.oneOf(
                Arbitraries.of(
                        "kafka_consumer_",
                        "kafka_consumer_records_lag",
                        "jvm_memory_used_bytes",
                        "{",
                        "}",
                        "\"",
                        "=",
                        "\\",
                        ",",
                        " ",
                        "\n",
                        "#",
                        "1",
                        "1e999",
                        "NaN",
                        "+Inf",
                        "-",
                        "area=\"heap\"",
                        "clientId=\"x\"",
                        "\u0000"),
                Arbitraries.strings().ofMaxLength(3));
        return Combinators.combine(part.list().ofMaxSize(30), part).as((parts, last) -> String.join("", parts) + last);
    }
}
