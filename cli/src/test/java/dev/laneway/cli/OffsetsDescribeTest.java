package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.Laneway;
import dev.laneway.cli.program.Program;
import dev.laneway.ops.CommitMap.Run;
import dev.laneway.ops.CommitMap.SpilledKey;
import dev.laneway.ops.CommitMetadata;
import dev.laneway.ops.CommitMetadata.Writer;
import dev.laneway.ops.GroupCommits;
import dev.laneway.ops.GroupKind;
import dev.laneway.ops.PartitionCommit;
import dev.laneway.testkit.EmbeddedKafka;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class OffsetsDescribeTest {
    private final EmbeddedKafka kafka = EmbeddedKafka.shared();
    private final String topic = "described-" + UUID.randomUUID();

    private Cli describe(String group, String... more) {
        List<String> args = new ArrayList<>(
                List.of("offsets", "describe", "--bootstrap", kafka.bootstrapServers(), "--group", group));
        args.addAll(List.of(more));
        return Cli.run(args.toArray(String[]::new));
    }

    @Test
    @DisplayName("B133 offsets describe tells of a stuck record, as text for people and as JSON with documented keys")
    void stuckRecord() throws Exception {
        kafka.createTopic(topic, 1);
        for (int i = 0; i < 1_000; i++) {
            kafka.produce(topic, i == 5 || i == 8 ? "stuck" : "free-" + i % 7, "x");
        }
        CountDownLatch done = new CountDownLatch(998);
        CountDownLatch released = new CountDownLatch(1);
        try (Laneway _ = Laneway.consumer(Map.of(
                        "bootstrap.servers",
                        kafka.bootstrapServers(),
                        "group.id",
                        topic,
                        "auto.offset.reset",
                        "earliest"))
                .subscribe(topic)
                .closeLimit(Duration.ofMillis(100))
                .process(record -> {
                    if (new String(record.key(), StandardCharsets.UTF_8).equals("stuck")) {
                        released.await();
                    }
                    done.countDown();
                })) {
            assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        }
        Cli text = describe(topic);
        assertThat(text.err()).isEmpty();
        assertThat(text.code()).isZero();
        assertThat(text.out().replaceAll("\\s+", " "))
                .contains(topic + ": 1 partition; lag 995, 993 done, 2 to do")
                .contains("Laneway's map (runs), ", " of 4,096 characters")
                .contains("undone 5; 8; done up to 999")
                .contains("handles 993 again");

        Cli json = describe(topic, "--topic", topic, "--json", "-");
        assertThat(json.code()).isZero();
        assertThat(json.err()).contains("993 done");
        JsonNode report = new ObjectMapper().readTree(json.out());
        JsonNode offsets = report.get("offsets").get(0);
        assertThat(offsets.get("committed").asLong()).isEqualTo(5);
        assertThat(offsets.get("done_beyond").asLong()).isEqualTo(993);
        assertThat(offsets.get("last_done").asLong()).isEqualTo(999);
        assertThat(offsets.get("undone").toString()).isEqualTo("[[5,5],[8,8]]");
        assertThat(offsets.get("writer").asText()).isEqualTo("laneway");
        assertThat(report.get("lag").asLong()).isEqualTo(995);
        assertThat(report.get("to_do").asLong()).isEqualTo(2);
        Set<String> keys = new HashSet<>();
        report.fieldNames().forEachRemaining(keys::add);
        offsets.fieldNames().forEachRemaining(keys::add);
        report.get("topics").get(0).fieldNames().forEachRemaining(keys::add);
        assertThat(CliDoc.keys("offsets describe")).containsExactlyInAnyOrderElementsOf(keys);
    }

    @Test
    @DisplayName("B133 offsets describe of an unknown group, or of a topic without commits, fails in one sentence")
    void fails() {
        Cli unknown = describe("none-" + topic);
        assertThat(unknown.code()).isEqualTo(Program.FAILED);
        assertThat(unknown.err().lines()).singleElement().asString().contains("does not exist");
        assertThat(unknown.out()).isEmpty();
    }

    @Test
    @DisplayName("B133 The table fits into 40, 60, 80 and 200 columns, and shortens long lists")
    void fits() {
        List<Run> done = IntStream.range(0, 30_000)
                .mapToObj(i -> new Run(1_000_000_001L + 2L * i, 1_000_000_002L + 2L * i))
                .toList();
        List<Run> undone =
                done.stream().map(run -> new Run(run.from() - 1, run.from())).toList();
        PartitionCommit full = new PartitionCommit(
                new TopicPartition("a-topic-with-a-very-long-name-of-its-own", 1234),
                1_000_000_000L,
                7,
                new CommitMetadata(Writer.LANEWAY, "bitmap", 4_004, done, null),
                0L,
                2_000_000_000L,
                1_000_000_000L,
                999_970_000L,
                undone,
                List.of("something is not in order ".repeat(6).strip()),
                true);
        List<PartitionCommit> partitions = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            partitions.add(new PartitionCommit(
                    new TopicPartition("t", i),
                    null,
                    null,
                    new CommitMetadata(Writer.NONE, null, 0, List.of(), null),
                    null,
                    null,
                    null,
                    null,
                    List.of(),
                    List.of(),
                    false));
        }
        partitions.add(full);
        GroupCommits group =
                new GroupCommits("g", GroupKind.CLASSIC, "Stable", 1, null, partitions, List.of("x ".repeat(99)));
        for (int width : List.of(40, 60, 80, 200)) {
            List<String> lines = OffsetsDescribeTable.lines(group, width, 15);
            assertThat(lines).hasSizeLessThan(60).allMatch(line -> line.length() <= width);
            assertThat(String.join(" ", lines).replaceAll(" +", " "))
                    .contains("10,001 partitions, 10,000 without a commit, 1 with warnings; lag 1,000,000,000 or more")
                    .contains("1,000,000,000; 1,000,000,002; 1,000,000,004; 1,000,000,006; 1,000,000,008 and 29,995")
                    .contains("n-1234", "999,970,000", "done up to 1,000,059,999", "4,096 by default")
                    .contains("and 9,986 partitions more: see --top");
        }
        assertThat(OffsetsDescribeTable.lines(group, 200, 15))
                .anyMatch(line -> line.contains("start") && line.contains("epoch") && line.contains("to do"));
    }

    @Test
    @DisplayName("B93 B133 B137 Spilled keys are counted in the table, and listed in JSON")
    void spilledKeys() throws Exception {
        CommitMetadata metadata = new CommitMetadata(
                Writer.LANEWAY,
                "runs",
                30,
                List.of(new Run(1_000, 9_000)),
                List.of(new SpilledKey(0xABCDEFL, 1_000), new SpilledKey(-1, 2_000)),
                0xC0FFEE,
                null);
        TopicPartition id = new TopicPartition("t", 0);
        PartitionCommit commit =
                new PartitionCommit(id, 1_000L, 7, metadata, 0L, 9_000L, 8_000L, 0L, List.of(), List.of(), true);
        GroupCommits group = new GroupCommits("g", GroupKind.CLASSIC, "Empty", 0, 4_096, List.of(commit), List.of());
        String text =
                String.join(" ", OffsetsDescribeTable.lines(group, 80, 15)).replaceAll(" +", " ");
        assertThat(text)
                .contains(
                        "done up to 8,999",
                        "2 spilled keys by a lane key whose id has hash 00c0ffee, the first from 1,000 on")
                .doesNotContain("; done up to");
        assertThat(new ObjectMapper()
                        .valueToTree(OffsetsDescribeJson.partition(commit))
                        .get("spilled_keys")
                        .toString())
                .isEqualTo("[{\"hash\":\"0000000000abcdef\",\"from\":1000},"
                        + "{\"hash\":\"ffffffffffffffff\",\"from\":2000}]");
        assertThat(OffsetsDescribeJson.partition(commit)).containsEntry("lane_key", "00c0ffee");
    }

    @Test
    @DisplayName("B133 A group that has committed nothing is told so")
    void nothing() {
        GroupCommits group = new GroupCommits("g", GroupKind.CLASSIC, "Empty", 0, 4_096, List.of(), List.of());
        assertThat(OffsetsDescribeTable.lines(group, 80, 15)).last().asString().contains("has committed nothing");
    }
}
