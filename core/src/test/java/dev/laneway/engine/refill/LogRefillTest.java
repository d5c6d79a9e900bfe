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
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The task that reads spilled records again, run by the test. */
class LogRefillTest {
    private static final int MOST_WAITS = 10_000;

    private final HandHost host = new HandHost();
    private final HealthConditions conditions = new HealthConditions(host);

    /** Lanes of a partition that want what begins at an offset. */
    private static final class Wanting implements RefillTarget {
        long from;

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
            return 0;
        }

        @Override
        public long takeLost() {
            return 0;
        }
    }

    @Test
    @DisplayName("B94 health tells of a refill that fails no longer than its partition is assigned")
    void failureOfARevokedPartition() {
        LogRefill refill = new LogRefill(
                host,
                new WakeSignal(host, () -> {}),
                () -> {
                    throw new IllegalStateException("no second client");
                },
                conditions,
                new EventCounts(),
                Options.DEFAULTS);
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
