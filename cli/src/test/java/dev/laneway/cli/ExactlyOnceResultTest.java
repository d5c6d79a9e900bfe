package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Ordering;
import dev.laneway.cli.workload.Payload;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ExactlyOnceResultTest {
    private static final Payload FIRST = new Payload(0, 0, 0);
    private static final Payload SECOND = new Payload(1, 0, 1);

    private static boolean isFine(boolean committedEqualsEnd, Payload... copies) {
        CopiesCheck check = new CopiesCheck(Ordering.KEY, 2, 1);
        for (Payload copy : copies) {
            check.add(copy);
        }
        return new ExactlyOnceResult(
                        null,
                        0,
                        null,
                        new ExactlyOnceDemo.Result(Duration.ofSeconds(1), copies.length, check, committedEqualsEnd))
                .isFine();
    }

    @Test
    @DisplayName("The demo of exactly-once fails for a lost, doubled or misplaced copy, and for one not committed")
    void fails() {
        assertThat(isFine(true, FIRST, SECOND)).isTrue();
        assertThat(isFine(false, FIRST, SECOND)).isFalse();
        assertThat(isFine(true, FIRST)).isFalse();
        assertThat(isFine(true, FIRST, SECOND, SECOND)).isFalse();
        assertThat(isFine(true, SECOND, FIRST)).isFalse();
    }
}
