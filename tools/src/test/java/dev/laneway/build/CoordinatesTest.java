package dev.laneway.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What users write into their builds is what this build makes. */
@DisplayName("Coordinates")
class CoordinatesTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern OURS = Pattern.compile(
            "<groupId>dev\\.laneway</groupId>\\s*<artifactId>([^<]+)</artifactId>\\s*<version>([^<$]+)</version>");
    private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");

    @Test
    @DisplayName("have one version, in every pom and in every document")
    void oneVersion() throws IOException {
        String version = all(OURS, "pom.xml").getFirst().group(2);
        List<String> versions = new ArrayList<>();
        for (String module : modules()) {
            all(OURS, module + "/pom.xml").forEach(found -> versions.add(module + " " + found.group(2)));
            assertThat(versions).contains(module + " " + version);
        }
        try (Stream<Path> documents = Files.walk(ROOT.resolve("docs"))) {
            List<Path> pages = new ArrayList<>(
                    documents.filter(file -> file.toString().endsWith(".md")).toList());
            pages.add(ROOT.resolve("README.md"));
            for (Path page : pages) {
                all(OURS, ROOT.relativize(page).toString())
                        .forEach(found -> versions.add(page.getFileName() + " " + found.group(2)));
            }
        }
        assertThat(versions)
                .anyMatch(found -> found.startsWith("README.md"))
                .anyMatch(found -> found.startsWith("testing.md"))
                .allMatch(found -> found.endsWith(" " + version));
    }

    @Test
    @DisplayName("are installed and deployed of the library, the test kit and the command lines, and of nothing else")
    void published() throws IOException {
        assertThat(Files.readString(ROOT.resolve("pom.xml"))).doesNotContain("install.skip", "deploy.skip");
        List<String> installed = new ArrayList<>();
        List<String> deployed = new ArrayList<>();
        for (String module : modules()) {
            String pom = Files.readString(ROOT.resolve(module).resolve("pom.xml"));
            if (!pom.contains("<maven.install.skip>true</maven.install.skip>")) {
                installed.add(module);
            }
            if (!pom.contains("<maven.deploy.skip>true</maven.deploy.skip>")) {
                deployed.add(module);
            }
        }
        assertThat(installed)
                .containsExactlyInAnyOrder(
                        "core", "testkit", "metrics", "ops", "dashboard", "cli", "kubernetes", "keda", "assign")
                .isEqualTo(deployed);
    }

    private static List<String> modules() throws IOException {
        return all(MODULE, "pom.xml").stream().map(found -> found.group(1)).toList();
    }

    private static List<MatchResult> all(Pattern pattern, String file) throws IOException {
        Matcher matcher = pattern.matcher(Files.readString(ROOT.resolve(file)));
        return matcher.results().toList();
    }
}
