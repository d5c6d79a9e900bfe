package dev.laneway.engine.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.laneway.Utilisation;
import dev.laneway.Workers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class UtilisationMeterTest {
    private static final long SECOND = 1_000_000_000;
    private static final int WORKERS = 4;

    @Test
    @DisplayName("B191 while all workers are busy none of their time is idle, and no counter goes down")
    void busy() {
        HandHost host = new HandHost();
        host.mostTickNanos = 100_000;
        UtilisationMeter meter = new UtilisationMeter(host, WORKERS);
        for (int i = 0; i < WORKERS; i++) {
            meter.began();
        }
        Utilisation first = meter.read();
        Utilisation before = first;
        for (int i = 0; i < 1_000; i++) {
            Utilisation now = meter.read();
            grows(before, now);
            before = now;
        }
        assertThat(before.idleNanos()).isEqualTo(first.idleNanos());
        assertThat(before.since(first)).isEqualTo(1);
    }

    @Test
    @DisplayName("B191 of time that is shared out the busy and the idle part add up, and what waits is a part of busy")
    void shares() {
        HandHost host = new HandHost();
        UtilisationMeter meter = new UtilisationMeter(host, WORKERS);
        meter.began();
        host.nowNanos += SECOND;
        meter.sampled(0.5);
        meter.ended();
        host.nowNanos += SECOND;
        assertThat(meter.read()).isEqualTo(new Utilisation(SECOND, SECOND / 2, 7 * SECOND, WORKERS));
    }

    @Test
    @DisplayName("B191 counters go up alone though workers begin and end, and stop in between, while they are read")
    void races() throws Exception {
        long begun = System.nanoTime();
        UtilisationMeter meter = new UtilisationMeter(new JvmHost("test", Workers.virtual()), WORKERS);
        AtomicBoolean isOver = new AtomicBoolean();
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < WORKERS; i++) {
            workers.add(Thread.ofPlatform().start(() -> {
                while (!isOver.get()) {
                    meter.began();
                    meter.ended();
                }
            }));
        }
        Utilisation before = meter.read();
        while (System.nanoTime() - begun < SECOND) {
            Utilisation now = meter.read();
            grows(before, now);
            assertThat(now.busyNanos() + now.idleNanos()).isLessThanOrEqualTo((System.nanoTime() - begun) * WORKERS);
            before = now;
        }
        isOver.set(true);
        for (Thread worker : workers) {
            worker.join();
        }
        long most = (System.nanoTime() - begun) * WORKERS;
        Utilisation last = meter.read();
        assertThat(last.busyNanos() + last.idleNanos()).isCloseTo(most, within(most / 5));
    }

    private static void grows(Utilisation before, Utilisation now) {
        assertThat(now.busyNanos()).isGreaterThanOrEqualTo(before.busyNanos());
        assertThat(now.idleNanos()).isGreaterThanOrEqualTo(before.idleNanos());
        assertThat(now.blockedNanos()).isGreaterThanOrEqualTo(before.blockedNanos());
    }
}
