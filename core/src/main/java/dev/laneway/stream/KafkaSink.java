package dev.laneway.stream;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Streams into Kafka. Each of these is for one stream. What is in flight is bounded by the settings, and when a budget
 * is spent the stream above waits; a record in flight is in the producer's hands, and a broker that is slow slows the
 * stream down. No thread of the stream is blocked, unless it is a virtual one.
 */
public final class KafkaSink {
    private KafkaSink() {}

    /**
     * Sends records. Completes when all of them are acknowledged; fails with a {@link dev.laneway.SendFailedException}
     * when one cannot be sent, unless the settings say skip.
     */
    public static <K, V> Sink<ProducerRecord<K, V>> plain(ProducerSettings<K, V> settings) {
        Sending<ProducerRecord<K, V>, K, V, ProducerRecord<K, V>> sending = sending(settings, new Shape.Bare<>());
        Nobody<ProducerRecord<K, V>> nobody = new Nobody<>();
        sending.subscribe(nobody);
        return new Head<>(sending, nobody.completion(), sending.closed());
    }

    /**
     * Sends the records of envelopes and gives a result for each envelope, in their order, when the broker has
     * acknowledged its records. For one stream above and one subscriber below.
     *
     * @param <P> what passes through
     */
    public static <K, V, P> Flow.Processor<Envelope<K, V, P>, Result<K, V, P>> flow(ProducerSettings<K, V> settings) {
        return sending(settings, new Shape.Enveloped<>());
    }

    private static <T, K, V, R> Sending<T, K, V, R> sending(ProducerSettings<K, V> settings, Shape<T, K, V, R> shape) {
        return new Sending<>(settings, shape, Machine.real("laneway-sink"));
    }

    /** A sink made of the first of its stages, and of the ends of all of them. */
    private static final class Head<T> implements Sink<T> {
        private final Flow.Subscriber<T> first;
        private final CompletableFuture<@Nullable Void> completion = new CompletableFuture<>();

        /**
         * Puts a sink together.
         *
         * @param closed always completes; whether the sink has failed is what the end says
         */
        Head(Flow.Subscriber<T> first, CompletionStage<@Nullable Void> end, CompletionStage<@Nullable Void> closed) {
            this.first = first;
            var _ = end.whenComplete((nothing, failure) -> {
                var _ = closed.whenComplete((none, notClosed) -> {
                    Throwable cause = failure == null ? notClosed : failure;
                    if (cause == null) {
                        completion.complete(null);
                    } else {
                        completion.completeExceptionally(cause);
                    }
                });
            });
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            first.onSubscribe(subscription);
        }

        @Override
        public void onNext(T element) {
            first.onNext(element);
        }

        @Override
        public void onError(Throwable failure) {
            first.onError(failure);
        }

        @Override
        public void onComplete() {
            first.onComplete();
        }

        @Override
        public CompletionStage<@Nullable Void> completion() {
            return completion.minimalCompletionStage();
        }
    }
}
