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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The page in a real browser, headless Chromium, beside real consumers on a real broker. {@code src/test/browser} has
 * the script that opens it, and {@code install}, which {@code ./laneway test} calls. Pictures for docs/dashboard.md are
 * in {@code target/screenshots} afterwards.
 */
class BrowserTest {
    private static final Path BROWSER = Path.of("target", "browser").toAbsolutePath();
    private static final Path SCREENSHOTS = Path.of("target", "screenshots").toAbsolutePath();
    private static final String TOKEN = "a-token-of-the-browser-test";

    @TempDir
    Path directory;

    private final List<Map<String, Object>> pages = new ArrayList<>();
    private final List<String> lines = new ArrayList<>();

    private Map<String, Object> open(String name, Dashboard page) {
        Map<String, Object> plan =
                new LinkedHashMap<>(Map.of("name", name, "url", page.uri().toString()));
        pages.add(plan);
        return plan;
    }

    private static void sees(Map<String, Object> plan, String outcome, String cause) {
        plan.put("outcome", outcome);
        plan.put("cause", cause);
    }

    @Test
    @DisplayName(
            "B160 In Chromium: five illnesses have five right verdicts, figures move, a pause is confirmed, what is"
                    + " old is not called live, and neither axe nor the console has a word to say")
    void shows() throws Exception {
        if (Boolean.getBoolean("laneway.browser")) {
            assertThat(BROWSER.resolve("page.mjs"))
                    .as("what src/test/browser/install makes")
                    .exists();
        }
        assumeThat(BROWSER.resolve("page.mjs"))
                .as("run dashboard/src/test/browser/install first")
                .exists();
        ScriptedLaneway many = new ScriptedLaneway();
        many.partitions = IntStream.range(0, 1_000)
                .mapToObj(number -> ScriptedLaneway.partition(number, number * 7L, number % 97))
                .toList();
        ScriptedLaneway silent = new ScriptedLaneway();
        CountDownLatch speaks = new CountDownLatch(1);
        Path audit = directory.resolve("audit.log");
        try (Patients patients = new Patients();
                Dashboard stuck = Dashboard.of(patients.stuckKey()).name("shop").start();
                Dashboard hot = Dashboard.of(patients.hotKey()).name("shop").start();
                Dashboard slow =
                        Dashboard.of(patients.slowDependency()).name("shop").start();
                Dashboard few =
                        Dashboard.of(patients.tooFewWorkers()).name("shop").start();
                Dashboard storm =
                        Dashboard.of(patients.rebalancing()).name("shop").start();
                Dashboard well = Dashboard.of(patients.healthy())
                        .name("shop")
                        .token(TOKEN)
                        .actions(audit)
                        .start();
                Dashboard old = Dashboard.of(silent).name("shop").start();
                Dashboard large = Dashboard.of(many).name("1,000 partitions").start()) {
            Map<String, Object> plan = open("stuck-key", stuck);
            sees(plan, "broken", "STUCK_KEY");
            plan.put("first", true); // What the other pages are put through takes processors.
            sees(open("hot-key", hot), "limited", "HOT_KEY");
            plan = open("slow-dependency", slow);
            sees(plan, "limited", "EXTERNAL_CALL");
            plan.put("dark", true);
            plan = open("too-few-workers", few);
            sees(plan, "limited", "TOO_FEW_THREADS");
            plan.put("narrow", true);
            plan = open("rebalancing", storm);
            sees(plan, "broken", "REBALANCE_STORM");
            plan = open("healthy", well);
            sees(plan, "healthy", "");
            plan.putAll(Map.of("moves", true, "pause", true, "keyboard", true, "after", 3_000));
            plan = open("refused", well);
            plan.put("url", well.uri().toString());
            plan.putAll(Map.of("refusal", true, "expected", true, "dark", true, "narrow", true));
            plan = open("large", large);
            plan.putAll(Map.of("seconds", Integer.getInteger("laneway.browser.seconds", 10), "most", 100));
            plan = open("silent", old);
            plan.put("link", "no news");
            int code = watch(() -> {
                patients.fallIll();
                silent.hindrance = () -> awaitQuietly(speaks);
            });
            speaks.countDown();
            String said = String.join("\n", lines);
            assertThat(lines).as(said).noneMatch(line -> line.startsWith("WRONG"));
            assertThat(code).as(said).isZero();
            long shown = lines.stream()
                    .filter(line -> line.startsWith("stuck-key: verdict"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll(".* ", "")))
                    .findFirst()
                    .orElseThrow();
            assertThat(shown - patients.stuckSinceMillis())
                    .as("milliseconds until a stuck key is shown; " + said)
                    .isLessThan(3_000);
            assertThat(Files.readString(audit)).contains("refused: no token", "\"pause\"", "\"resume\"");
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    /** @param ready is called when all pages are open */
    private int watch(Runnable ready) throws Exception {
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
