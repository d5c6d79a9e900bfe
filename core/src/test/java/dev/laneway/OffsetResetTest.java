package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(120)
@DisplayName("A deliberate reset of a group's offsets")
class OffsetResetTest {
    private final Stage stage = Stage.of(2);

    @Test
    @DisplayName("B98 a reset moves a group once: its next consumer starts there, the one after goes on where that was")
    void resets() {
        stage.loadInto(0, 20, i -> "k" + i);
        assertThat(handleUntil(20)).isEqualTo(20);
        try (Logs logs = new Logs()) {
            OffsetReset reset = Laneway.resetOffsets(stage.config(Map.of()), StartPosition.earliest(), stage.topic);
            assertThat(reset.moves())
                    .containsExactly(
                            new OffsetReset.Move(stage.partition(0), OptionalLong.of(20), 0), moveOfOther(reset));
            assertThat(reset.moves().getFirst().skipped()).isEqualTo(-20);
            assertThat(logs.messages())
                    .anySatisfy(line -> assertThat(line)
                            .startsWith("WARN the committed offsets of group " + stage.group + " were reset, 2")
                            .contains(stage.partition(0) + " from 20 to 0"));
        }
        assertThat(stage.committed(0)).isZero();
        assertThat(handleUntil(20)).isEqualTo(20);
        stage.loadInto(0, 1, i -> "k");
        assertThat(handleUntil(21)).isEqualTo(1);
    }

    /** The empty partition may have been committed at 0, or not at all. */
    private OffsetReset.Move moveOfOther(OffsetReset reset) {
        OffsetReset.Move other = reset.moves().getLast();
        assertThat(other.partition()).isEqualTo(stage.partition(1));
        assertThat(other.to()).isZero();
        return other;
    }

    @Test
    @DisplayName("B98 a dry run tells the moves and changes nothing")
    void plans() {
        stage.loadInto(0, 20, i -> "k" + i);
        stage.commit(0, 5, "");
        OffsetReset plan = Laneway.planOffsetReset(stage.config(Map.of()), StartPosition.latest(), stage.topic);
        assertThat(plan.moves())
                .containsExactly(
                        new OffsetReset.Move(stage.partition(0), OptionalLong.of(5), 20),
                        new OffsetReset.Move(stage.partition(1), OptionalLong.empty(), 0));
        assertThat(plan.moves().getFirst().skipped()).isEqualTo(15);
        assertThat(stage.committed(0)).isEqualTo(5);
        assertThat(stage.committed(1)).isEqualTo(-1);
    }

    @Test
    @DisplayName("B98 a reset to a time goes to the first record from then on, and to the end where there is none")
    void resetsToTime() {
        stage.loadInto(0, 10, i -> "k" + i);
        long end = System.currentTimeMillis();
        assertThat(target(StartPosition.timestamp(Instant.EPOCH))).isZero();
        assertThat(target(StartPosition.timestamp(Instant.ofEpochMilli(end + 3_600_000))))
                .isEqualTo(10);
        assertThat(target(StartPosition.offsets(Map.of(stage.partition(0), 7L))))
                .isEqualTo(7);
    }

    private long target(StartPosition to) {
        Laneway.resetOffsets(stage.config(Map.of()), to, stage.topic);
        return stage.committed(0);
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    @DisplayName("B98 a reset is refused while the group has members, and changes nothing")
    void refusesWithMembers(Protocol protocol) {
        stage.loadInto(0, 10, i -> "k" + i);
        try (Laneway _ = stage.consumer(protocol.config()).process(record -> {})) {
            await().atMost(LIMIT).until(() -> stage.committed(0) == 10);
            assertThatThrownBy(
                            () -> Laneway.resetOffsets(stage.config(Map.of()), StartPosition.earliest(), stage.topic))
                    .isInstanceOf(BrokerException.class)
                    .hasMessageContaining("group " + stage.group + " has 1 members")
                    .hasMessageContaining("stop its consumers first");
            assertThat(stage.committed(0)).isEqualTo(10);
        }
    }

    @Test
    @DisplayName("B98 a reset without a group, to where the group is, beyond the log or of a missing topic is refused")
    void refusesWrongQuestions() {
        Map<String, Object> nobody = new HashMap<>(stage.config(Map.of()));
        nobody.remove("group.id");
        assertThatThrownBy(() -> Laneway.planOffsetReset(nobody, StartPosition.earliest(), stage.topic))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith("group.id is not set");
        Map<String, Object> config = stage.config(Map.of("default.api.timeout.ms", 5_000, "request.timeout.ms", 5_000));
        assertThatThrownBy(() -> Laneway.planOffsetReset(config, StartPosition.committed(), stage.topic))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("is where the group is already");
        assertThatThrownBy(() -> Laneway.resetOffsets(
                        config, StartPosition.offsets(Map.of(stage.partition(1), 1L)), stage.topic))
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("the offset of " + stage.partition(1)
                        + " is 1 but its log reaches from 0 to 0: give an offset of the log");
        assertThatThrownBy(() -> Laneway.resetOffsets(config, StartPosition.earliest(), "no-such-topic"))
                .isInstanceOf(BrokerException.class)
                .hasMessageContaining("one of the topics does not exist");
    }

    /** Runs a consumer until the group has committed so much of partition 0; returns how many records it handled. */
    private int handleUntil(long committed) {
        Journal journal = new Journal();
        try (Laneway _ = stage.consumer().process(journal.note(record -> {}))) {
            await().atMost(LIMIT).until(() -> journal.size() > 0 && stage.committed(0) == committed);
        }
        return journal.size();
    }
}
