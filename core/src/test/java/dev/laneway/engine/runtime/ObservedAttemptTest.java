package dev.laneway.engine.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.LanewayObserver;
import dev.laneway.Options;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Observers that handlers and sends run within, whatever they do there. */
class ObservedAttemptTest {
    private static final ConsumerRecord<byte[], byte[]> RECORD =
            new ConsumerRecord<>("orders", 0, 7, new byte[1], new byte[1]);

    private final List<String> told = new ArrayList<>();
    private final MockProducer<byte[], byte[]> producer =
            new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());

    /** Binds by this, and notes what it hears. */
    private final class Around implements LanewayObserver, LanewayObserver.Attempt, LanewayObserver.Sending {
        private final String name;
        private final Consumer<Runnable> around;

        Around(String name, Consumer<Runnable> around) {
            this.name = name;
            this.around = around;
        }

        @Override
        public Attempt attemptStarted(ConsumerRecord<byte[], byte[]> record, int attempt, boolean follows) {
            return this;
        }

        @Override
        public void around(Runnable code) {
            told.add(name + " begins");
            around.accept(code);
            told.add(name + " ends");
        }

        @Override
        public void ended(@Nullable Throwable failure) {
            told.add(name + " ended " + failure);
        }

        @Override
        public void ended(@Nullable Exception failure) {
            told.add(name + " sent " + failure);
        }

        @Override
        public Sending sends(ConsumerRecord<byte[], byte[]> record, ProducerRecord<byte[], byte[]> output) {
            output.headers().add(name, name.getBytes(UTF_8));
            return this;
        }
    }

    private static ObservedAttempt attempt(LanewayObserver... observers) {
        HandHost host = new HandHost();
        Options options = Options.DEFAULTS.withObservers(Arrays.stream(observers)
                .map(observer -> (LanewayObserver.Factory) _ -> observer)
                .toList());
        ObserverCalls calls = ObserverCalls.of(
                host,
                options,
                "member",
                new HealthConditions(host, options.limits().healthLimit()));
        assertThat(calls).isNotNull();
        calls.begin(List.of(observers));
        ObservedAttempt attempt = calls.attemptStarted(RECORD, 1, false);
        assertThat(attempt).isNotNull();
        return attempt;
    }

    @Test
    @DisplayName("B174 a handler runs within all observers of its attempt, the first one outermost")
    void nests() {
        attempt(new Around("a", Runnable::run), new Around("b", Runnable::run), new Around("c", Runnable::run))
                .run(() -> told.add("handled"));
        assertThat(told).containsExactly("a begins", "b begins", "c begins", "handled", "c ends", "b ends", "a ends");
    }

    @Test
    @DisplayName("B174 a handler runs once, whether an observer runs it not at all, twice, elsewhere, or throws")
    void runsOnce() {
        List<Consumer<Runnable>> wrong = List.of(
                handler -> {},
                handler -> {
                    handler.run();
                    handler.run();
                },
                handler -> {
                    throw new StackOverflowError("before");
                },
                handler -> {
                    handler.run();
                    throw new IllegalStateException("after");
                },
                handler -> {
                    Thread other = Thread.ofVirtual()
                            .uncaughtExceptionHandler((_, _) -> {})
                            .start(handler);
                    try {
                        other.join();
                    } catch (InterruptedException unexpected) {
                        throw new IllegalStateException(unexpected);
                    }
                });
        for (Consumer<Runnable> around : wrong) {
            told.clear();
            List<Thread> threads = new ArrayList<>();
            attempt(new Around("a", Runnable::run), new Around("b", around)).run(() -> {
                told.add("handled");
                threads.add(Thread.currentThread());
            });
            assertThat(told.stream().filter("handled"::equals)).hasSize(1);
            assertThat(told).contains("a ends");
            assertThat(threads).containsExactly(Thread.currentThread());
        }
    }

    @Test
    @DisplayName("B174 the end of an attempt is told once, though a stage completes after its limit")
    void endsOnce() {
        ObservedAttempt attempt = attempt(new Around("a", Runnable::run), new Around("b", Runnable::run));
        attempt.ended(new IllegalStateException("limit"));
        attempt.ended(null);
        assertThat(told)
                .containsExactly(
                        "a ended java.lang.IllegalStateException: limit",
                        "b ended java.lang.IllegalStateException: limit");
    }

    @Test
    @DisplayName("B174 observers add headers to a copy of what is sent, and hear the answer before the engine does")
    void sends() {
        ProducerRecord<byte[], byte[]> output = new ProducerRecord<>("out", 3, 4L, new byte[1], new byte[2]);
        output.headers().add("own", new byte[5]);
        ObservedAttempt attempt = attempt(new Around("a", Runnable::run), new Around("b", Runnable::run));
        for (int i = 0; i < 2; i++) { // Again, as after a failure: the producer has locked what it was given.
            attempt.send(producer, RECORD, output, (_, failure) -> told.add("answered " + failure));
            assertThat(producer.completeNext()).isTrue();
        }
        assertThat(told.subList(0, told.size() / 2))
                .containsExactly(
                        "a begins", "b begins", "b ends", "a ends", "b sent null", "a sent null", "answered null")
                .isEqualTo(told.subList(told.size() / 2, told.size()));
        assertThat(output.headers().toArray()).hasSize(1);
        assertThat(producer.history()).hasSize(2).allSatisfy(sent -> {
            assertThat(sent.headers().toArray()).extracting("key").containsExactly("own", "a", "b");
            assertThat(sent.partition()).isEqualTo(3);
            assertThat(sent.timestamp()).isEqualTo(4);
            assertThat(sent.key()).isSameAs(output.key());
            assertThat(sent.value()).isSameAs(output.value());
        });
    }

    @Test
    @DisplayName("B174 what the producer throws comes out of all observers, who hear of it")
    void cannotSend() {
        producer.sendException = new IllegalStateException("closed");
        ObservedAttempt attempt = attempt(new Around("a", Runnable::run), new Around("b", code -> {}));
        assertThatThrownBy(() -> attempt.send(producer, RECORD, new ProducerRecord<>("out", new byte[1]), (_, _) -> {}))
                .hasMessage("closed");
        assertThat(told)
                .containsExactly(
                        "a begins",
                        "b begins",
                        "b ends",
                        "b sent java.lang.IllegalStateException: closed",
                        "a ends",
                        "a sent java.lang.IllegalStateException: closed");
    }
}
