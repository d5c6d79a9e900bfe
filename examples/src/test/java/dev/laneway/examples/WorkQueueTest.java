package dev.laneway.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.examples.WorkQueue.SmallStudio;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WorkQueueTest {
    @Test
    @DisplayName("B91 a share group as a queue of work: all is done once, and what cannot be done is rejected")
    void shrinksAll() throws Exception {
        SmallStudio studio = new SmallStudio();
        try (Cluster cluster = Shared.cluster()) {
            WorkQueue.run(cluster, studio);
        }

        assertThat(studio.shrunk()).hasSize(59).doesNotContain("picture 13");
        assertThat(studio.calls("picture 13")).isEqualTo(3);
        assertThat(studio.calls("picture 14")).isEqualTo(1);
    }
}
