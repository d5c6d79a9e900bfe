package dev.laneway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.stream.Control;
import dev.laneway.stream.Source;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Limits longer than a clock can count. */
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

    /** Every option of the builder that is a duration. */
    private static List<Method> options() {
        List<Method> options = Arrays.stream(LanewayBuilder.class.getMethods())
                .filter(method -> Arrays.equals(method.getParameterTypes(), new Class<?>[] {Duration.class}))
                .toList();
        assertThat(options).hasSizeGreaterThanOrEqualTo(8);
        return options;
    }

    @ParameterizedTest
    @MethodSource("options")
    @DisplayName("B128 every option of a consumer: one that is too long or too short is refused, any other works")
    void option(Method option) throws Exception {
        stage.load(10, i -> "key-" + i);
        for (Duration value : List.of(FOR_EVER, Checks.LONGEST, Duration.ofNanos(1), Duration.ZERO, LONG_AGO)) {
            Stage own = stage.withGroupOfItsOwn();
            Journal journal = new Journal();
            // So that limits which must be shorter than this may be long.
            LanewayBuilder<String, String> builder = own.consumer(Map.of("max.poll.interval.ms", Integer.MAX_VALUE));
            Laneway laneway;
            try {
                option.invoke(builder, value);
                laneway = builder.process(journal.note(record -> {}));
            } catch (ConfigurationException refused) {
                assertThat(refused).hasMessageContaining(option.getName());
                continue;
            } catch (InvocationTargetException failed) {
                assertThat(failed.getCause())
                        .isInstanceOf(ConfigurationException.class)
                        .hasMessageContaining(option.getName());
                continue;
            }
            if (value.equals(Checks.LONGEST)) {
                await().atMost(LIMIT).until(() -> journal.size() == 10 && own.isCommittedToEnd());
            }
            // With a limit of a nanosecond attempts or calls may fail, but only by that limit.
            laneway.close(Duration.ofSeconds(10));
            assertThat(laneway.failure().orElse(new ConfigurationException("", "", "", "")))
                    .isInstanceOf(LanewayException.class);
            assertThat(laneway.state().isTerminal()).isTrue();
        }
    }
}
