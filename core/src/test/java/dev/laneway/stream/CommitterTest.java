package dev.laneway.stream;

import static dev.laneway.stream.SourceStage.LIMIT;
import static dev.laneway.stream.SourceStage.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.laneway.ConfigurationException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
@DisplayName("Committing as a stage, on a real broker")
class CommitterTest {
    private static final Duration NEVER = Duration.ofHours(1);
    private static final CommitterSettings LAZY = new CommitterSettings(1_000_000, NEVER, 2);

    private final SourceStage stage = new SourceStage(2);

    private Source<CommittableRecord<String, String>> source() {
        return KafkaSource.committable(stage.settings().withCommitsByHand(), stage.all());
    }

    @Test
    @DisplayName("B70 sink: commits when a batch is full, and the rest when the stream completes")
    void sizeAndEnd() throws Exception {
        stage.load(0, 0, 10);
        Control control = source().to(Committer.sink(LAZY.withMaxBatch(10)));
        // One batch, so that no commit is on its way when the next elements come: it would cover them.
        await().atMost(LIMIT).until(() -> stage.committed(0) == 10);
        stage.load(0, 10, 18);
        await().during(Duration.ofMillis(200)).until(() -> stage.committed(0) == 10);
        stage.load(0, 18, 20);
        await().atMost(LIMIT).until(() -> stage.committed(0) == 20);
        stage.load(0, 20, 23);
        await().atMost(LIMIT).until(() -> control.health().reasons().isEmpty());
        join(control.drainAndShutdown(Duration.ofSeconds(20)));
        assertThat(stage.committed(0)).isGreaterThanOrEqualTo(20);
    }

    @Test
    @DisplayName("B70 sink: commits what has waited for the interval")
    void interval() throws Exception {
        stage.load(0, 0, 7);
        Control control = source().to(Committer.sink(LAZY.withMaxInterval(Duration.ofMillis(100))));
        await().atMost(LIMIT).until(() -> stage.committed(0) == 7);
        control.stop();
        join(control.completion());
    }

    @Test
    @DisplayName("B70 flow: commits without demand from below, in batches that tell what is in them")
    void withoutDemand() throws Exception {
        stage.load(0, 0, 25);
        Probe<OffsetBatch> probe = Probe.asking(0);
        Control control = source().via(Committer.<CommittableRecord<String, String>>flow(LAZY.withMaxBatch(10)))
                .to(probe);
        await().atMost(LIMIT).until(() -> stage.committed(0) >= 20);
        assertThat(probe.elements()).isEmpty();
        probe.request(5);
        await().atMost(LIMIT).until(() -> probe.size() == 2);
        assertThat(probe.elements().getFirst().size()).isEqualTo(10);
        assertThat(probe.elements().get(1).highest()).isEqualTo(Map.of(stage.partition(0), 19L));
        join(control.drainAndShutdown(Duration.ofSeconds(20)));
        assertThat(probe.violations()).isEmpty();
        assertThat(stage.committed(0)).isEqualTo(25);
    }

    @Test
    @DisplayName("B70 out of order: a commit never passes a record that is not done, and a restart skips what is done")
    void outOfOrder() throws Exception {
        stage.load(0, 0, 200);
        Probe<CommittableRecord<String, String>> probe = Probe.asking(200);
        Control control = source().to(probe);
        await().atMost(LIMIT).until(() -> probe.size() == 200);
        List<CommittableRecord<String, String>> shuffled = new ArrayList<>(probe.elements());
        shuffled.removeIf(
                record -> record.value().equals("50") || record.value().equals("120"));
        Collections.shuffle(shuffled, new Random(1));
        Control committing = Source.from(new Elements<>(shuffled)).to(Committer.sink(LAZY.withMaxBatch(7)));
        join(committing.completion());
        assertThat(stage.committed(0)).isEqualTo(50);
        assertThatThrownBy(() -> join(control.drainAndShutdown(Duration.ZERO))).hasStackTraceContaining("drain limit");

        Probe<CommittableRecord<String, String>> next = Probe.asking(2);
        Control again = source().to(next);
        await().atMost(LIMIT).until(() -> next.size() == 2);
        assertThat(next.elements().stream().map(CommittableRecord::value)).containsExactly("50", "120");
        next.elements().getLast().acknowledgeUpTo();
        join(again.drainAndShutdown(Duration.ofSeconds(20)));
        assertThat(stage.committed(0)).isEqualTo(200);
    }

