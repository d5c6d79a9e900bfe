package dev.laneway.engine.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.engine.HandConsumer;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A stream's commits, at an interval and when somebody asks")
class OnDemandCommitterTest {
    private static final long INTERVAL = Duration.ofSeconds(1).toNanos();
    private static final long TIMEOUT = Duration.ofSeconds(30).toNanos();

    private final CommitterFixture fixture = new CommitterFixture();
    private final HandConsumer consumer = fixture.consumer;
    private OnDemandCommitter committer = committer(Duration.ofNanos(INTERVAL));

    private OnDemandCommitter committer(@Nullable Duration interval) {
        return new OnDemandCommitter(fixture.commits, fixture.machine.wake, TIMEOUT, interval);
    }

    private long turn(long afterNanos) {
        fixture.host.nowNanos += afterNanos;
        return committer.turn(fixture.host.nanoTime());
    }

    @Test
    @DisplayName("B118 what is done is committed at the interval though nobody asks, and only what is new")
    void atTheInterval() {
        assertThat(turn(0)).isEqualTo(INTERVAL);
        fixture.done(3);
        assertThat(turn(INTERVAL - 1)).isEqualTo(1);
        assertThat(consumer.unanswered).isEmpty();
        turn(1);
        assertThat(consumer.unanswered).hasSize(1);
        consumer.unanswered.remove().answer(null);
        assertThat(consumer.commits.getLast().get(CommitterFixture.ID).offset()).isEqualTo(3);
        turn(INTERVAL);
        turn(INTERVAL);
        assertThat(consumer.commits).as("there is nothing new").hasSize(1);
    }

    @Test
    @DisplayName("B118 a commit that somebody asks for begins the interval anew")
    void askedInTime() {
        turn(0);
        for (int i = 1; i <= 5; i++) {
            fixture.done(1);
            CompletionStage<?> answer = committer.ask();
            turn(INTERVAL - 1);
            consumer.unanswered.remove().answer(null);
            assertThat(answer.toCompletableFuture()).isCompleted();
            fixture.done(1);
            assertThat(turn(0)).isEqualTo(INTERVAL);
            assertThat(consumer.commits).hasSize(i);
        }
    }

    @Test
    @DisplayName("B118 a commit at the interval that fails is made again soon, with the progress of then")
    void madeAgain() {
        turn(0);
        fixture.done(1);
        turn(INTERVAL);
        consumer.unanswered.remove().answer(new RetriableCommitFailedException("told to"));
        fixture.done(1);
        assertThat(turn(0)).as("not at once").isBetween(1L, INTERVAL / 2);
        turn(INTERVAL / 2);
        consumer.unanswered.remove().answer(null);
        assertThat(consumer.commits.getLast().get(CommitterFixture.ID).offset()).isEqualTo(2);
    }

    @Test
    @DisplayName("B14 a commit that is never answered is made again, and its late answer answers nobody")
    void unansweredIsMadeAgain() {
        turn(0);
        fixture.done(1);
        CompletionStage<?> answer = committer.ask();
        turn(0);
        HandConsumer.Sent lost = consumer.unanswered.remove();
        turn(TIMEOUT - 1);
        assertThat(consumer.commits).hasSize(1);
        turn(1);
        assertThat(consumer.commits).hasSize(2);
        lost.answer(null);
        assertThat(answer.toCompletableFuture()).isNotDone();
        consumer.unanswered.remove().answer(null);
        assertThat(answer.toCompletableFuture()).isCompleted();
    }

    @Test
    @DisplayName("B118 by hand nothing is committed before somebody asks")
    void byHand() {
        committer = committer(null);
        fixture.done(3);
        for (int i = 0; i < 5; i++) {
            assertThat(turn(INTERVAL)).isEqualTo(Long.MAX_VALUE);
        }
        assertThat(consumer.commits).isEmpty();
        committer.ask();
        turn(0);
        assertThat(consumer.commits).hasSize(1);
    }
}
