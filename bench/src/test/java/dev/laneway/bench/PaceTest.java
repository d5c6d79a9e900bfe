package dev.laneway.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PaceTest {
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private final AtomicLong clock = new AtomicLong();

    @Test
    @DisplayName("What is left is what was expected, and longer where the steps so far took longer")
    void estimates() {
        Pace pace = new Pace(new PrintStream(said, true, StandardCharsets.UTF_8), 200, clock::get);
        pace.next("first", 100);
        assertThat(said()).isEqualTo("[0 %] first; about 3 min 20 s left");
        pass(220);
        pace.next("second", 80);
        assertThat(said()).isEqualTo("[50 %] second; about 3 min 20 s left");
        pass(180);
        pace.next("last", 20);
        assertThat(said()).isEqualTo("[90 %] last; about 42 s left");
    }

    @Test
    @DisplayName("It never claims to be done, or that nothing is left")
    void isNeverDone() {
        Pace pace = new Pace(new PrintStream(said, true, StandardCharsets.UTF_8), 1, clock::get);
        pace.next("first", 10);
        said();
        pass(10);
        pace.next("second", 10);
        assertThat(said()).isEqualTo("[99 %] second; about 1 s left");
    }

    private void pass(long seconds) {
        clock.addAndGet(Duration.ofSeconds(seconds).toNanos());
    }

    private String said() {
        String line = said.toString(StandardCharsets.UTF_8).strip();
        said.reset();
        return line;
    }
}
