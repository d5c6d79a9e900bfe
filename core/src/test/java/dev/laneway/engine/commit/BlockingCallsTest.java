package dev.laneway.engine.commit;

import static dev.laneway.engine.Records.ORDERS_0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.BrokerException;
import dev.laneway.engine.runtime.HandHost;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Calls that wait for a broker")
class BlockingCallsTest {
    private static final TopicPartition ORDERS_1 = new TopicPartition("orders", 1);

    private final HandHost host = new HandHost();
    /** When a close is due; negative: none was asked for. */
    private long closed = -1;

    private final BlockingCalls calls = new BlockingCalls(
            host, Duration.ofMillis(100), Duration.ZERO, until -> closed < 0 ? until : Math.min(until, closed));
    private final List<Duration> limits = new ArrayList<>();

    @Test
    @DisplayName("B105 no call is made with less time than Kafka can count: the limit ends it before")
    void noCallWithoutTime() {
        assertThatThrownBy(() -> calls.within("the question", left -> {
                    limits.add(left);
                    host.nowNanos += Math.max(0, left.toNanos() - 600_000); // Nearly all of it.
                    throw new TimeoutException("simulated");
                }))
                .isInstanceOf(BrokerException.class)
                .hasMessageContaining("the question had no answer within brokerLimit 100 ms (1 attempts)")
                .hasCauseInstanceOf(TimeoutException.class);
        assertThat(limits).containsExactly(Duration.ofMillis(100));
    }

    @Test
    @DisplayName("B105 a wake-up in the last moment is followed by no call without time")
    void lateWakeup() {
        assertThatThrownBy(() -> calls.within("the question", left -> {
                    limits.add(left);
                    host.nowNanos += left.toNanos() - 600_000;
                    throw new WakeupException();
                }))
                .isInstanceOf(BrokerException.class)
                .hasMessageContaining("the question had no answer within brokerLimit");
        assertThat(limits).hasSize(1);
    }

    @Test
    @DisplayName("B112 what a rebalance waits for ends in time for a close that is asked for meanwhile")
    void orClosed() {
        long start = host.nowNanos;
        Duration limit = Duration.ofSeconds(60);
        assertThatThrownBy(() -> calls.orClosed("the last commit", limit, left -> {
                    limits.add(left);
                    host.nowNanos += left.toNanos();
                    if (host.nowNanos - start >= 5_000_000_000L) {
                        closed = start + 7_000_000_000L; // Asked for after five seconds, with a limit of two.
                    }
                    throw new TimeoutException("simulated");
                }))
                .isInstanceOf(BrokerException.class)
                .hasMessageContaining(
                        "the last commit had no answer within 7.0 s, when the consumer had to close (1 attempts): check"
                                + " the brokers, or raise closeLimit");
        assertThat(Duration.ofNanos(host.nowNanos - start)).isBetween(Duration.ofSeconds(7), Duration.ofMillis(7_100));
        assertThat(limits)
                .startsWith(Duration.ofMillis(10), Duration.ofMillis(20))
                .allMatch(left -> left.toMillis() <= 200);
    }

    @Test
    @DisplayName("B105 where no time is left at all, the one call has what Kafka can count")
    void leastTime() {
        boolean called = calls.within("the last commit", Duration.ZERO, limits::add);
        assertThat(called).isTrue();
        assertThat(limits).containsExactly(Duration.ofMillis(1));
    }

    @Test
    @DisplayName("B105 an answer that leaves a partition out is none: it is asked for again")
    void incompleteAnswer() {
        List<Map<TopicPartition, Long>> answers =
                new ArrayList<>(List.of(Map.of(), Map.of(ORDERS_1, 7L), Map.of(ORDERS_0, 5L, ORDERS_1, 7L)));
        assertThat(calls.answered("the question", Set.of(ORDERS_0, ORDERS_1), left -> answers.removeFirst()))
                .containsEntry(ORDERS_0, 5L);
        assertThat(answers).isEmpty();
    }

    @Test
    @DisplayName("B105 an answer that never comes fails when the limit is over, and is no value")
    void noAnswer() {
        Map<TopicPartition, Long> nothing = Map.of();
        assertThatThrownBy(() -> calls.answered("the question", Set.of(ORDERS_0), left -> nothing))
                .isInstanceOf(BrokerException.class)
                .hasMessageContaining("the question had no answer within brokerLimit");
    }
}
