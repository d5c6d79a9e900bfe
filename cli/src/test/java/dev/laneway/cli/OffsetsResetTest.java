package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.cli.program.Program;
import dev.laneway.testkit.EmbeddedKafka;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The verb on a real broker. */
class OffsetsResetTest {
    private final EmbeddedKafka kafka = EmbeddedKafka.shared();
    private final String topic = "reset-" + UUID.randomUUID();
    private final String group = "group-of-" + topic;
    private final TopicPartition partition = new TopicPartition(topic, 0);

    @Test
    @DisplayName("B98 offsets reset shows what it would move, moves it, and says so as JSON with the documented keys")
    void resets() throws Exception {
        kafka.createTopic(topic, 2);
        kafka.produce(IntStream.range(0, 12)
                .mapToObj(i -> new ProducerRecord<>(topic, 0, new byte[0], new byte[] {(byte) i}))
                .toList());
        try (Consumer<byte[], byte[]> consumer = kafka.consumer(group)) {
            consumer.commitSync(Map.of(partition, new OffsetAndMetadata(12)));
        }

        Cli plan = reset("--to", "earliest", "--dry-run");
        assertThat(plan.err()).isEmpty();
        assertThat(plan.code()).isZero();
        assertThat(plan.out()).contains("12 again", "starts here", "Would move 2 partitions", "nothing was changed");
        assertThat(committed()).isEqualTo(12);

        Cli done = reset("--to", "0:5", "--json", "-");
        assertThat(done.err()).contains("7 again", "Moved 1 partition of group " + group);
        assertThat(done.code()).isZero();
        JsonNode report = new ObjectMapper().readTree(done.out());
        assertThat(report.fieldNames()).toIterable().containsExactlyElementsOf(CliDoc.keys("offsets reset"));
        assertThat(report.get("moves").get(0).get("from").asLong()).isEqualTo(12);
        assertThat(committed()).isEqualTo(5);
    }

    @Test
    @DisplayName("B98 offsets reset of a missing topic, or beyond the log, fails in one sentence and changes nothing")
    void fails() {
        Cli missing = reset("--to", "latest");
        assertThat(missing.code()).isEqualTo(Program.FAILED);
        assertThat(missing.err().lines()).singleElement().asString().contains("does not exist: check");
        kafka.createTopic(topic, 1);
        Cli beyond = reset("--to", "0:1");
        assertThat(beyond.code()).isEqualTo(Program.USAGE);
        assertThat(beyond.err().lines()).singleElement().asString().contains("its log reaches from 0 to 0");
        assertThat(kafka.committed(group)).isEmpty();
    }

    private long committed() {
        return kafka.committed(group).get(partition).offset();
    }

    private Cli reset(String... more) {
        List<String> args = new ArrayList<>(List.of(
                "offsets", "reset", "--bootstrap", kafka.bootstrapServers(), "--group", group, "--topic", topic));
        args.addAll(Arrays.asList(more));
        return Cli.run(args.toArray(String[]::new));
    }
}
