package dev.laneway.orders.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.ops.check.Cause;
import dev.laneway.ops.check.CheckResult;
import dev.laneway.ops.check.CheckResult.Outcome;
import dev.laneway.ops.check.Finding;
import dev.laneway.ops.check.FindingStatus;
import dev.laneway.ops.check.GroupCheck;
import dev.laneway.ops.check.RuleId;
import dev.laneway.ops.check.Thresholds;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Recording;
import dev.laneway.ops.observe.Sample;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SizingStoryTest {
    @TempDir
    Path directory;

    private static StoryStep step(String name) {
        return SizingStory.steps().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** The verdict of what was recorded of a step, as check --replay gives it. */
    private CheckResult verdict(String name, Thresholds thresholds) {
        Path file = directory.resolve(name + ".jsonl.gz");
        List<Sample> samples = StorySamples.of(step(name));
        try (Recording recording = Recording.to(file)) {
            samples.forEach(recording::add);
        }
        return GroupCheck.judge(new Observations(Recording.read(file).samples()), thresholds);
    }

    private CheckResult verdict(String name) {
        return verdict(name, Thresholds.USUAL);
    }

    private static Finding finding(CheckResult result, RuleId rule) {
        return result.findings().stream()
                .filter(finding -> finding.rule() == rule)
                .findFirst()
                .orElseThrow();
    }

    @Test
    @DisplayName("B85 step 1: offsets advance, nothing rebalances, all runs: healthy")
    void stable() {
        CheckResult result = verdict("1-stable");
        assertThat(result.sentence()).startsWith("Healthy");
        assertThat(result.cause()).isNull();
        assertThat(finding(result, RuleId.S1).status()).isEqualTo(FindingStatus.OK);
        assertThat(finding(result, RuleId.S2).status()).isEqualTo(FindingStatus.OK);
        assertThat(finding(result, RuleId.S3).status()).isEqualTo(FindingStatus.OK);
        assertThat(finding(result, RuleId.S4).status()).isEqualTo(FindingStatus.OK);
    }

    @Test
    @DisplayName("B85 step 2: the lag grows and reads miss the caches: more memory, the page cache first, no instance")
    void reads() {
        CheckResult result = verdict("2-reads");
        assertThat(result.outcome()).isEqualTo(Outcome.LIMITED);
        assertThat(result.cause()).isEqualTo(Cause.READ_MEMORY);
        assertThat(result.remedy()).contains("more memory", "page cache first");
        assertThat(finding(result, RuleId.M6).diagnosis()).contains("21");
        assertThat(finding(result, RuleId.M5).diagnosis()).contains("no effective hits", "50");
    }

    @Test
    @DisplayName(
            "B85 step 3: it keeps up, with writes at the volume's cap: write buffers of 4 MiB, to be 16 MiB a store")
    void writes() {
        CheckResult result = verdict("3-writes");
        assertThat(result.outcome()).isEqualTo(Outcome.HEALTHY);
        assertThat(result.cause()).isEqualTo(Cause.WRITE_MEMORY);
        assertThat(result.sentence()).contains("keeps up", "But the disk of node 1 is at 100", "write buffers of");
        assertThat(result.remedy()).contains("WriteBufferManager's limit", "512");
        assertThat(finding(result, RuleId.D1).status()).isEqualTo(FindingStatus.OK);
    }

    @Test
    @DisplayName("B85 step 4: tasks move to a third node: wait, for how long; then the disk has room")
    void scalesOut() {
        CheckResult moving = verdict("4-scaling-out");
        assertThat(moving.outcome()).isEqualTo(Outcome.HEALTHY);
        assertThat(moving.cause()).isEqualTo(Cause.RESTORING);
        assertThat(moving.sentence()).contains("records behind, for about");

        CheckResult moved = verdict("4-scaled-out");
        assertThat(moved.outcome()).isEqualTo(Outcome.HEALTHY);
        assertThat(moved.cause()).isNull();
        assertThat(finding(moved, RuleId.D2).status()).isEqualTo(FindingStatus.OK);
        assertThat(finding(moved, RuleId.M7).cause()).isEqualTo(Cause.WRITE_MEMORY);
    }

    @Test
    @DisplayName("B85 step 5: with larger write buffers nothing is left to say of the disk")
    void buffers() {
        CheckResult result = verdict("5-buffers");
        assertThat(result.outcome()).isEqualTo(Outcome.HEALTHY);
        assertThat(result.cause()).isNull();
        for (RuleId rule : List.of(RuleId.M7, RuleId.D1, RuleId.D2, RuleId.D3, RuleId.D4)) {
            assertThat(finding(result, rule).status()).as(rule.name()).isEqualTo(FindingStatus.OK);
        }
    }

    @Test
    @DisplayName(
            "B85 step 6: threads are idle for half of their time: two of three nodes would be busy 75 %, one may go")
    void idle() {
        assertThat(finding(verdict("6-idle"), RuleId.W1).observed())
                .contains("with 2 of 3 processes", "75", "one may go");
        CheckResult result = verdict("6-idle", Thresholds.USUAL.with("idle.share", 0.45));
        assertThat(result.outcome()).isEqualTo(Outcome.HEALTHY);
        assertThat(result.cause()).isEqualTo(Cause.OVER_PROVISIONED);
    }

    @Test
    @DisplayName("B85 with one node fewer than the load needs, none may go")
    void notIdle() {
        StoryStep step = step("6-idle");
        StoryStep busier = new StoryStep(
                step.name(),
                step.title(),
                step.right(),
                step.nodes(),
                step.memoryBytes(),
                step.rate(),
                1,
                step.disk(),
                step.writeBuffersBytes(),
                -1,
                0.45,
                0);
        CheckResult result = GroupCheck.judge(new Observations(StorySamples.of(busier)), Thresholds.USUAL);
        assertThat(finding(result, RuleId.W1).observed()).contains("one more is needed");
    }
}
