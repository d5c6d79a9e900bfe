package dev.laneway.examples;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import dev.laneway.Laneway;
import dev.laneway.Outcome;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Calls a web service through a client that answers with a stage, as those of Vert.x, gRPC and the JDK do. No thread
 * waits for the answer. The record holds its key, and one place of the concurrency, until the stage completes.
 */
final class AsyncCalls {
    static final int RECORDS = 400;
    static final int ACCOUNTS = 40;
    private static final String TOPIC = "visits";

    private AsyncCalls() {}

    static Laneway start(Map<String, Object> kafkaConfig, HttpClient http, Function<String, URI> account) {
        return Laneway.consumer(kafkaConfig)
                .deserializers(new StringDeserializer(), new StringDeserializer())
                .subscribe(TOPIC)
                .concurrency(200)
                .processAsync((record, context) -> post(http, account.apply(record.key()), record.value()));
    }

    /** A busy service is asked again; a stage that fails is left to the failure policy. */
    private static CompletionStage<Outcome> post(HttpClient http, URI uri, String body) {
        HttpRequest request =
                HttpRequest.newBuilder(uri).POST(BodyPublishers.ofString(body)).build();
        return http.sendAsync(request, BodyHandlers.discarding()).thenApply(AsyncCalls::outcome);
    }

    private static Outcome outcome(HttpResponse<?> response) {
        return switch (response.statusCode()) {
            case 200 -> Outcome.done();
            case 503 -> Outcome.retryAfter(ofMillis(20));
            default -> Outcome.stop(response.uri() + " answered " + response.statusCode());
        };
    }

    /** Sends visits of some accounts to the topic and lets the service have them. */
    static void run(Cluster cluster, AccountService service) throws Exception {
        cluster.createTopics(TOPIC);
        cluster.send(visits());
        try (HttpClient http = HttpClient.newHttpClient();
                Laneway laneway = start(cluster.consumer("visits-to-accounts"), http, service::account)) {
            service.await(ofSeconds(60));
            laneway.drain(ofSeconds(10));
        }
    }

    public static void main(String... args) throws Exception {
        try (Cluster cluster = Cluster.from(args);
                AccountService service = AccountService.start(RECORDS)) {
            run(cluster, service);
            System.out.println(service.accepted().get("account-0"));
            System.out.println(service.requests() + " requests, at most " + service.mostAtOnce() + " at once");
        }
    }

    private static List<ProducerRecord<String, byte[]>> visits() {
        return IntStream.range(0, RECORDS)
                .mapToObj(i -> Cluster.text(TOPIC, "account-" + i % ACCOUNTS, String.valueOf(i)))
                .toList();
    }
}
