package dev.laneway.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("SimScheduler")
class SimSchedulerTest {

    @Test
    @DisplayName("a task sleeps for virtual time and counts as waiting meanwhile")
    void sleeping() {
        Simulation.run(1, sim -> {
            List<String> log = new ArrayList<>();
            AtomicReference<Thread> thread = new AtomicReference<>();
            sim.scheduler().execute(() -> {
                thread.set(Thread.currentThread());
                sleep(sim, Duration.ofSeconds(3));
                log.add("woke at " + sim.clock().nanoTime());
            });
            sim.scheduler().runUntilIdle();
            assertThat(sim.scheduler().isWaiting(thread.get())).isTrue();
            sim.pass(Duration.ofSeconds(2));
            assertThat(log).isEmpty();
            sim.pass(Duration.ofSeconds(2));
            assertThat(log).containsExactly("woke at 3000000000");
            assertThat(sim.scheduler().isWaiting(thread.get())).isFalse();
            assertThat(sim.clock().nanoTime()).isEqualTo(4_000_000_000L);
            assertThat(sim.scheduler().liveTasks()).isZero();
        });
    }

    @Test
    @DisplayName("an interrupt ends a sleep with InterruptedException, at the driver's next step and not before")
    void interrupting() {
        Simulation.run(1, sim -> {
            List<String> log = new ArrayList<>();
            AtomicReference<Thread> thread = new AtomicReference<>();
            sim.scheduler().execute(() -> {
                thread.set(Thread.currentThread());
                try {
                    sim.sleep(Duration.ofDays(1));
                } catch (InterruptedException e) {
                    log.add(e.getMessage() + " " + Thread.currentThread().isInterrupted());
                }
            });
            sim.scheduler().runUntilIdle();
            thread.get().interrupt();
            assertThat(log).isEmpty();
            sim.scheduler().runUntilIdle();
            assertThat(log).containsExactly("sleep interrupted false");
        });
    }

    @Test
    @DisplayName("the seed decides the interleaving: the same one repeats it, another one changes it")
    void interleaving() {
        List<String> once = interleave(7);
        assertThat(interleave(7)).isEqualTo(once);
        assertThat(interleave(8)).isNotEqualTo(once);
    }

    private static List<String> interleave(long seed) {
        List<String> order = new ArrayList<>();
        Simulation.run(seed, sim -> {
            for (int task = 0; task < 5; task++) {
                int id = task;
                sim.scheduler().execute(() -> {
                    for (int step = 0; step < 4; step++) {
                        order.add(id + "." + step);
                        sim.yieldNow();
                    }
                });
            }
            sim.scheduler().runUntilIdle();
        });
        assertThat(order).hasSize(20);
        return order;
    }

    @Test
    @DisplayName("await in a task ends when the condition holds or the limit has passed")
    void awaiting() {
        Simulation.run(1, sim -> {
            List<Object> log = new ArrayList<>();
            boolean[] open = {false};
            sim.scheduler().execute(() -> log.add(sim.await(() -> open[0], Duration.ofSeconds(5))));
            sim.scheduler().execute(() -> log.add(sim.await(() -> false, Duration.ofSeconds(1))));
            sim.pass(Duration.ofSeconds(2));
            assertThat(log).containsExactly(false);
            open[0] = true;
            sim.scheduler().runUntilIdle();
            assertThat(log).containsExactly(false, true);
        });
    }

    @Test
    @DisplayName("tasks that never end are released at close, with their finally blocks run")
    void abandoning() {
        List<String> log = new ArrayList<>();
        Thread[] thread = new Thread[1];
        Simulation sim = Simulation.seeded(1);
        sim.scheduler().execute(() -> {
            thread[0] = Thread.currentThread();
            try {
                sleep(sim, Duration.ofDays(1_000));
            } finally {
                log.add("released");
            }
        });
        sim.scheduler().runUntilIdle();
        assertThat(sim.scheduler().liveTasks()).isEqualTo(1);
        sim.close();
        assertThat(log).containsExactly("released");
        assertThat(sim.scheduler().liveTasks()).isZero();
        assertThat(sim.scheduler().isWaiting(thread[0])).isFalse();
    }

    @Test
    @DisplayName("a task that loops fails the simulation, though loops leave the driver no processor")
    void loops() {
        AtomicBoolean isOver = new AtomicBoolean();
        Runnable loop = () -> {
            while (!isOver.get()) {
                Thread.onSpinWait();
            }
        };
        try {
            assertThatThrownBy(() -> Simulation.run(7, Duration.ofMillis(100), sim -> {
                        sim.scheduler().execute(loop);
                        for (int i = 1; i < Runtime.getRuntime().availableProcessors(); i++) {
                            Thread.ofVirtual().start(loop);
                        }
                        sim.pass(Duration.ofSeconds(1));
                    }))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("seed 7: task 1 has kept the token")
                    .cause()
                    .satisfies(stuck -> assertThat(stuck.getStackTrace())
                            .anyMatch(frame ->
                                    frame.getClassName().equals(getClass().getName())));
        } finally {
            isOver.set(true);
        }
    }

    @Test
    @DisplayName("what a task throws surfaces at the driver")
    void failing() {
        assertThatThrownBy(() -> Simulation.run(99, sim -> {
                    sim.scheduler().execute(() -> {
                        throw new IllegalArgumentException("boom");
                    });
                    sim.scheduler().runUntilIdle();
                }))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("seed 99")
                .hasMessageContaining("boom")
                .hasRootCauseInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("the driver cannot sleep as a task, and a task cannot drive")
    void roles() {
        Simulation.run(1, sim -> {
            assertThatThrownBy(() -> sim.scheduler().sleep(Duration.ZERO))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("for tasks");
            List<Throwable> thrown = new ArrayList<>();
            sim.scheduler().execute(() -> {
                try {
                    sim.scheduler().step();
                } catch (IllegalStateException e) {
                    thrown.add(e);
                }
            });
            sim.scheduler().runUntilIdle();
            assertThat(thrown).hasSize(1);
        });
    }

    private static void sleep(Simulation sim, Duration duration) {
        try {
            sim.sleep(duration);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
