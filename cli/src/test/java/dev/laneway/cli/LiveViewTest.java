package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.cli.program.Terminal;
import dev.laneway.cli.workload.LiveView;
import dev.laneway.cli.workload.Progress;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LiveViewTest {
    private static final Terminal LIVE = new Terminal(true, false, false, 60);

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream out = Cli.stream(bytes);
    private final AtomicLong done = new AtomicLong();

    @Test
    @DisplayName("On a terminal the picture moves while it is open, in place, and its last state stays")
    void redrawsInPlace() {
        try (LiveView _ = LiveView.open(out, LIVE, "Work", () -> Progress.of(done.get(), 100))) {
            await().until(() -> text().contains("0 of 100"));
            done.set(50);
            await().until(() -> text().contains("50 of 100"));
            done.set(100);
        }
        // Three lines up, to where the picture began.
        assertThat(text()).contains("\u001b[3A\rWork").endsWith("\u001b[J");
        assertThat(text().substring(text().lastIndexOf("Work"))).contains("100 of 100");
    }

    @Test
    @DisplayName("Without a terminal there are plain lines, the last one with the last state")
    void printsLines() {
        try (LiveView _ = LiveView.lines(out, "Work", Duration.ofMillis(5), () -> Progress.of(done.get(), 100))) {
            await().until(() -> text().lines().count() >= 2);
            done.set(100);
        }
        assertThat(text()).doesNotContain("\u001b").endsWith(System.lineSeparator());
        assertThat(text().lines().toList().getLast()).startsWith("Work: 100 of 100 (100 %), ");
    }

    @Test
    @DisplayName("What is logged to standard error while the picture is shown stands above it, whole")
    void logsAboveThePicture() {
        PrintStream before = System.err;
        ByteArrayOutputStream logged = new ByteArrayOutputStream();
        System.setErr(new PrintStream(logged, true, StandardCharsets.UTF_8));
        try {
            try (LiveView _ = LiveView.open(out, LIVE, "Work", () -> Progress.of(1, 100))) {
                await().until(() -> text().contains("1 of 100"));
                System.err.print("a warn");
                System.err.flush();
                assertThat(logged.toString(StandardCharsets.UTF_8)).isEmpty();
                System.err.println("ing");
                assertThat(logged.toString(StandardCharsets.UTF_8)).isEqualTo("a warning" + System.lineSeparator());
            }
            assertThat(text()).contains("\u001b[3A\r\u001b[J");
            System.err.println("later");
            assertThat(logged.toString(StandardCharsets.UTF_8)).endsWith("later" + System.lineSeparator());
        } finally {
            System.setErr(before);
        }
    }

    private String text() {
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
