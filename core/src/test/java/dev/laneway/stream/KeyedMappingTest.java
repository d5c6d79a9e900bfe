package dev.laneway.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.laneway.ConfigurationException;
import dev.laneway.stream.runtime.StageRuntime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** mapByKey on real virtual threads. */
@Timeout(60)
class KeyedMappingTest {
    private final CountDownLatch never = new CountDownLatch(1);

    @Test
    @DisplayName("B18 elements of a key go one after the other and in order, and so do their results")
    void order() {
        int elements = 20_000;
        int keys = 37;
        Map<Integer, Integer> running = new ConcurrentHashMap<>();
        Queue<String> violations = new ConcurrentLinkedQueue<>();
        Probe<Integer> probe = Probe.asking(Long.MAX_VALUE);
        Source.from(Numbers.to(elements))
                .mapByKey(16, n -> n % keys, n -> {
                    if (running.putIfAbsent(n % keys, n) != null) {
                        violations.add(n + " beside another of its key");
                    }
                    if (n % 100 == 0) {
                        LockSupport.parkNanos(1_000); // Others overtake.
                    }
                    running.remove(n % keys);
                    return n;
                })
                .subscribe(probe);
        probe.end().join();
        assertThat(violations).isEmpty();
        assertThat(probe.size()).isEqualTo(elements);
        Map<Integer, Integer> last = new HashMap<>();
        for (int n : probe.elements()) {
            Integer before = last.put(n % keys, n);
            assertThat(before == null || before < n).isTrue();
        }
        assertThat(probe.violations()).isEmpty();
    }

    @Test
    @DisplayName("B66 different keys go at the same time, as many as the parallelism says and no more")
    void parallelism() {
        int parallelism = 50;
        CyclicBarrier all = new CyclicBarrier(parallelism);
        AtomicInteger atOnce = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Probe<Integer> probe = Probe.asking(Long.MAX_VALUE);
        Source.from(Numbers.to(4L * parallelism))
                .mapByKey(parallelism, n -> n, n -> {
                    most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
                    all.await();
                    atOnce.decrementAndGet();
                    return n;
                })
                .subscribe(probe);
        probe.end().join();
        assertThat(most).hasValue(parallelism);
    }

    @Test
    @DisplayName("B21 B23 a stuck key and a hot key hold up no other")
    void fairness() {
        HandPublisher<Integer> above = new HandPublisher<>();
        CountDownLatch stuck = new CountDownLatch(1);
        Probe<Integer> probe = Probe.asking(Long.MAX_VALUE);
        Source.from(above)
                .mapByKey(2, 1_000, n -> n < 0 ? "stuck" : n < 500 ? "hot" : n, n -> {
                    if (n < 0) {
                        stuck.await();
                    }
                    return n;
                })
                .subscribe(probe);
        above.send(-1);
        IntStream.range(0, 501).forEach(above::send);
        await().until(() -> probe.size() == 501);
        // It waited for one turn of the hot key, or few, since it came when many had gone.
        assertThat(probe.elements()).contains(500);
        stuck.countDown();
        await().until(() -> probe.size() == 502);
    }

    @Test
    @DisplayName("B23 a key that comes last waits for one element of each busy key, not for all that they have")
    void turns() throws InterruptedException {
        HandPublisher<Integer> above = new HandPublisher<>();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Probe<Integer> probe = Probe.asking(Long.MAX_VALUE);
        Source.from(above)
                .mapByKey(1, 1_000, n -> n < 500 ? "hot" : "other", n -> {
                    begun.countDown();
                    go.await();
                    return n;
                })
                .subscribe(probe);
        above.send(0);
        begun.await();
        IntStream.range(1, 501).forEach(above::send);
        go.countDown();
        await().until(() -> probe.size() == 501);
        assertThat(probe.elements().indexOf(500)).isEqualTo(1);
    }

    @Test
    @DisplayName("B25 no more is asked for than the reserve, results that nobody has taken included")
    void reserve() {
        HandPublisher<Integer> above = new HandPublisher<>();
        Probe<Integer> probe = Probe.asking(0);
        Source.from(above).mapByKey(2, 10, n -> n % 3, n -> n).subscribe(probe);
        assertThat(above.requested()).isEqualTo(10);
        IntStream.range(0, 10).forEach(above::send);
        probe.request(4);
        await().until(() -> probe.size() == 4);
        await().until(() -> above.requested() == 14);
        above.complete();
        probe.request(6);
        probe.end().join();
        assertThat(above.requested()).isEqualTo(14);
    }

    @Test
    @DisplayName("B24 B22 keys that are gone leave nothing behind; null is a key like any other")
    void keysComeAndGo() throws Exception {
        KeyedMapping<Integer, Integer, Integer> stage =
                new KeyedMapping<>(4, 64, n -> n % 5 == 0 ? null : n, n -> n, StageRuntime.virtual("test"));
        Probe<Integer> probe = Probe.asking(Long.MAX_VALUE);
        stage.subscribe(probe);
        Numbers.to(100_000).subscribe(stage);
        probe.end().join();
        var lanes = KeyedMapping.class.getDeclaredField("lanes");
        lanes.setAccessible(true);
        await().until(() -> ((Map<?, ?>) lanes.get(stage)).isEmpty());
        List<Integer> nulls = probe.elements().stream().filter(n -> n % 5 == 0).toList();
        assertThat(nulls).isSorted().hasSize(20_000);
    }

