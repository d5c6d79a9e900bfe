package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
@DisplayName("A key that is stuck, on a real broker")
class StuckKeyTest {
    private static final int PARTITIONS = 6;
    private static final int RECORDS = 25_000;
    private static final int BUFFER_RECORDS = 2_000;
    /** One record in so many of the first partition is of the stuck key: one per cent of all. */
    private static final int STUCK_ONE_IN = 18;
    /** How far the partition got when it could hold its share of the records and no more. */
    private static final int FAR_BY_SHARE = BUFFER_RECORDS / PARTITIONS * STUCK_ONE_IN;

    @Test
    @DisplayName("B134 G5 its partition borrows idle shares: it gets twice as far, all others to their ends")
    void borrowsIdleShares() {
        Stage stage = Stage.of(PARTITIONS);
        for (int partition = 0; partition < PARTITIONS; partition++) {
            boolean first = partition == 0;
            stage.loadInto(partition, RECORDS, i -> first && i % STUCK_ONE_IN == 0 ? "stuck" : "key-" + i % 3_333);
        }
        CountDownLatch mended = new CountDownLatch(1);
        AtomicLong mostHeld = new AtomicLong();
        AtomicIntegerArray done = new AtomicIntegerArray(PARTITIONS);
        try (Laneway laneway = stage.consumer(Map.of("max.poll.records", BUFFER_RECORDS / 40))
                .bufferRecords(BUFFER_RECORDS)
                .concurrency(1_000)
                .closeLimit(Duration.ZERO)
                .process(record -> {
                    if (record.key().equals("stuck")) {
                        mended.await();
                    }
                    done.incrementAndGet(record.partition());
                })) {
            await().atMost(LIMIT).untilAsserted(() -> {
                Snapshot now = laneway.snapshot();
                mostHeld.accumulateAndGet(now.held(), Math::max);
                assertThat(done.get(0)).as("%s", now).isGreaterThanOrEqualTo(2 * FAR_BY_SHARE);
                assertThat(IntStream.range(1, PARTITIONS).map(done::get))
                        .as("%s", now)
                        .allMatch(ended -> ended == RECORDS);
            });
            assertThat(mostHeld.get()).isLessThanOrEqualTo(BUFFER_RECORDS);
            mended.countDown();
            await().atMost(LIMIT).until(() -> done.get(0) == RECORDS);
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
    }
}
