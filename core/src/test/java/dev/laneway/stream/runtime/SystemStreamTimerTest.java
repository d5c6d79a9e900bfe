package dev.laneway.stream.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.engine.runtime.DurationNanos;
import dev.laneway.stream.Control;
import dev.laneway.stream.HandPublisher;
import dev.laneway.stream.Source;
import dev.laneway.stream.SourceStage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Real time: user code does not delay it, and it leaves nothing behind. */
@Isolated // One test keeps the carriers of virtual threads busy.
@Timeout(120)
class SystemStreamTimerTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final String name = "alarm-clock-test-" + NUMBER.incrementAndGet();
    private final SystemStreamTimer clock = new SystemStreamTimer(name);
    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicBoolean over = new AtomicBoolean();

    @AfterEach
    void letGo() {
        end.countDown();
        over.set(true);
    }

    private List<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(name))
                .toList();
    }

    private void waitForTheEnd() {
        try {
            end.await();
        } catch (InterruptedException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Test
    @DisplayName("B120 calls that wait keep none waiting that comes later, however many there are")
    void callsThatWait() {
        int many = 100;
        AtomicInteger waiting = new AtomicInteger();
        for (int i = 0; i < many; i++) {
            var _ = clock.in(0, () -> {
                waiting.incrementAndGet();
                waitForTheEnd();
            });
        }
        await().atMost(LIMIT).until(() -> waiting.get() == many);
        assertThat(threads()).as("few of them have a thread of the system").hasSizeLessThan(many / 2);
        CompletableFuture<Void> called = new CompletableFuture<>();
        var _ = clock.in(1, () -> called.complete(null));
        await().atMost(LIMIT).until(called::isDone);
    }

    @Test
    @DisplayName("B120 a call comes while all carriers of virtual threads are busy")
    void busyCarriers() {
        int carriers = 2 * Runtime.getRuntime().availableProcessors();
        AtomicInteger spinning = new AtomicInteger();
        for (int i = 0; i < carriers; i++) {
            Thread.ofVirtual().start(() -> {
                spinning.incrementAndGet();
                while (!over.get()) {
                    Thread.onSpinWait();
                }
            });
        }
        await().atMost(LIMIT).until(() -> spinning.get() >= carriers / 2);
        CompletableFuture<Boolean> virtual = new CompletableFuture<>();
        var _ = clock.in(
                1_000_000, () -> virtual.complete(Thread.currentThread().isVirtual()));
        await().atMost(LIMIT).until(virtual::isDone);
        assertThat(virtual).isCompletedWithValue(false);
    }

    @Test
    @DisplayName("B58 B120 a call that is forgotten leaves nothing, and when nothing is due no thread is left")
    void nothingIsLeft() {
        CompletableFuture<Void> stage = new CompletableFuture<>();
        clock.limit(stage, Duration.ofDays(1), () -> new IllegalStateException("told to"));
        assertThat(clock.pending()).isEqualTo(1);
        assertThat(threads()).hasSize(1).allMatch(Thread::isDaemon);
        assertThat(threads().getFirst().getContextClassLoader()).isEqualTo(ClassLoader.getSystemClassLoader());
        stage.complete(null);
        assertThat(clock.pending()).isZero();
        await().atMost(LIMIT).until(() -> threads().isEmpty());

        CompletableFuture<Void> second = new CompletableFuture<>();
        clock.limit(second, Duration.ofMillis(1), () -> new IllegalStateException("told to"));
        await().atMost(LIMIT).until(second::isCompletedExceptionally);
        await().atMost(LIMIT).until(() -> threads().isEmpty());
    }

    @Test
    @DisplayName("B128 a limit of any length is one: none overflows, and none that has passed is waited for")
    void extremes() {
        CompletableFuture<Void> stage = new CompletableFuture<>();
        clock.limit(stage, Duration.ofSeconds(Long.MAX_VALUE, 999_999_999), () -> new IllegalStateException("told to"));
        assertThat(clock.pending()).isEqualTo(1);
        stage.complete(null);
        CompletableFuture<Void> past = new CompletableFuture<>();
        clock.limit(past, Duration.ofSeconds(Long.MIN_VALUE), () -> new IllegalStateException("told to"));
        await().atMost(LIMIT).until(past::isCompletedExceptionally);

        long most = DurationNanos.of(Duration.ofSeconds(Long.MAX_VALUE));
        assertThat(most).isEqualTo(Long.MAX_VALUE / 4);
        assertThat(DurationNanos.of(Duration.ofSeconds(Long.MIN_VALUE))).isEqualTo(-most);
        assertThat(DurationNanos.of(Duration.ofNanos(most - 1))).isEqualTo(most - 1);
        assertThat(DurationNanos.of(Duration.ofSeconds(-3))).isEqualTo(-3_000_000_000L);
    }

    @Test
    @DisplayName("B127 a drain that ends in time leaves no timer")
    void drains() throws Exception {
        SystemStreamTimer process = (SystemStreamTimer) SystemStreamTimer.REAL;
        await().atMost(LIMIT).until(() -> process.pending() == 0);
        for (int i = 0; i < 10; i++) {
            HandPublisher<Integer> above = new HandPublisher<>();
            CompletableFuture<Integer> answer = new CompletableFuture<>();
            Control control = Source.from(above).mapAsync(1, element -> answer).run();
            above.send(1);
            CompletionStage<?> drained = control.drainAndShutdown(Duration.ofDays(1));
            assertThat(process.pending()).isPositive();
            answer.complete(1);
            SourceStage.join(drained);
        }
        assertThat(process.pending()).isZero();
    }
}
