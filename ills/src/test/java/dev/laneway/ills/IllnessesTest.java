package dev.laneway.ills;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.ops.check.Cause;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class IllnessesTest {
    @Test
    @DisplayName("All illnesses that were asked for can be staged, each under a name of its own")
    void names() {
        List<String> names = Illnesses.all().stream().map(Illness::name).toList();
        assertThat(names)
                .doesNotHaveDuplicates()
                .containsExactlyInAnyOrder(
                        ("stuck-member stuck-key poison-record hot-key skewed-partitions too-few-partitions"
                                        + " too-few-threads slow-external-service throttled-client slow-acks long-gc"
                                        + " small-heap small-block-cache small-write-buffer state-in-tmp"
                                        + " poll-interval-exceeded session-timeout rebalance-storm static-member-gone"
                                        + " standby-restoring retention-overtakes sticky-one over-provisioned"
                                        + " broker-away")
                                .split(" "));
        assertThat(names).allSatisfy(name -> {
            assertThat(name).matches("[a-z]+(-[a-z]+)*");
            assertThat(Illnesses.named(name).orElseThrow().group()).isEqualTo(name);
        });
        assertThat(Illnesses.named("flu")).isEmpty();
    }

    @Test
    @DisplayName("No two illnesses have the same right verdict, and each says in one sentence what is staged")
    void causes() {
        Set<Cause> causes = Illnesses.all().stream()
                .map(Illness::cause)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Cause.class)));
        assertThat(causes).hasSameSizeAs(Illnesses.all());
        assertThat(Illnesses.all())
                .allSatisfy(illness -> assertThat(illness.sentence())
                        .matches("[A-Z].+[a-z]\\.")
                        .doesNotContain(". "));
    }
}
