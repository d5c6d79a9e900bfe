package dev.laneway.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DealingTest {
    @Test
    @DisplayName("One record in a hundred is of key 0, in turn, and no other is")
    void oneInAHundred() {
        Topic topic = Topic.of("t", 1, 1_000, 100, 10);
        int[] drawn = {0};
        IntSupplier keys = Dealing.ONE_IN_A_HUNDRED.keys(topic, () -> drawn[0]++ % topic.keys());
        List<Integer> dealt =
                IntStream.range(0, 1_000).mapToObj(_ -> keys.getAsInt()).toList();
        for (int i = 0; i < dealt.size(); i++) {
            assertThat(dealt.get(i) == 0).as("record " + i).isEqualTo(i % 100 == 0);
        }
        assertThat(dealt).contains(1, 9);
    }
}
