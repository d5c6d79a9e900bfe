package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.Verb;
import dev.laneway.ops.GroupKind;
import dev.laneway.ops.GroupLag;
import dev.laneway.ops.LagAge;
import dev.laneway.ops.LagStatus;
import dev.laneway.ops.PartitionLag;
import dev.laneway.testkit.EmbeddedKafka;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LagTest {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... args) {
        PrintStream to = new PrintStream(out, true, StandardCharsets.UTF_8);
        return Main.run(new Verb.Streams(to, new PrintStream(err, true, StandardCharsets.UTF_8), new Stop()), args);
    }

    private String errors() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    @DisplayName("B131 lag measures a group, as text for people and as JSON")
    void measures() throws Exception {
        String topic = "lag-" + UUID.randomUUID();
        KAFKA.createTopic(topic, 1);
        KAFKA.produce(List.of(new ProducerRecord<>(topic, new byte[1]), new ProducerRecord<>(topic, new byte[1])));
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", KAFKA.bootstrapServers()))) {
            admin.alterConsumerGroupOffsets(topic, Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(0)))
                    .all()
                    .get();
        }
        int code = run("lag", "--bootstrap", KAFKA.bootstrapServers(), "--group", topic, "--for", "1ms", "--json", "-");
        assertThat(code).as(errors()).isZero();
        JsonNode group =
                new ObjectMapper().readTree(out.toByteArray()).get("groups").get(0);
        assertThat(group.get("known_lag").asLong()).isEqualTo(2);
        assertThat(group.get("status").asText()).isEqualTo("STOP");
        assertThat(errors()).contains(topic + ": STOP, lag 2").contains("2 records wait and no member has");
    }

    @Test
    @DisplayName("B131 lag of an unknown group fails in one sentence")
    void unknownGroup() {
        assertThat(run("lag", "--bootstrap", KAFKA.bootstrapServers(), "--group", "none-" + UUID.randomUUID()))
                .isEqualTo(Program.FAILED);
        assertThat(errors()).contains("does not exist").doesNotContain("\tat ");
    }

    @Test
    @DisplayName("B131 lag needs a group or --all, and not both")
    void usage() {
        assertThat(run("lag")).isEqualTo(Program.USAGE);
        assertThat(run("lag", "--all", "--group", "g")).isEqualTo(Program.USAGE);
        assertThat(run("lag", "--group", "g", "--isolation", "none")).isEqualTo(Program.USAGE);
    }

    @Test
    @DisplayName("B131 The table of lag fits into 40, 60, 80 and 200 columns")
    void fits() {
        PartitionLag partition = new PartitionLag(
                new TopicPartition("a-topic-with-a-very-long-name-of-its-own", 1234),
                1_000_000_000L,
                0L,
                2_000_000_000L,
                1_000_000_000L,
                null,
                7,
                123_456.0,
                1.0,
                3.0,
                new LagAge(100, 9e9),
                Double.POSITIVE_INFINITY,
                1e12,
                LagStatus.GROWING,
                "lag grows ".repeat(20),
                false);
        GroupLag group = new GroupLag(
                "g", GroupKind.STREAMS, "Reconciling", List.of(), List.of(partition), List.of("x ".repeat(99)));
        for (int width : List.of(40, 60, 80, 200)) {
            List<String> lines = LagTable.lines(group, width, true, 10);
            assertThat(lines).allMatch(line -> line.length() <= width);
            assertThat(String.join("\n", lines)).contains("rebalancing");
        }
        assertThat(String.join("\n", LagTable.lines(group, 60, false, 10))).contains("-1234", "GROWING", "never");
    }
}
