package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.cli.program.Program;
import dev.laneway.testkit.EmbeddedKafka;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(180)
@DisplayName("consume with limits of any length")
class ConsumeLimitsTest {
    private final EmbeddedKafka kafka = EmbeddedKafka.shared();

    @ParameterizedTest
    @CsvSource({"876000h, 0", "876000h, 1us", "1us, 0"})
    @DisplayName("B128 every duration of consume at its longest and at its shortest")
    void durations(String time, String commit) {
        String topic = "limits-" + time + "-" + commit;
        kafka.createTopic(topic, 1);
        kafka.produce(List.of(new ProducerRecord<>(topic, new byte[1]), new ProducerRecord<>(topic, new byte[1])));
        List<String> line = new ArrayList<>(List.of("consume", "--bootstrap", kafka.bootstrapServers()));
        line.addAll(List.of("--topic", topic, "--group", topic, "--max-records", "2"));
        for (String option : List.of("--close-limit", "--idle-exit", "--every")) {
            line.addAll(List.of(option, time));
        }
        line.addAll(List.of("--commit-interval", commit.equals("0") ? time : commit));
        line.addAll(List.of("--broker-limit", time.equals("1us") ? "10s" : time));
        Cli cli = Cli.run(line.toArray(String[]::new));
        assertThat(cli.err()).doesNotContain("\tat ");
        assertThat(cli.code()).as(cli.err()).isIn(Program.FINE, Program.USAGE);
        if (time.equals("876000h")) {
            assertThat(cli.code()).as(cli.err()).isEqualTo(Program.FINE);
            assertThat(kafka.isCommittedToEnd(topic, topic)).isTrue();
        }
    }

    @Test
    @DisplayName("B128 looks at many partitions, each of which takes long, cost a small part of a core")
    void pauses() {
        assertThat(Consumption.pauseAfter(10_000)).isEqualTo(Duration.ofMillis(50));
        assertThat(Consumption.pauseAfter(5_000_000)).isEqualTo(Duration.ofMillis(250));
        assertThat(Consumption.pauseAfter(Long.MAX_VALUE / 100)).isEqualTo(Duration.ofSeconds(1));
    }
}