    @Test
    @DisplayName(
            "B70 B71 before a partition goes what is acknowledged is committed; afterwards its offsets are ignored")
    void revoked() throws Exception {
        stage.load(0, 0, 10);
        stage.load(1, 0, 10);
        Map<String, Object> cooperative =
                Map.of("partition.assignment.strategy", "org.apache.kafka.clients.consumer.CooperativeStickyAssignor");
        ConsumerSettings<String, String> settings =
                stage.settings(cooperative).withCommitsByHand().withDrainLimit(Duration.ofMillis(200));
        Probe<CommittableRecord<String, String>> probe = Probe.asking(20);
        Control one = KafkaSource.committable(settings, stage.all()).to(probe);
        await().atMost(LIMIT).until(() -> probe.size() == 20);
        for (CommittableRecord<String, String> record : probe.elements()) {
            if (Integer.parseInt(record.value()) < 4) {
                record.acknowledge(); // In memory, without a request for a commit.
            }
        }
        Probe<CommittableRecord<String, String>> other = Probe.asking(6);
        Control two = KafkaSource.committable(settings, stage.all()).to(other);
        await().atMost(LIMIT).until(() -> other.size() == 6);
        TopicPartition gone = other.elements().getFirst().partition();
        int stayed = 1 - gone.partition();
        assertThat(other.elements().getFirst().value()).isEqualTo("4");
        assertThat(stage.committed(gone.partition())).isEqualTo(4);
        assertThat(stage.committed(stayed)).isEqualTo(-1);

        OffsetBatch all = OffsetBatch.of(
                probe.elements().stream().map(CommittableRecord::offset).toList());
        join(all.commit());
        assertThat(stage.committed(gone.partition()))
                .as("not the first one's any more")
                .isEqualTo(4);
        assertThat(stage.committed(stayed)).isEqualTo(10);
        other.elements().forEach(CommittableRecord::acknowledge);
        join(two.drainAndShutdown(Duration.ofSeconds(20)));
        assertThat(stage.committed(gone.partition())).isEqualTo(10);
        one.stop();
        join(one.completion());
    }

    @Test
    @DisplayName("B70 with stages that answer in any order, all is committed once the stream is drained")
    void wholeStream() throws Exception {
        stage.load(0, 0, 3_000);
        stage.load(1, 0, 3_000);
        CompletableFuture<Void> gate = new CompletableFuture<>();
        Control control = source().mapAsyncUnordered(64, record -> {
                    if (record.value().endsWith("7")) {
                        return CompletableFuture.supplyAsync(
                                () -> record, CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS));
                    }
                    if (record.value().equals("2999")) {
                        gate.complete(null);
                    }
                    return CompletableFuture.completedFuture(record);
                })
                .to(Committer.sink(CommitterSettings.DEFAULTS.withMaxBatch(100)));
        join(gate);
        await().atMost(LIMIT).until(() -> stage.committed(0) >= 2_900 && stage.committed(1) >= 2_900);
        join(control.drainAndShutdown(Duration.ofSeconds(20)));
        assertThat(stage.committed(0)).isEqualTo(3_000);
        assertThat(stage.committed(1)).isEqualTo(3_000);
    }

    @Test
    @DisplayName("B52 settings that cannot work are refused")
    void refused() {
        assertThatThrownBy(() -> LAZY.withMaxBatch(0)).isInstanceOf(ConfigurationException.class);
        assertThatThrownBy(() -> LAZY.withMaxInterval(Duration.ZERO)).isInstanceOf(ConfigurationException.class);
        assertThatThrownBy(() -> LAZY.withParallelism(0)).isInstanceOf(ConfigurationException.class);
    }
}
