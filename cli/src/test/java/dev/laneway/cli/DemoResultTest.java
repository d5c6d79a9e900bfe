package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Ordering;
import dev.laneway.cli.workload.Audit;
import dev.laneway.cli.workload.Loader;
import dev.laneway.cli.workload.ParallelRun;
import dev.laneway.cli.workload.Payload;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DemoResultTest {
    private static final int RECORDS = 2;

    private final Audit audit = new Audit(Ordering.KEY, RECORDS, 1, 1);

    @Test
    @DisplayName("All handled once, in order and committed is fine; the figures are those of the formulas")
    void isFine() throws InterruptedException {
        handle(0);
        handle(1);
        DemoResult result = result(true, Optional.empty());
        assertThat(result.isFine()).isTrue();
        assertThat(result.toJson())
                .containsEntry("rate", 200.0)
                .containsEntry("rate_with_join", 20.0)
                .containsEntry("little_rate", 800.0)
                .containsEntry("share_of_little", 0.25)
                .containsEntry("bare_rate", 50.0)
                .containsEntry("times_bare", 4.0)
                .containsEntry("hottest_key_share", 0.25)
                .containsEntry("committed_equals_end", true);
        assertThat(printed(result)).contains("share of Little's law  25.0 % of 800.0", "committed = end        yes");
    }

    @Test
    @DisplayName("A record lost, doubled, out of order, not committed, or a failure is not fine")
    void isNotFine() throws InterruptedException {
        handle(0);
        assertThat(result(true, Optional.empty()).isFine()).as("lost").isFalse();
        handle(1);
        assertThat(result(false, Optional.empty()).isFine()).as("not committed").isFalse();
        assertThat(result(true, Optional.of(new IllegalStateException("broken")))
                        .isFine())
                .as("failed")
                .isFalse();
        assertThat(result(true, Optional.empty()).isFine()).isTrue();
        handle(1);
        assertThat(result(true, Optional.empty()).isFine()).as("doubled").isFalse();
    }

    @Test
    @DisplayName("Without work there is no law to share")
    void hasNoShareWithoutWork() {
        DemoResult result = result(true, Optional.empty(), Duration.ZERO);
        assertThat(result.toJson()).containsEntry("little_rate", null).containsEntry("share_of_little", null);
        assertThat(printed(result)).doesNotContain("Little");
    }

    private void handle(int index) throws InterruptedException {
        byte[] value = new Payload(index, 0, index).valueBytes(Payload.LEAST_BYTES);
        audit.handle(new ConsumerRecord<>("topic", 0, index, Payload.keyBytes(0), value), () -> {});
    }

    private DemoResult result(boolean committed, Optional<Throwable> failure) {
        return result(committed, failure, Duration.ofMillis(10));
    }

    private DemoResult result(boolean committed, Optional<Throwable> failure, Duration work) {
        return new DemoResult(
                new ParallelRun.Setup("topic", "group", RECORDS, Ordering.KEY, 100, 1, work),
                8,
                1,
                0,
                new Loader.Result(RECORDS * 2, Duration.ofSeconds(1), 1),
                new BareLoop.Result(100, Duration.ofSeconds(1), Duration.ofSeconds(2)),
                new ParallelRun.Result(RECORDS, Duration.ofMillis(10), Duration.ofMillis(100), 1, failure),
                audit,
                committed);
    }

    private static String printed(DemoResult result) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        result.print(Cli.stream(bytes));
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
