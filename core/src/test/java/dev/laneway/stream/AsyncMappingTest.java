package dev.laneway.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.ConfigurationException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** mapAsync and mapAsyncUnordered, with stages that the test completes by hand. */
@Timeout(30)
class AsyncMappingTest {
    private static final int PARALLELISM = 4;

    enum Order {
        ORDERED,
        UNORDERED
    }

    /** Invalid or failed stages that a user's function may return. */
    enum Odd {
        NO_STAGE(NullPointerException.class),
        THROWN(IllegalStateException.class),
        FAILED(IllegalStateException.class),
        CANCELLED(CancellationException.class),
        NO_RESULT(NullPointerException.class),
        /** Its failure comes wrapped. */
        DEPENDENT(IllegalStateException.class);

        final Class<? extends Throwable> surfaces;

        Odd(Class<? extends Throwable> surfaces) {
            this.surfaces = surfaces;
        }

        CompletionStage<Integer> stage() {
            return switch (this) {
                case NO_STAGE -> null;
                case THROWN -> throw new IllegalStateException("told to");
                case FAILED -> CompletableFuture.failedFuture(new IllegalStateException("told to"));
                case CANCELLED -> {
                    CompletableFuture<Integer> stage = new CompletableFuture<>();
                    stage.cancel(false);
                    yield stage;
                }
                case NO_RESULT -> CompletableFuture.completedFuture(null);
                case DEPENDENT ->
                    CompletableFuture.<Integer>failedFuture(new IllegalStateException("told to"))
                            .thenApply(n -> n + 1);
            };
        }
    }

    private final HandPublisher<Integer> above = new HandPublisher<>();
    private final List<CompletableFuture<Integer>> stages = new ArrayList<>();

    private CompletionStage<Integer> call(Integer element) {
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        stages.add(stage);
        return stage;
    }

    private Probe<Integer> run(Order order, long asking) {
        Probe<Integer> probe = Probe.asking(asking);
        Source<Integer> source = Source.from(above);
        switch (order) {
            case ORDERED -> source.mapAsync(PARALLELISM, this::call).subscribe(probe);
            case UNORDERED -> source.mapAsyncUnordered(PARALLELISM, this::call).subscribe(probe);
        }
        return probe;
    }

    /** As it came: neither wrapped nor unwrapped. */
    private static Throwable failure(Probe<?> probe) {
        return probe.end().handle((nothing, failure) -> failure).join();
    }

    private void complete(int... numbers) {
        for (int number : numbers) {
            stages.get(number).complete(number);
        }
    }

    @Test
    @DisplayName("B66 mapAsync gives results in the order of the elements, whatever the order of the answers")
    void ordered() {
        Probe<Integer> probe = run(Order.ORDERED, Long.MAX_VALUE);
        IntStream.range(0, PARALLELISM).forEach(above::send);
        complete(3, 1, 2);
        assertThat(probe.elements()).isEmpty();
        assertThat(above.requested()).as("waiting for their turn counts").isEqualTo(PARALLELISM);
        complete(0);
        assertThat(probe.elements()).containsExactly(0, 1, 2, 3);
        assertThat(above.requested()).isEqualTo(2 * PARALLELISM);
    }

    @Test
    @DisplayName("B66 mapAsyncUnordered gives each result as it comes: a slow call delays no other")
    void unordered() {
        Probe<Integer> probe = run(Order.UNORDERED, Long.MAX_VALUE);
        IntStream.range(0, PARALLELISM).forEach(above::send);
        complete(3, 1, 2);
        assertThat(probe.elements()).containsExactly(3, 1, 2);
        assertThat(above.requested()).isEqualTo(PARALLELISM + 3);
        above.complete();
        assertThat(probe.end()).isNotDone();
        complete(0);
        assertThat(probe.elements()).containsExactly(3, 1, 2, 0);
        assertThat(probe.end()).isCompleted();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("B66 results that nobody asks for are held, and hold back those above")
    void held(Order order) {
        Probe<Integer> probe = run(order, 1);
        IntStream.range(0, PARALLELISM).forEach(above::send);
        complete(0, 1, 2, 3);
        assertThat(probe.elements()).containsExactly(0);
        assertThat(above.requested()).isEqualTo(PARALLELISM + 1);
        above.complete();
        probe.request(2);
        assertThat(probe.end()).isNotDone();
        probe.request(1);
        assertThat(probe.elements()).containsExactly(0, 1, 2, 3);
        assertThat(probe.end()).isCompleted();
        assertThat(probe.violations()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("B49 every odd stage of mapAsync fails the stream with its cause, in its turn")
    void oddOrdered(Odd odd) {
        Probe<Integer> probe = Probe.asking(Long.MAX_VALUE);
        Source.from(above)
                .mapAsync(PARALLELISM, n -> n == 1 ? odd.stage() : call(n))
                .subscribe(probe);
        IntStream.range(0, 3).forEach(above::send);
        assertThat(probe.end()).as("it is not its turn").isNotDone();
        stages.get(0).complete(0);
        assertThat(probe.elements()).containsExactly(0);
        assertThat(failure(probe)).isInstanceOf(odd.surfaces);
        assertThat(above.isCancelled()).isTrue();
        assertThat(stages.get(1)).isCancelled();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("B49 every odd stage of mapAsyncUnordered fails the stream with its cause, at once")
    void oddUnordered(Odd odd) {
        Probe<Integer> probe = Probe.asking(0);
        Source.from(above)
                .mapAsyncUnordered(PARALLELISM, n -> n == 1 ? odd.stage() : call(n))
                .subscribe(probe);
        IntStream.range(0, 3).forEach(above::send);
        assertThat(failure(probe)).isInstanceOf(odd.surfaces);
        assertThat(above.isCancelled()).isTrue();
        assertThat(stages).hasSize(1).allMatch(CompletableFuture::isCancelled);
    }

    /** Calls each callback twice. */
    private static final class Twice extends CompletableFuture<Integer> {
        @Override
        public CompletableFuture<Integer> whenComplete(BiConsumer<? super Integer, ? super Throwable> action) {
            action.accept(7, null);
            action.accept(8, null);
            action.accept(null, new IllegalStateException("told to"));
            return this;
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("B49 a stage that answers twice counts once")
    void answersTwice(Order order) {
        Probe<Integer> probe = Probe.asking(Long.MAX_VALUE);
        Source<Integer> source = Source.from(above);
        switch (order) {
            case ORDERED -> source.mapAsync(1, n -> new Twice()).subscribe(probe);
            case UNORDERED -> source.mapAsyncUnordered(1, n -> new Twice()).subscribe(probe);
        }
        above.send(0);
        above.complete();
        assertThat(probe.elements()).containsExactly(7);
        assertThat(failure(probe)).isNull();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("B66 cancelling cancels the calls under way, and no further one is made")
    void cancel(Order order) {
        Probe<Integer> probe = run(order, Long.MAX_VALUE);
        above.send(0);
        above.send(1);
        probe.cancel();
        above.send(2);
        assertThat(stages).hasSize(2).allMatch(CompletableFuture::isCancelled);
        assertThat(above.isCancelled()).isTrue();
        assertThat(probe.end()).isNotDone();
    }

    @Test
    @DisplayName("B52 a parallelism below 1 is refused with its remedy")
    void parallelism() {
        Source<Integer> source = Source.from(above);
        assertThatThrownBy(() -> source.mapAsync(0, this::call))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("parallelism is 0 but must be at least 1");
        assertThatThrownBy(() -> source.mapAsyncUnordered(-1, this::call)).isInstanceOf(ConfigurationException.class);
    }
}
