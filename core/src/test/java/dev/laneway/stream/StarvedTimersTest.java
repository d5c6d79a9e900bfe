package dev.laneway.stream;

import static dev.laneway.stream.SourceStage.LIMIT;
import static dev.laneway.stream.SourceStage.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.laneway.StreamException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Timers while user code blocks the threads of the common pool. */
@Isolated // It blocks a pool that all tests share.
@Timeout(180)
@DisplayName("Timers of streams while the common pool is blocked")
class StarvedTimersTest {
    private static final int FAST = 20;

    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicInteger blocked = new AtomicInteger();

    @AfterEach
    void letGo() {
        end.countDown();
        assertThat(ForkJoinPool.commonPool().awaitQuiescence(60, TimeUnit.SECONDS))
                .isTrue();
    }

    /**
     * What a user's call that waits for a server does, on the pool that {@code supplyAsync} takes when none is given.
     */
    private CompletableFuture<Integer> blocking(int number) {
        return CompletableFuture.supplyAsync(() -> {
            blocked.incrementAndGet();
            try {
                end.await();
            } catch (InterruptedException cancelled) {
                Thread.currentThread().interrupt();
            }
            return number;
        });
    }

    /** Every thread of the common pool waits, and more tasks wait for a thread. */
    private void blockThePool() {
        int threads = ForkJoinPool.getCommonPoolParallelism();
        for (int i = 0; i < 4 * threads; i++) {
            var _ = blocking(i);
        }
        await().atMost(LIMIT).until(() -> blocked.get() >= threads);
    }

    @Test
    @DisplayName("B120 a group goes down when its time is up")
    void grouped() {
        HandPublisher<Integer> above = new HandPublisher<>();
        Probe<List<Integer>> probe = Probe.asking(10);
        Control control =
                Source.from(above).groupedWithin(100, Duration.ofMillis(50)).to(probe);
        blockThePool();
        above.send(1);
        await().atMost(LIMIT).until(() -> probe.size() == 1);
        control.stop();
        assertThat(control.isShutdown()).isTrue();
    }

    @Test
    @DisplayName("B120 a drain limit ends the wait")
    void drainLimit() {
        HandPublisher<Integer> above = new HandPublisher<>();
        Probe<Integer> probe = Probe.asking(10);
        Control control = Source.from(above).mapAsync(4, this::blocking).to(probe);
        blockThePool();
        above.send(1);
        assertThatThrownBy(() -> join(control.drainAndShutdown(Duration.ofMillis(100))))
                .hasCauseInstanceOf(StreamException.class)
                .hasStackTraceContaining("PT0.1S");
    }

    @Test
    @DisplayName("B120 what is acknowledged is committed by the interval, on a real broker")
    void interval() throws Exception {
        SourceStage stage = new SourceStage(1);
        stage.load(0, 0, 100);
        Control control = KafkaSource.committable(stage.settings(), stage.all())
                .mapAsync(
                        64,
                        record -> Integer.parseInt(record.value()) < FAST
                                ? CompletableFuture.completedFuture(record)
                                : blocking(0).thenApply(done -> record))
                .to(Committer.sink(CommitterSettings.DEFAULTS.withMaxInterval(Duration.ofMillis(200))));
        await().atMost(LIMIT).until(() -> blocked.get() >= ForkJoinPool.getCommonPoolParallelism());
        await().atMost(LIMIT).until(() -> stage.committed(0) == FAST);
        end.countDown();
        await().atMost(LIMIT).until(() -> stage.committed(0) == 100);
        join(control.drainAndShutdown(Duration.ofSeconds(20)));
    }
}
