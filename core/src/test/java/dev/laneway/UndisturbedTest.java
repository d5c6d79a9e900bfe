package dev.laneway;

import static dev.laneway.FlowControlTest.isPaused;
import static dev.laneway.Stage.LIMIT;
import static dev.laneway.Stage.millis;
import static dev.laneway.Stage.work;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
@Isolated // They count the objects of this JVM, or milliseconds.
@DisplayName("Measured on a real broker")
class UndisturbedTest {

    @Test
    @DisplayName("B24 keys come and go: 300,000 different ones leave nothing behind")
    void keysLeaveNothing() {
        Stage stage = Stage.of(2);
        AtomicInteger done = new AtomicInteger();
        try (Laneway laneway = stage.consumer().concurrency(50).process(record -> {
            if (record.offset() % 2_000 == 0) {
                work(millis(2)); // So that records behind it are looked up among busy keys.
            }
            done.incrementAndGet();
        })) {
            LiveObjects[] alive = new LiveObjects[3];
            for (int round = 0; round < alive.length; round++) {
                int target = (round + 1) * 100_000;
                stage.load(round * 100_000, 100_000, i -> "key-" + i);
                await().atMost(LIMIT).until(() -> done.get() >= target);
                await().atMost(LIMIT).until(stage::isCommittedToEnd);
                alive[round] = LiveObjects.now();
            }
            assertThat(laneway.snapshot().partitions()).allMatch(partition -> partition.lanes() == 0);
            assertThat(laneway.snapshot().held()).isZero();
            // Each of 200,000 keys would leave an object, or its place in an array.
            assertThat(alive[2].grownSince(alive[0], 50_000, 800_000)).isEmpty();
        }
    }

    @Test
    @DisplayName("B46 records that fail for ever stop nobody else and leave the heap flat")
    void failingForEver() {
        Stage stage = Stage.of(1);
        stage.load(200, i -> "failing-" + i);
        AtomicInteger done = new AtomicInteger();
        try (Laneway laneway = stage.consumer()
                .onFailure(FailurePolicy.retry(Backoff.fixed(millis(2))))
                .closeLimit(Duration.ZERO)
                .process(record -> {
                    if (record.key().startsWith("failing")) {
                        throw new IllegalStateException("always");
                    }
                    done.incrementAndGet();
                })) {
            // An hour of retries at a usual back-off is some hundred per record.
            await().atMost(LIMIT).until(() -> retries(laneway) > 5_000);
            LiveObjects before = LiveObjects.now();
            stage.load(200, 10_000, i -> "key-" + i % 100);
            await().atMost(LIMIT).until(() -> done.get() == 10_000);
            await().atMost(LIMIT).until(() -> retries(laneway) > 60_000);
            // Each of 55,000 retries, or of 10,000 keys.
            assertThat(LiveObjects.now().grownSince(before, 8_000, 400_000)).isEmpty();
        }
    }

    private static long retries(Laneway laneway) {
        return laneway.snapshot().counters().retries();
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @ValueSource(strings = {"classic", "consumer"})
    @DisplayName("B30 a freed credit is used within 5 ms")
    void resumesAtOnce(String protocol) {
        Stage stage = Stage.of(1);
        stage.load(2_000, i -> "key-" + i);
        Semaphore credits = new Semaphore(0);
        AtomicLong released = new AtomicLong();
        Queue<Long> gaps = new ConcurrentLinkedQueue<>();
        AtomicInteger started = new AtomicInteger();
        try (Laneway laneway = stage.consumer(Map.of("group.protocol", protocol, "max.poll.records", 1))
                .bufferRecords(2) // One at a time: half of it is the high mark.
                .concurrency(2)
                .closeLimit(Duration.ZERO)
                .process(record -> {
                    if (released.get() != 0) {
                        gaps.add(System.nanoTime() - released.get());
                    }
                    started.incrementAndGet();
                    credits.acquire();
                })) {
            for (int round = 1; round <= 60; round++) {
                int target = round;
                await().pollInterval(millis(1)).atMost(LIMIT).until(() -> started.get() == target);
                // Let the owner come to rest: everything is paused and it waits.
                await().pollInterval(millis(2)).atMost(LIMIT).until(() -> isPaused(laneway, 0));
                released.set(System.nanoTime());
                credits.release();
            }
            await().atMost(LIMIT).until(() -> gaps.size() >= 60);
        }
        List<Long> sorted = new ArrayList<>(gaps);
        sorted.sort(null);
        // The least disturbed quarter of the measurements: a wait for a tick or a poll would show in all of them.
        assertThat(Duration.ofNanos(sorted.get(sorted.size() / 4))).isLessThan(millis(5));
    }
}
