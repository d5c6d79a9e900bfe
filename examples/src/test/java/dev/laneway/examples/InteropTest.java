package dev.laneway.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.stream.CommittableRecord;
import dev.laneway.stream.ConsumerSettings;
import dev.laneway.stream.Envelope;
import dev.laneway.stream.KafkaSink;
import dev.laneway.stream.KafkaSource;
import dev.laneway.stream.ProducerSettings;
import dev.laneway.stream.Result;
import dev.laneway.stream.Source;
import dev.laneway.stream.Subscription;
import dev.laneway.testkit.EmbeddedKafka;
import io.reactivex.rxjava3.core.Flowable;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.stream.javadsl.AsPublisher;
import org.apache.pekko.stream.javadsl.JavaFlowSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.FlowAdapters;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Other libraries of streams between a source and a sink of ours, through the adapters that everybody uses: each calls
 * something for each record, Mutiny one by one and the others eight at once, keeps the order, and hands on what is to
 * be written with what is to be committed.
 */
@Timeout(120)
class InteropTest {
    private static final int RECORDS = 300;
    private static final int CALLS = 8;

    private final EmbeddedKafka kafka = EmbeddedKafka.shared();

    /** Leads records of a topic of its own through the library, and looks at what is written and committed. */
    private void connects(
            String library,
            Function<
                            Flow.Publisher<CommittableRecord<String, String>>,
                            Flow.Publisher<Envelope<String, String, CommittableRecord<String, String>>>>
                    through)
            throws Exception {
        String in = "in-of-" + library;
        kafka.createTopic(in, 1);
        kafka.createTopic(out(library), 1);
        List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (int i = 0; i < RECORDS; i++) {
            records.add(new ProducerRecord<>(in, ("value-" + i).getBytes(StandardCharsets.UTF_8)));
        }
        kafka.produce(records);
        Source<CommittableRecord<String, String>> source = KafkaSource.committable(
                ConsumerSettings.of(
                        Map.of(
                                "bootstrap.servers",
                                kafka.bootstrapServers(),
                                "group.id",
                                library,
                                "auto.offset.reset",
                                "earliest"),
                        new StringDeserializer(),
                        new StringDeserializer()),
                Subscription.topics(in));
        ProducerSettings<String, String> producer = ProducerSettings.of(
                Map.of("bootstrap.servers", kafka.bootstrapServers()), new StringSerializer(), new StringSerializer());
        CompletableFuture<Void> done = new CompletableFuture<>();
        Source.from(through.apply(source))
                .via(KafkaSink.flow(producer))
                .map(Result::passThrough)
                .mapAsync(CALLS, record -> record.commit().thenApply(committed -> record))
                .to(new Counting<>(RECORDS, done));
        done.get(60, TimeUnit.SECONDS);
        assertThat(written(library)).hasSize(RECORDS).first().isEqualTo("VALUE-0");
        assertThat(written(library)).last().isEqualTo("VALUE-" + (RECORDS - 1));
        assertThat(kafka.committed(library))
                .extractingByKey(new TopicPartition(in, 0))
                .extracting(OffsetAndMetadata::offset)
                .isEqualTo((long) RECORDS);
    }

    private static String out(String library) {
        return "out-of-" + library;
    }

    private static Envelope<String, String, CommittableRecord<String, String>> envelope(
            String library, CommittableRecord<String, String> record) {
        String loud = record.value().toUpperCase(Locale.ROOT);
        return Envelope.single(new ProducerRecord<>(out(library), record.key(), loud), record);
    }

    private List<String> written(String library) {
        List<String> values = new ArrayList<>();
        TopicPartition partition = new TopicPartition(out(library), 0);
        try (Consumer<byte[], byte[]> reader = kafka.consumer("reader-of-" + library)) {
            reader.assign(List.of(partition));
            long end = kafka.endOffsets(out(library)).get(partition);
            while (values.size() < end) {
                reader.poll(Duration.ofMillis(100))
                        .forEach(record -> values.add(new String(record.value(), StandardCharsets.UTF_8)));
            }
        }
        return values;
    }

    @Test
    @DisplayName("B76 Reactor, by JdkFlowAdapter")
    void reactor() throws Exception {
        connects(
                "reactor",
                source -> JdkFlowAdapter.publisherToFlowPublisher(JdkFlowAdapter.flowPublisherToFlux(source)
                        .flatMapSequential(
                                record -> Mono.fromCallable(() -> envelope("reactor", record))
                                        .subscribeOn(Schedulers.parallel()),
                                CALLS)
                        .take(RECORDS)));
    }

    @Test
    @DisplayName("B76 RxJava 3, by FlowAdapters of Reactive Streams")
    void rxJava() throws Exception {
        connects(
                "rxjava",
                source -> FlowAdapters.toFlowPublisher(Flowable.fromPublisher(FlowAdapters.toPublisher(source))
                        .concatMapEager(
                                record -> Flowable.fromCallable(() -> envelope("rxjava", record))
                                        .subscribeOn(io.reactivex.rxjava3.schedulers.Schedulers.computation()),
                                CALLS,
                                CALLS)
                        .take(RECORDS)));
    }

    @Test
    @DisplayName("B76 Mutiny, which speaks Flow itself")
    void mutiny() throws Exception {
        connects(
                "mutiny",
                source -> Multi.createFrom()
                        .publisher(source)
                        .onItem()
                        .transformToUniAndConcatenate(record -> Uni.createFrom()
                                .completionStage(CompletableFuture.supplyAsync(() -> envelope("mutiny", record))))
                        .select()
                        .first(RECORDS));
    }

    @Test
    @DisplayName("B76 Pekko Streams, by JavaFlowSupport")
    void pekko() throws Exception {
        ActorSystem system = ActorSystem.create("interop");
        try {
            connects(
                    "pekko",
                    source -> JavaFlowSupport.Source.fromPublisher(source)
                            .mapAsync(CALLS, record -> CompletableFuture.supplyAsync(() -> envelope("pekko", record)))
                            .take(RECORDS)
                            .runWith(JavaFlowSupport.Sink.asPublisher(AsPublisher.WITHOUT_FANOUT), system));
        } finally {
            system.terminate();
            system.getWhenTerminated().toCompletableFuture().get(30, TimeUnit.SECONDS);
        }
    }

    /** Takes everything; through when the stream is. */
    private static final class Counting<T> implements Flow.Subscriber<T> {
        private final int expected;
        private final CompletableFuture<Void> done;
        private int count;

        Counting(int expected, CompletableFuture<Void> done) {
            this.expected = expected;
            this.done = done;
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(T element) {
            count++;
        }

        @Override
        public void onError(Throwable failure) {
            done.completeExceptionally(failure);
        }

        @Override
        public void onComplete() {
            if (count == expected) {
                done.complete(null);
            } else {
                done.completeExceptionally(new IllegalStateException(count + " of " + expected + " came through"));
            }
        }
    }
}
