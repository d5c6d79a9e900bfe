package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A share group over many partitions: what a poll returns is a few records of each. */
@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(240)
class ShareManyPartitionsTest {
    private static final int RECORDS = 2_000;

    private final ShareStage share = new ShareStage(100);

    @Test
    @DisplayName("B100 batches over 100 partitions, paused for longer than locks last, come once")
    void batches() {
        share.group("share.record.lock.duration.ms", "3000");
        share.stage.load(RECORDS, i -> "k" + i);
        Queue<Integer> deliveries = new ConcurrentLinkedQueue<>();
        CountDownLatch go = new CountDownLatch(1);
        try (Laneway member = share.member().concurrency(8).processBatch(10, Duration.ZERO, records -> {
            go.await();
            records.forEach(record -> {
                deliveries.add((int) record.deliveryCount().orElseThrow());
                share.note(record);
            });
            return BatchOutcome.done();
        })) {
            await().atMost(LIMIT).until(() -> member.snapshot().held() > 8);
            member.pause();
            await().atMost(LIMIT)
                    .until(() ->
                            member.health().reasons().stream().anyMatch(one -> one.startsWith("paused by the user")));
            long held = member.snapshot().held();
            assertThat(held).isLessThanOrEqualTo(80);
            go.countDown();
            await().atMost(LIMIT).until(() -> member.snapshot().held() < held);
            long left = member.snapshot().held();
            long confirmed = member.snapshot().counters().commits();
            if (left > 0) {
                await().atMost(LIMIT)
                        .until(() -> member.snapshot().counters().commits()
                                >= confirmed + 7L * member.assignment().size());
            }
            member.resume();
            await().atMost(LIMIT).until(() -> share.handled.size() > RECORDS / 2);
            assertThat(deliveries).containsOnly(1);
        }
        try (Laneway next = share.member().processBatch(10, Duration.ZERO, records -> {
            records.forEach(record -> {
                deliveries.add((int) record.deliveryCount().orElseThrow());
                share.note(record);
            });
            return BatchOutcome.done();
        })) {
            await().atMost(LIMIT).until(() -> share.handled.size() == RECORDS && share.isAllAcknowledged());
            assertThat(next.snapshot().counters().failedCommits()).isZero();
        }
        // What a fetch has brought that was on its way when the first member closed is delivered twice.
        assertThat(deliveries).hasSize(RECORDS).containsAnyOf(1).doesNotContain(3, 4, 5);
    }
}
