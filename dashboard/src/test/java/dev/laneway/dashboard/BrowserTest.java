package dev.laneway.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page in a real browser, beside real consumers on a real broker. */
@Tag("alone") // Ten pages at once and eight consumers take what a machine has.
class BrowserTest {
    private static final String TOKEN = "a-token-of-the-browser-test";

    @TempDir
    Path directory;

    @Test
    @DisplayName(
            "B160 In Chromium: five illnesses have five right verdicts, figures move, a pause is confirmed, what is"
                    + " old is not called live, and neither axe nor the console has a word to say")
    void shows() throws Exception {
        Browser browser = new Browser(directory);
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
                Dashboard old = Dashboard.of(silent).name("shop").start()) {
            Map<String, Object> plan = browser.open("stuck-key", stuck);
            Browser.sees(plan, "broken", "STUCK_KEY");
            Browser.sees(browser.open("hot-key", hot), "limited", "HOT_KEY");
            plan = browser.open("slow-dependency", slow);
            Browser.sees(plan, "limited", "EXTERNAL_CALL");
            plan.put("dark", true);
            plan = browser.open("too-few-workers", few);
            Browser.sees(plan, "limited", "TOO_FEW_THREADS");
            plan.put("narrow", true);
            plan = browser.open("rebalancing", storm);
            Browser.sees(plan, "broken", "REBALANCE_STORM");
            plan = browser.open("healthy", well);
            Browser.sees(plan, "healthy", "");
            plan.putAll(Map.of("moves", true, "pause", true, "keyboard", true, "after", 3_000));
            plan = browser.open("refused", well);
            plan.put("url", well.uri().toString());
            plan.putAll(Map.of("refusal", true, "expected", true, "dark", true, "narrow", true));
            plan = browser.open("silent", old);
            plan.put("link", "no news");
            int code = browser.watch(() -> {
                patients.fallIll();
                silent.hindrance = () -> awaitQuietly(speaks);
            });
            speaks.countDown();
            browser.assertWell(code);
            assertThat(Files.readString(audit)).contains("refused: no token", "\"pause\"", "\"resume\"");
        }
    }

    /** With no other page beside it: this measures what the page takes, not how long it waits for a processor. */
    @Test
    @DisplayName("B160 In Chromium: 1,000 partitions and 100,000 keys take no task over 100 ms, and the heap stays")
    void scales() throws Exception {
        Browser browser = new Browser(directory);
        ScriptedLaneway many = new ScriptedLaneway();
        many.partitions = IntStream.range(0, 1_000)
                .mapToObj(number -> ScriptedLaneway.partition(number, number * 7L, number % 97, 100, 200, null, null))
                .toList();
        try (Dashboard large = Dashboard.of(many).name("100,000 keys").start()) {
            Map<String, Object> plan = browser.open("large", large);
            plan.putAll(Map.of("seconds", Integer.getInteger("laneway.browser.seconds", 30), "most", 100));
            browser.assertWell(browser.watch(() -> {}));
        }
    }

    @Test
    @DisplayName("B198 B199 In Chromium: members say how they are, or why not, and records show where their worker is")
    void details() throws Exception {
        Browser browser = new Browser(directory);
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        RecordWatch records = new RecordWatch().showStacks().showKeys();
        try (Patients patients = new Patients();
                Dashboard member = Dashboard.of(patients.watched(Dashboard.clientId("shop", port), records))
                        .name("shop")
                        .port(port)
                        .records(records)
                        .start();
                Admin admin = patients.admin();
                Dashboard fleet = Dashboard.ofGroup(admin, patients.watchedGroup(), List.of())
                        .askMembers(null)
                        .start()) {
            patients.fallIll();
            Map<String, Object> plan = browser.open("records", member);
            plan.put(
                    "says",
                    List.of(
                            List.of("#oldest", "CountDownLatch.await"),
                            List.of("#latencies", "end to end"),
                            List.of("#keys", "customer-"),
                            List.of("#letters", "laneway.dlq.exception: java.lang.IllegalStateException")));
            plan.put("unfolds", "#oldest details:not([hidden]) summary");
            plan.put("scroll", "#oldest-panel");
            for (boolean isNarrow : new boolean[] {false, true}) {
                plan = browser.open(isNarrow ? "members-narrow" : "members", fleet);
                plan.put("says", List.of(List.of("#members", "RUNNING"), List.of("#members-text", "1 of 1 members")));
                plan.put("scroll", "#members-panel");
                plan.put("narrow", isNarrow);
                plan.put("dark", isNarrow);
            }
            int code = browser.watch(() -> {});
            browser.assertWell(code);
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }
}
