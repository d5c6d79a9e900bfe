package dev.laneway.orders;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.OptionalDouble;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RateControlTest {
    private static OptionalDouble at(RateControl control, int seconds) {
        return control.at(Duration.ofSeconds(seconds).toNanos());
    }

    @Test
    @DisplayName("B182 rates follow one another, and end after the last")
    void schedule() {
        RateControl control = new RateControl(RateSchedule.parse("1m@1000,30s@2500.5"));
        assertThat(at(control, 0)).hasValue(1_000);
        assertThat(at(control, 59)).hasValue(1_000);
        assertThat(at(control, 60)).hasValue(2_500.5);
        assertThat(at(control, 90)).isEmpty();
        assertThat(at(new RateControl(RateSchedule.of(7)), 1_000_000)).hasValue(7);
    }

    @Test
    @DisplayName(
            "B182 a line of standard input is the rate from then on; one that is none is told, and changes nothing")
    void lines() {
        RateControl control = new RateControl(RateSchedule.parse("1m@1000"));
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        control.listen(
                new StringReader("fast\n\n-1\n 1e9\n 250 \n"), new PrintStream(said, true, StandardCharsets.UTF_8));
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(at(control, 0)).hasValue(250));
        assertThat(at(control, 1_000)).hasValue(250);
        assertThat(said.toString(StandardCharsets.UTF_8))
                .hasLineCount(3)
                .contains("laneway: the line 'fast' sets no rate: it must be a number of records a second from 0 to");
    }
}
