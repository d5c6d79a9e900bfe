package dev.laneway.engine;

import static dev.laneway.engine.Records.ORDERS_0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.CommitMode;
import dev.laneway.Options;
import dev.laneway.Outcome;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A member with transactions closes while its group rebalances, so that its last transaction is aborted at first. */
@DisplayName("The last transaction of a close")
class LastTransactionTest {
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

    private final HandEngine member = new HandEngine(
            Options.DEFAULTS.withCommit(CommitMode.exactlyOnce("tx").withInterval(Duration.ofMinutes(5))),
            (record, context) -> CompletableFuture.completedFuture(Outcome.done()));

    private long nowNanos;

    @BeforeEach
    void closes() {
        pass(Duration.ZERO);
        member.host.onPark = () -> {
            member.host.nowNanos = nowNanos; // The transaction's end is signalled, which ends the park.
            member.host.runWorkers();
        };
        member.assign(ORDERS_0).polled(Records.chunk(0, "abc")).turn();
        member.producer.sendOffsetsToTransactionException = new CommitFailedException();
        member.parts.core().inbox().close(CLOSE_LIMIT);
        assertThat(member.engine.step()).as("it is aborted, and turns go on").isTrue();
        assertThat(aborted()).isEqualTo(1);
    }

    private void pass(Duration time) {
        member.host.pass(time.toMillis());
        nowNanos = member.host.nowNanos;
    }

    private long aborted() {
        return member.parts.core().counts().failedCommits.sum();
    }

    @Test
    @DisplayName("B34 is written again when polls have brought the rebalance to its end")
    void writtenAgain() {
        pass(Duration.ofNanos(Shutdown.REFUSED_COMMIT_NANOS));
        member.producer.sendOffsetsToTransactionException = null;
        assertThat(member.engine.step()).isFalse();
        member.engine.end(null);
        assertThat(member.producer.consumerGroupOffsetsHistory())
                .singleElement()
                .satisfies(groups -> assertThat(groups.values())
                        .singleElement()
                        .satisfies(offsets ->
                                assertThat(offsets.get(ORDERS_0).offset()).isEqualTo(3)));
    }

    @Test
    @DisplayName("B34 is not written again before polls could change anything")
    void notAtOnce() {
        for (int turns = 0; turns < 5; turns++) {
            assertThat(member.engine.step()).isTrue();
        }
        assertThat(aborted()).isEqualTo(1);
        pass(Duration.ofNanos(Shutdown.REFUSED_COMMIT_NANOS));
        assertThat(member.engine.step()).isTrue();
        assertThat(aborted()).isEqualTo(2);
    }

    @Test
    @DisplayName("B53 is given up at the close limit")
    void givenUp() {
        pass(CLOSE_LIMIT);
        assertThat(member.engine.step()).isFalse();
        member.engine.end(null);
        assertThat(member.producer.consumerGroupOffsetsHistory()).isEmpty();
    }
}
