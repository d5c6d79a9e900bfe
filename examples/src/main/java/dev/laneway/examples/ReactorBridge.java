package dev.laneway.examples;

import static reactor.adapter.JdkFlowAdapter.flowPublisherToFlux;
import static reactor.adapter.JdkFlowAdapter.publisherToFlowPublisher;

import dev.laneway.stream.CommittableRecord;
import dev.laneway.stream.ConsumerSettings;
import dev.laneway.stream.Envelope;
import dev.laneway.stream.KafkaSink;
import dev.laneway.stream.KafkaSource;
import dev.laneway.stream.ProducerSettings;
import dev.laneway.stream.Result;
import dev.laneway.stream.Source;
import dev.laneway.stream.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Prices carts with Reactor between a source and a sink of Laneway. The service answers with a {@link Mono}; sixteen
 * calls are under way at once, and the order of the carts stays. A cart is committed when its price is written.
 */
final class ReactorBridge {
    private static final int CARTS = 100;

    /** A service that is called with Reactor. */
    interface Prices {
        Mono<String> of(String cart);
    }

    private ReactorBridge() {}

    /** The customers of as many carts as are to be priced, each when its price is written and its cart committed. */
    static Flux<String> price(
            ConsumerSettings<String, String> consumer,
            ProducerSettings<String, String> producer,
            Prices prices,
            long carts) {
        Flux<Envelope<String, String, CommittableRecord<String, String>>> priced = flowPublisherToFlux(
                        KafkaSource.committable(consumer, Subscription.topics("carts")))
                .flatMapSequential(
                        cart -> prices.of(cart.value())
                                .map(price -> new ProducerRecord<>("prices", cart.key(), price))
                                .map(record -> Envelope.single(record, cart)),
                        16)
                .take(carts);
        return flowPublisherToFlux(Source.from(publisherToFlowPublisher(priced))
                .via(KafkaSink.flow(producer))
                .map(Result::passThrough)
                .mapAsync(16, cart -> cart.commit().thenApply(done -> cart.key())));
    }

    static List<String> run(Cluster cluster, Prices prices) throws Exception {
        cluster.createTopics("carts", "prices");
        cluster.send(IntStream.range(0, CARTS)
                .mapToObj(i -> Cluster.text("carts", "customer-" + i % 4, "cart-" + i))
                .toList());
        Map<String, Object> kafkaConfig = cluster.consumer("pricing");
        Object servers = kafkaConfig.get("bootstrap.servers");
        Mono<List<String>> customers = price(
                        ConsumerSettings.of(kafkaConfig, new StringDeserializer(), new StringDeserializer()),
                        ProducerSettings.of(
                                Map.of("bootstrap.servers", servers), new StringSerializer(), new StringSerializer()),
                        prices,
                        CARTS)
                .collectList();
        return Objects.requireNonNull(customers.block(Duration.ofSeconds(60)), "a list always comes");
    }

    /** Answers a little later, as a service would. */
    static Mono<String> slowly(String cart) {
        return Mono.delay(Duration.ofMillis(5)).map(tick -> cart + " costs " + cart.length());
    }

    public static void main(String... args) throws Exception {
        try (Cluster cluster = Cluster.from(args)) {
            System.out.println(run(cluster, ReactorBridge::slowly).size() + " carts were priced");
        }
    }
}
