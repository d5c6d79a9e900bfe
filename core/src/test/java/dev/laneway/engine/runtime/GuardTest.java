package dev.laneway.engine.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** The lock in which nobody queues. */
@Isolated // They keep the carriers of virtual threads busy.
@Timeout(60)
class GuardTest {
    private static final int THREADS = 64;
    private static final int ROUNDS = 2_000;
    private static final long SPIN_LIMIT_NANOS = Duration.ofSeconds(5).toNanos();

    private final Guard guard = new Guard();
    private long guarded;

    @Test
    @DisplayName("One thread at a time has it, virtual or not")
    void excludes() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Thread.Builder kind = i % 2 == 0 ? Thread.ofVirtual() : Thread.ofPlatform();
            threads.add(kind.start(() -> {
                for (int round = 0; round < ROUNDS; round++) {
                    try (var _ = guard.enter()) {
                        guarded++;
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(guarded).isEqualTo((long) THREADS * ROUNDS);
    }

    @Test
    @DisplayName("Its holder may take it again, and has it until it has given it back as often")
    void reentrant() throws InterruptedException {
        CountDownLatch taken = new CountDownLatch(1);
        try (var _ = guard.enter()) {
            try (var _ = guard.enter()) {
                guarded++;
            }
            Thread.ofVirtual().start(() -> {
                try (var _ = guard.enter()) {
                    taken.countDown();
                }
            });
            assertThat(taken.await(20, TimeUnit.MILLISECONDS)).isFalse();
        }
        assertThat(taken.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    @DisplayName("An interrupt is kept, and no reason to go on without it")
    void interrupted() throws InterruptedException {
        CountDownLatch taken = new CountDownLatch(1);
        boolean[] stillInterrupted = new boolean[1];
        Thread waits;
        try (var _ = guard.enter()) {
            waits = Thread.ofVirtual().start(() -> {
                Thread.currentThread().interrupt();
                try (var _ = guard.enter()) {
                    stillInterrupted[0] = Thread.currentThread().isInterrupted();
                    taken.countDown();
                }
            });
            assertThat(taken.await(20, TimeUnit.MILLISECONDS)).isFalse();
        }
        waits.join();
        assertThat(stillInterrupted).containsExactly(true);
    }

    @Test
    @DisplayName("A try fails while another thread has it, and only then")
    void tries() throws InterruptedException {
        boolean[] got = new boolean[2];
        try (var _ = guard.enter()) {
            Thread.ofVirtual().start(() -> got[0] = guard.tryEnter()).join();
            assertThat(guard.tryEnter()).isTrue();
            guard.close();
            Thread.ofVirtual().start(() -> got[1] = guard.tryEnter()).join();
        }
        assertThat(got).containsExactly(false, false);
        assertThat(guard.tryEnter()).isTrue();
        guard.close();
    }

    @Test
    @DisplayName("Whoever does not hold it cannot give it back")
    void foreign() throws InterruptedException {
        assertThatThrownBy(guard::close).isInstanceOf(IllegalMonitorStateException.class);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        try (var _ = guard.enter()) {
            Thread.ofVirtual()
                    .start(() -> thrown.set(catchThrowable(guard::close)))
                    .join();
        }
        assertThat(thrown.get()).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    @DisplayName("Those who wait let the holder run, interrupted or not")
    void letsTheHolderRun() throws InterruptedException {
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        threads.add(Thread.ofVirtual().start(() -> {
            try (var _ = guard.enter()) {
                held.countDown();
                over.await();
            } catch (InterruptedException unexpected) {
                throw new IllegalStateException(unexpected);
            }
        }));
        held.await();
        // Several in the own queue of each carrier: as long as one of them can run, a carrier looks at no other queue,
        // and the holder is in the one for those whom other threads wake.
        int carriers = Runtime.getRuntime().availableProcessors();
        CountDownLatch mounted = new CountDownLatch(carriers);
        List<Thread> waiters = Collections.synchronizedList(new ArrayList<>());
        for (int i = carriers; i > 0; i--) {
            threads.add(Thread.ofVirtual().start(() -> {
                mounted.countDown();
                long since = System.nanoTime();
                while (mounted.getCount() > 0 && System.nanoTime() - since < SPIN_LIMIT_NANOS) {
                    Thread.onSpinWait();
                }
                for (int each = 4; each > 0; each--) {
                    waiters.add(Thread.ofVirtual().start(() -> {
                        Thread.currentThread().interrupt();
                        try (var _ = guard.enter()) {
                            guarded++;
                        }
                    }));
                }
            }));
        }
        await().until(() -> waiters.size() == 4 * carriers);
        threads.addAll(waiters);
        assertThat(threads.getLast().join(Duration.ofMillis(200))).isFalse();
        over.countDown();
        for (Thread thread : threads) {
            assertThat(thread.join(Duration.ofSeconds(20))).isTrue();
        }
    }
}
