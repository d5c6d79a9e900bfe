package dev.laneway.engine.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.FailurePolicy;
import dev.laneway.engine.handle.Outbox;
import dev.laneway.engine.handle.OutgoingTopics;
import dev.laneway.engine.handle.UndeliverableOutputs;
import dev.laneway.engine.runtime.HandHost;
import dev.laneway.engine.runtime.WakeSignal;
import dev.laneway.engine.track.Inbox;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.producer.MockProducer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The committer of exactly-once")
class TransactionalCommitterTest {
    private final CommitterFixture fixture = new CommitterFixture();
    private final HandHost host = fixture.host;
    private final WakeSignal wake = new WakeSignal(host, () -> {});
    private final Inbox inbox = new Inbox(wake);
    /** Its transactions never end: nobody runs what it leaves to the host. */
    private final TransactionalCommitter committer = new TransactionalCommitter(
            host,
            wake,
            inbox,
            fixture.consumer,
            fixture.commits,
            new BlockingCalls(host, Duration.ofSeconds(10), Duration.ZERO, until -> until),
            fixture.machine.counts,
            new UndeliverableOutputs(
                    host, FailurePolicy.stop(), new Outbox(MockProducer::new, null), inbox, fixture.machine.counts),
            List.of(new TransactionWriter(host, wake, new OutgoingTopics(), MockProducer::new)),
            Duration.ofMillis(10));

    @BeforeEach
    void begin() {
        fixture.commits.limitLast(Duration.ofSeconds(100));
        fixture.done(3);
        fixture.turn(committer, 1_000);
        assertThat(host.executed).as("a transaction is on its way").hasSize(1);
    }

    private long flushSeconds() {
        long since = host.nowNanos;
        committer.flush(List.of(fixture.partition));
        return (host.nowNanos - since) / 1_000_000_000;
    }

    @Test
    @DisplayName("B53 inside a rebalance a transaction that does not end is waited for up to the broker limit")
    void waits() {
        assertThat(flushSeconds()).isEqualTo(100);
    }

    @Test
    @DisplayName(
            "B53 a close that nobody could serve yet ends that wait at its own limit, which counts from the asking")
    void hearsAClose() {
        inbox.close(Duration.ofSeconds(15));
        host.pass(5_000);
        assertThat(flushSeconds()).isEqualTo(10);
    }

    @Test
    @DisplayName("B53 so does a close that is asked for during the wait")
    void hearsACloseMeanwhile() {
        long since = host.nowNanos;
        host.onPark = () -> {
            host.onPark = () -> {};
            host.nowNanos = since + 20_000_000_000L; // The signal ends the park.
            inbox.close(Duration.ofSeconds(15));
        };
        assertThat(flushSeconds()).isEqualTo(35);
    }

    @Test
    @DisplayName("B53 after a close limit a transaction has a second to end all the same")
    void leavesASecond() {
        inbox.close(Duration.ZERO);
        host.pass(5_000);
        assertThat(flushSeconds()).isEqualTo(1);
    }

    @Test
    @DisplayName("B53 of several closes the first to be due counts")
    void theShortestCounts() {
        inbox.close(Duration.ofSeconds(10));
        inbox.close(Duration.ofSeconds(30));
        assertThat(flushSeconds()).isEqualTo(10);
    }
}
