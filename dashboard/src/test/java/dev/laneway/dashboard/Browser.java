package dev.laneway.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Headless Chromium. {@code src/test/browser} has the script that opens pages in it and looks at them, and
 * {@code install}, which {@code ./laneway test} calls. Pictures for docs/dashboard.md are in {@code target/screenshots}
 * afterwards.
 */
final class Browser {
    private static final Path BROWSER = Path.of("target", "browser").toAbsolutePath();
    private static final Path SCREENSHOTS = Path.of("target", "screenshots").toAbsolutePath();

    private final Path directory;
    private final List<Map<String, Object>> pages = new ArrayList<>();
    private final List<String> lines = new ArrayList<>();

    /** @param directory for a file */
    Browser(Path directory) {
        if (Boolean.getBoolean("laneway.browser")) {
            assertThat(BROWSER.resolve("page.mjs"))
                    .as("what src/test/browser/install makes")
                    .exists();
        }
        assumeThat(BROWSER.resolve("page.mjs"))
                .as("run dashboard/src/test/browser/install first")
                .exists();
        this.directory = directory;
    }

    /** What is opened, to which a test may add what the script does there. */
    Map<String, Object> open(String name, Dashboard page) {
        Map<String, Object> plan =
                new LinkedHashMap<>(Map.of("name", name, "url", page.uri().toString()));
        pages.add(plan);
        return plan;
    }

    /** What the page says in the end. */
    static void sees(Map<String, Object> plan, String outcome, String cause) {
        plan.put("outcome", outcome);
        plan.put("cause", cause);
    }

    /** What the script has printed. */
    List<String> lines() {
        return lines;
    }

    /** @param code the script's exit code */
    void assertWell(int code) {
        String said = String.join("\n", lines);
        assertThat(lines).as(said).noneMatch(line -> line.startsWith("WRONG"));
        assertThat(code).as(said).isZero();
    }

    /** @param ready is called when all pages are open */
    int watch(Runnable ready) throws Exception {
        Path script = BROWSER.resolve("page.mjs"); // Beside what it imports, and the present one.
        Files.copy(Path.of("src", "test", "browser", "page.mjs"), script, StandardCopyOption.REPLACE_EXISTING);
        Path plan = directory.resolve("plan.json");
        new ObjectMapper().writeValue(plan.toFile(), Map.of("out", SCREENSHOTS.toString(), "pages", pages));
        Process node = new ProcessBuilder("node", script.toString(), plan.toString())
                .directory(BROWSER.toFile())
                .redirectErrorStream(true)
                .start();
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(node.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
                System.out.println(line);
                if (line.equals("READY")) {
                    ready.run();
                }
            }
            assertThat(node.waitFor(10, TimeUnit.SECONDS)).isTrue();
            return node.exitValue();
        } finally {
            node.descendants().forEach(ProcessHandle::destroyForcibly);
            node.destroyForcibly();
        }
    }
}
