package dev.laneway.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How soon a reader sees what is wrong. */
@Tag("alone") // By the clock: what other tests take would count.
class StuckKeyShownTest {
    @Test
    @DisplayName("B156 B160 In Chromium: a stuck key is shown within three seconds")
    void soon(@TempDir Path directory) throws Exception {
        Browser browser = new Browser(directory);
        try (Patients patients = new Patients();
                Dashboard stuck = Dashboard.of(patients.stuckKey()).name("shop").start()) {
            Browser.sees(browser.open("stuck-key-soon", stuck), "broken", "STUCK_KEY");
            int code = browser.watch(patients::fallIll);
            String said = String.join("\n", browser.lines());
            assertThat(code).as(said).isZero();
            long shown = browser.lines().stream()
                    .filter(line -> line.startsWith("stuck-key-soon: verdict"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll(".* ", "")))
                    .findFirst()
                    .orElseThrow();
            long millis = shown - patients.stuckSinceMillis();
            System.out.println("shown after " + millis + " ms");
            assertThat(millis)
                    .as("milliseconds until a stuck key is shown; " + said)
                    .isLessThan(3_000);
        }
    }
}
