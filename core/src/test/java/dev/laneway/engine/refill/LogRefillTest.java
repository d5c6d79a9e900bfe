package dev.laneway.engine.refill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Health;
import dev.laneway.Options;
import dev.laneway.engine.Records;
import dev.laneway.engine.runtime.EventCounts;
import dev.laneway.engine.runtime.HandHost;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.runtime.WakeSignal;
import dev.laneway.engine.track.RefillTarget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.internals.AutoOffsetResetStrategy;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The task that reads spilled records again, run by the test. */
class LogRefillTest {
    private static final int MOST_WAITS = 10_000;

    private final HandHost host = new HandHost();
    private final HealthConditions conditions = new HealthConditions(host);

    /** Lanes of a partition that want what begins at an offset. */
    private static class Wanting implements RefillTarget {
        long from;
        long records;
        long taken;

        @Override
        public TopicPartition partition() {
            return Records.ORDERS_0;
        }

        @Override
        public long from() {
            return from;
        }

        @Override
        public Reading refill(long from, List<ConsumerRecord<byte[], byte[]>> records, long to) {
            if (this.records > 0) {
                this.records--;
                taken++;
                return Reading.IS_FULL;
            }
            this.from = -1;
            return Reading.IS_OVER;
        }

        @Override
        public void leaveFull() {}

        @Override
        public boolean comeBack() {
            return false;
        }

        @Override
        public long taken() {
            return taken;
        }

        @Override
        public long records() {
            return records;
        }

        @Override
        public long takeLost() {
            return 0;
        }
    }

    /** Lanes that are full one after the other, and do not go on. */
    private static final class Crowded extends Wanting {
        int lanes = 16;

        @Override
        public Reading refill(long from, List<ConsumerRecord<byte[], byte[]>> records, long to) {
            return lanes > 0 ? Reading.SOME_ARE_FULL : super.refill(from, records, to);
        }

        @Override
        public void leaveFull() {
            lanes--;
        }
    }

    private LogRefill refill(Supplier<Consumer<byte[], byte[]>> clients) {
        return new LogRefill(
                host, new WakeSignal(host, () -> {}), clients, conditions, new EventCounts(), Options.DEFAULTS);
    }

    @Test
    @DisplayName("B94 while a refill takes long, health tells what is left, its pace and how long that takes")
    void progress() {
        MockConsumer<byte[], byte[]> client = new MockConsumer<>(AutoOffsetResetStrategy.NONE.name());
        client.schedulePollTask(() -> {
            client.updateBeginningOffsets(Map.of(Records.ORDERS_0, 0L));
            client.addRecord(Records.record(0, "a"));
        });
        Wanting target = new Wanting();
        target.records = 38_000; // Each takes a millisecond.
        Set<String> told = new LinkedHashSet<>();
        host.onSleep = () -> conditions.reasons(Health.Status.UP).stream()
                .map(reason -> reason.replaceFirst(" \\(for .*", ""))
                .forEach(told::add);
        refill(() -> client).wanted(target);
        host.runWorkers();
        assertThat(told)
                .hasSize(3)
                .allSatisfy(reason ->
                        assertThat(reason).contains("records of orders-0 that waited in the log are read again: "));
        assertThat(told.iterator().next())
                .matches(".*: (27999|28000) or more are left; 1000[01] were read in 10 s \\(1000/s\\), so the others"
                        + " take about (27|28) s");
        assertThat(conditions.reasons(Health.Status.UP)).isEmpty();
    }

    @Test
    @DisplayName(
            "B93 a partition whose lanes are full keeps others from being read for 20 ms, however many lanes it has")
    void othersWaitShortly() {
        MockConsumer<byte[], byte[]> client = new MockConsumer<>(AutoOffsetResetStrategy.NONE.name());
        client.schedulePollTask(() -> {
            client.updateBeginningOffsets(Map.of(Records.ORDERS_0, 0L));
            client.addRecord(Records.record(0, "a"));
        });
        client.schedulePollTask(() -> client.addRecord(Records.record(0, "a")));
        Crowded crowded = new Crowded();
        long[] readNanos = {0};
        Wanting other = new Wanting() {
            @Override
            public Reading refill(long from, List<ConsumerRecord<byte[], byte[]>> records, long to) {
                readNanos[0] = host.nanoTime();
                return super.refill(from, records, to);
            }
        };
        LogRefill refill = refill(() -> client);
        long begin = host.nanoTime();
        refill.wanted(crowded);
        refill.wanted(other);
        host.runWorkers();
        assertThat(crowded.lanes).isZero();
        assertThat(Duration.ofNanos(readNanos[0] - begin)).isBetween(Duration.ofMillis(1), Duration.ofMillis(25));
    }

    @Test
    @DisplayName("B94 health tells of a refill that fails no longer than its partition is assigned")
    void failureOfARevokedPartition() {
        LogRefill refill = refill(() -> {
            throw new IllegalStateException("no second client");
        });
        Wanting target = new Wanting();
        List<String> told = new ArrayList<>();
        int[] waits = {0};
        host.onSleep = () -> {
            told.addAll(conditions.reasons(Health.Status.DEGRADED));
            if (!told.isEmpty()) {
                target.from = -1; // The partition is revoked.
            }
            if (++waits[0] > MOST_WAITS) {
                throw new AssertionError("the refill does not end");
            }
        };
        refill.wanted(target);
        host.runWorkers();
        assertThat(told).singleElement().asString().contains("cannot be read again", "no second client");
        assertThat(conditions.reasons(Health.Status.DEGRADED)).isEmpty();
    }
}
