package dev.laneway.examples;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import dev.laneway.Backoff;
import dev.laneway.FailurePolicy;
import dev.laneway.Laneway;
import dev.laneway.Ordering;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Calls a web service for each record. Calls of one account go out one after the other, in the order of its records;
 * calls of different accounts go out at the same time. A call that fails is made again after a while, and the account's
 * later records wait for it; no other does.
 */
final class HttpInKeyOrder {
    static final int RECORDS = 400;
    static final int ACCOUNTS = 40;
    private static final String TOPIC = "transfers";

    private HttpInKeyOrder() {}

    static Laneway start(Map<String, Object> kafkaConfig, HttpClient http, Function<String, URI> account) {
        return Laneway.consumer(kafkaConfig)
                .deserializers(new StringDeserializer(), new StringDeserializer())
                .subscribe(TOPIC)
                .ordering(Ordering.KEY)
                .concurrency(200)
                .attemptLimit(ofSeconds(10))
                .onFailure(FailurePolicy.retry(Backoff.exponential(ofMillis(20), ofSeconds(5))))
                .process(record -> post(http, account.apply(record.key()), record.value()));
    }

    /** Blocks a virtual thread, which costs next to nothing; an exception is a failed attempt. */
    private static void post(HttpClient http, URI uri, String body) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(uri).POST(BodyPublishers.ofString(body)).build();
        int status = http.send(request, BodyHandlers.discarding()).statusCode();
        if (status != 200) {
            throw new IOException(uri + " answered " + status);
        }
    }

    /** Sends transfers of some accounts to the topic and lets the service have them. */
    static void run(Cluster cluster, AccountService service) throws Exception {
        cluster.createTopics(TOPIC);
        cluster.send(transfers());
        try (HttpClient http = HttpClient.newHttpClient();
                Laneway laneway = start(cluster.consumer("transfers-to-accounts"), http, service::account)) {
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

    private static List<ProducerRecord<String, byte[]>> transfers() {
        return IntStream.range(0, RECORDS)
                .mapToObj(i -> Cluster.text(TOPIC, "account-" + i % ACCOUNTS, String.valueOf(i)))
                .toList();
    }
}
