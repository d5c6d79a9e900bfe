package dev.laneway.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.DeadLetterHeaders;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the documents say of the code and of each other is true. */
class DocsTest {
    private static final Path ROOT = Shared.root();
    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern GUARANTEE = Pattern.compile("(?ms)^## G(\\d+)\\b[^\n]*(.*?)(?=^## |\\z)");
    private static final Pattern SENTENCE_END = Pattern.compile("(?<=[.!?]\\)?) (?=(- )?[A-Z`])");
    private static final Pattern TEST = Pattern.compile("`(\\w+)`((?: B\\d+)+)");
    private static final Pattern SHOWN_BY = Pattern.compile("\\(((?:" + TEST.pattern() + "(?:, )?)+)\\)\\.$");
    private static final Pattern NUMBER = Pattern.compile("B\\d+");
    private static final Pattern DISPLAY_NAME = Pattern.compile("@(?:DisplayName|Label)\\(\\s*\"((?:B\\d+[\\s,:]*)+)");
    private static final Pattern QUOTE = Pattern.compile("\\*\"([^\"]+)\"\\*");
    private static final Pattern STRINGS_ADDED = Pattern.compile("\"\\s*\\+\\s*\"");
    private static final Pattern HEADER = Pattern.compile("`(laneway\\.dlq\\.\\w+)`");

    @Test
    @DisplayName("each Java snippet of the documents stands in a source that this build compiles")
    void snippetsAreCompiled() throws IOException {
        List<List<String>> sources = files(ROOT.resolve("examples/src"), ".java").stream()
                .map(file -> stripped(read(file)))
                .toList();
        for (Path document : documents()) {
            for (String snippet : all(JAVA, read(document), 1)) {
                assertThat(sources)
                        .as("%s in %s", snippet, document)
                        .anySatisfy(source -> assertThat(source).containsSequence(stripped(snippet)));
            }
        }
    }

    @Test
    @DisplayName("each link from one file of the repository to another leads somewhere")
    void linksLeadSomewhere() throws IOException {
        for (Path document : documents()) {
            for (String link : all(LINK, read(document), 1)) {
                if (URI.create(link).getScheme() == null && !link.startsWith("#")) {
                    Path target = document.resolveSibling(link.replaceFirst("#.*", ""));
                    assertThat(target).as("link in %s", document).exists();
                }
            }
        }
    }

    @Test
    @DisplayName("README has at most 150 lines, performance 90, a decision at most 40, with its context, decision and"
            + " consequences")
    void documentsAreShort() throws IOException {
        assertThat(read(ROOT.resolve("README.md")).lines()).hasSizeLessThanOrEqualTo(150);
        assertThat(read(ROOT.resolve("docs/performance.md")).lines()).hasSizeLessThanOrEqualTo(90);
        List<Path> decisions = files(ROOT.resolve("docs/adr"), ".md");
        assertThat(decisions).isNotEmpty();
        for (Path decision : decisions) {
            assertThat(read(decision).lines()).as("lines of %s", decision).hasSizeLessThanOrEqualTo(40);
            assertThat(read(decision)).contains("## Context", "## Decision", "## Consequences");
        }
    }

    @Test
    @DisplayName("each sentence of the guarantees ends in tests that exist and show the behaviours they are named for")
    void guaranteesAreShown() throws IOException {
        List<String> numbers = new ArrayList<>();
        for (MatchResult guarantee : matches(GUARANTEE, read(ROOT.resolve("docs/guarantees.md")))) {
            numbers.add(guarantee.group(1));
            String text = String.join(" ", stripped(guarantee.group(2))).strip();
            assertThat(text).as("G%s is a list", guarantee.group(1)).startsWith("- ");
            for (String sentence : SENTENCE_END.splitAsStream(text).toList()) {
                MatchResult shown = SHOWN_BY.matcher(sentence)
                        .results()
                        .findFirst()
                        .orElseThrow(() -> new AssertionError("names no test: " + sentence));
                for (MatchResult test : matches(TEST, shown.group(1))) {
                    assertThat(shownBy(test.group(1)))
                            .as("%s of: %s", test.group(1), sentence)
                            .containsAll(all(NUMBER, test.group(2), 0));
                }
            }
        }
        assertThat(numbers)
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, 14).mapToObj(Integer::toString).toList());
    }

    @Test
    @DisplayName("the table of dead-letter headers has those that the code has")
    void deadLetterHeadersAreDocumented() throws IllegalAccessException {
        Set<String> names = new TreeSet<>();
        for (Field field : DeadLetterHeaders.class.getFields()) {
            if (Modifier.isStatic(field.getModifiers())) {
                names.add((String) field.get(null));
            }
        }
        assertThat(all(HEADER, read(ROOT.resolve("docs/failures.md")), 1)).containsExactlyInAnyOrderElementsOf(names);
    }

    @Test
    @DisplayName("what the documents quote of logs and health in italics stands in the code, between its gaps")
    void quotedMessagesAreThoseOfTheCode() throws IOException {
        String code = files(ROOT.resolve("core/src/main"), ".java").stream()
                .map(DocsTest::read)
                .map(source -> STRINGS_ADDED.matcher(source).replaceAll(""))
                .collect(Collectors.joining());
        List<String> quotes = new ArrayList<>();
        for (Path document : documents()) {
            quotes.addAll(all(QUOTE, read(document), 1));
        }
        assertThat(quotes).hasSizeGreaterThan(10);
        for (String quote : quotes) {
            assertThat(code).as(quote).contains(quote.split("\\s*…\\s*"));
        }
    }

    /** The behaviours that a test class shows, by the display names in its source. */
    private static Set<String> shownBy(String testClass) throws IOException {
        List<Path> sources = new ArrayList<>();
        for (String module : List.of(
                "testkit",
                "core",
                "metrics",
                "ops",
                "dashboard",
                "cli",
                "proof",
                "kubernetes",
                "keda",
                "assign",
                "examples")) {
            sources.addAll(files(ROOT.resolve(module).resolve("src/test"), "/" + testClass + ".java"));
        }
        assertThat(sources).as("sources of %s", testClass).isNotEmpty();
        return sources.stream()
                .flatMap(source -> all(DISPLAY_NAME, read(source), 1).stream())
                .flatMap(name -> all(NUMBER, name, 0).stream())
                .collect(Collectors.toSet());
    }

    private static List<Path> documents() throws IOException {
        List<Path> documents = new ArrayList<>(files(ROOT.resolve("docs"), ".md"));
        try (Stream<Path> top = Files.list(ROOT)) {
            top.filter(file -> file.toString().endsWith(".md")).forEach(documents::add);
        }
        return documents;
    }

    private static List<Path> files(Path folder, String end) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(end)).sorted().toList();
        }
    }

    private static List<MatchResult> matches(Pattern pattern, String text) {
        return pattern.matcher(text).results().toList();
    }

    private static List<String> all(Pattern pattern, String text, int group) {
        return pattern.matcher(text).results().map(match -> match.group(group)).toList();
    }

    private static List<String> stripped(String text) {
        return text.lines().map(String::strip).toList();
    }

    private static String read(Path file) {
        return Shared.read(ROOT.relativize(file.toAbsolutePath()).toString());
    }
}
