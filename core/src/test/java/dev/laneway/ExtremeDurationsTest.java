package dev.laneway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.stream.Control;
import dev.laneway.stream.Source;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Limits that no clock can count to. */
@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(120)
@DisplayName("Limits of any length")
class ExtremeDurationsTest {
    private static final Duration LIMIT = Duration.ofSeconds(40);
    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
    private static final Duration LONG_AGO = Duration.ofSeconds(Long.MIN_VALUE);

    private final Stage stage = Stage.of(1);

    @Test
    @DisplayName("B128 awaitTermination, drain and close of a consumer")
    void consumer() throws Exception {
        stage.load(10, i -> "key-" + i);
        Journal journal = new Journal();
        Laneway laneway = stage.consumer().process(journal.note(record -> {}));
        assertThat(laneway.awaitTermination(LONG_AGO)).isFalse();
        CompletableFuture<Boolean> ended = CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return laneway.awaitTermination(FOR_EVER);
                    } catch (InterruptedException impossible) {
                        throw new IllegalStateException(impossible);
                    }
                },
                Thread::startVirtualThread);
        await().atMost(LIMIT).until(() -> journal.size() == 10);
        assertThat(laneway.drain(FOR_EVER)).isTrue();
        assertThat(ended.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        laneway.close(FOR_EVER);

        Laneway second = stage.consumer().process(journal.note(record -> {}));
        second.close(LONG_AGO);
        assertThat(second.awaitTermination(FOR_EVER)).isTrue();
        assertThat(second.failure()).isEmpty();
    }

    @Test
    @DisplayName("B128 drainAndShutdown of a stream")
    void stream() throws Exception {
        try (SubmissionPublisher<Integer> numbers = new SubmissionPublisher<>()) {
            CompletableFuture<Integer> answer = new CompletableFuture<>();
            Control control = Source.from(numbers).mapAsync(1, number -> answer).run();
            numbers.submit(1);
            await().atMost(LIMIT).until(() -> numbers.estimateMaximumLag() == 0);
            CompletionStage<?> drained = control.drainAndShutdown(FOR_EVER);
            assertThat(drained.toCompletableFuture()).isNotDone();
            answer.complete(1);
            var _ = drained.toCompletableFuture().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
    }
}
