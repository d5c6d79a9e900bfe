package dev.laneway.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.DraftOptions;
import dev.laneway.Ordering;
import dev.laneway.Outcome;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which work a worker takes first. */
class SchedulerTest {
    @Test
    @DisplayName("B23 completed stages and new records take turns, however short workers live")
    void resultsAndRecordsTakeTurns() {
        Deque<CompletableFuture<Outcome>> stages = new ArrayDeque<>();
        // One permit, which each pending stage keeps: every worker finds work once, and leaves.
        Shop shop =
                Shop.async(DraftOptions.defaults().ordering(Ordering.UNORDERED).concurrency(1), (record, context) -> {
                    stages.add(new CompletableFuture<>());
                    return stages.getLast();
                });
        shop.poll("abcdefghij");
        for (int completed = 1; completed <= 6; completed++) {
            stages.remove().complete(Outcome.done());
            shop.turn();
            assertThat(shop.machine.counts.processed.sum()).isGreaterThanOrEqualTo((completed - 1) / 2);
        }
    }
}