    @Test
    @DisplayName("B47 what the function throws fails the stream at once, and interrupts the other calls")
    void failure() throws InterruptedException {
        for (Throwable thrown : List.of(
                new java.io.IOException("told to"), new StackOverflowError("told to"), new InterruptedException())) {
            CountDownLatch interrupted = new CountDownLatch(1);
            CountDownLatch begun = new CountDownLatch(1);
            HandPublisher<Integer> above = new HandPublisher<>();
            Probe<Integer> probe = Probe.asking(0);
            Source.from(above)
                    .mapByKey(2, n -> n, n -> {
                        if (n == 0) {
                            return waitUntil(interrupted, begun);
                        }
                        begun.await();
                        throw sneaky(thrown);
                    })
                    .subscribe(probe);
            above.send(0);
            above.send(1);
            assertThatThrownBy(() -> probe.end().join()).cause().isSameAs(thrown);
            interrupted.await();
            assertThat(above.isCancelled()).isTrue();
        }
    }

    private Integer waitUntil(CountDownLatch interrupted, CountDownLatch begun) throws InterruptedException {
        begun.countDown();
        try {
            never.await();
            return 0;
        } catch (InterruptedException told) {
            interrupted.countDown();
            throw told;
        }
    }

    @SuppressWarnings("unchecked") // Lets a test throw what no function may declare.
    private static <E extends Throwable> Exception sneaky(Throwable thrown) throws E {
        throw (E) thrown;
    }

    @Test
    @DisplayName("B66 cancelling interrupts the calls under way and begins no other")
    void cancel() throws InterruptedException {
        CountDownLatch interrupted = new CountDownLatch(2);
        CountDownLatch begun = new CountDownLatch(2);
        LongAdder calls = new LongAdder();
        HandPublisher<Integer> above = new HandPublisher<>();
        Probe<Integer> probe = Probe.asking(10);
        Source.from(above)
                .mapByKey(2, n -> n, n -> {
                    calls.increment();
                    return waitUntil(interrupted, begun);
                })
                .subscribe(probe);
        IntStream.range(0, 5).forEach(above::send);
        begun.await();
        probe.cancel();
        interrupted.await();
        above.send(6);
        assertThat(calls.sum()).isEqualTo(2);
        assertThat(above.isCancelled()).isTrue();
        assertThat(probe.end()).isNotDone();
    }

    @Test
    @DisplayName("B47 the interrupt was for the function: what its thread does afterwards is not interrupted")
    void interruptEnds() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Boolean> afterwards = new CompletableFuture<>();
        HandPublisher<Integer> above = new HandPublisher<>();
        Probe<Integer> probe = Probe.asking(1);
        KeyedMapping<Integer, Integer, Integer> stage = new KeyedMapping<>(
                1,
                1,
                n -> n,
                n -> {
                    begun.countDown();
                    while (!Thread.currentThread().isInterrupted()) {
                        LockSupport.park();
                    }
                    return n;
                },
                work -> Thread.ofPlatform().start(() -> {
                    work.run();
                    afterwards.complete(Thread.currentThread().isInterrupted());
                }));
        stage.subscribe(probe);
        above.subscribe(stage);
        above.send(0);
        begun.await();
        probe.cancel();
        assertThat(afterwards.join()).isFalse();
    }

    @Test
    @DisplayName("B47 the function of the key may throw, and so may its hashCode, and the function may return null")
    void badKeys() {
        record Bad() {
            @Override
            public int hashCode() {
                throw new IllegalStateException("told to");
            }
        }
        List<Probe<Integer>> probes = new ArrayList<>();
        for (BlockingFunction<Integer, Object> keys : List.<BlockingFunction<Integer, Object>>of(
                n -> {
                    throw new IllegalStateException("told to");
                },
                n -> new Bad())) {
            Probe<Integer> probe = Probe.asking(1);
            probes.add(probe);
            Source.from(Numbers.to(3))
                    .mapByKey(
                            1,
                            n -> {
                                try {
                                    return keys.apply(n);
                                } catch (Exception e) {
                                    throw new IllegalStateException(e.getMessage(), e);
                                }
                            },
                            n -> n)
                    .subscribe(probe);
        }
        Probe<Integer> none = Probe.asking(1);
        probes.add(none);
        Source.from(Numbers.to(3))
                .<Integer, Integer>mapByKey(1, n -> n, n -> null)
                .subscribe(none);
        assertThat(probes)
                .allSatisfy(probe -> assertThatThrownBy(() -> probe.end().join())
                        .cause()
                        .isInstanceOfAny(IllegalStateException.class, NullPointerException.class));
    }

    @Test
    @DisplayName("B52 a parallelism below 1 and a reserve below it are refused with their remedy")
    void wrongOptions() {
        Source<Integer> source = Source.from(Numbers.to(1));
        assertThatThrownBy(() -> source.mapByKey(0, n -> n, n -> n)).isInstanceOf(ConfigurationException.class);
        assertThatThrownBy(() -> source.mapByKey(4, 3, n -> n, n -> n))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("reserve is 3 but must be at least parallelism, 4");
    }
}
