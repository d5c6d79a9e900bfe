package dev.laneway.ops.observe;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * A text endpoint of jmx_exporter or Micrometer: metrics of Kafka's clients under their own names, and
 * {@link Groups#JVM}. What it does not know is left out. Exporters tell numbers only, so states and configurations are
 * not there; and Micrometer leaves out a client's sum where it has one for each topic.
 */
public final class PrometheusSource implements Source {
    /** The longest text that is read. */
    static final int MOST_BYTES = 64 << 20;

    private static final int OK = 200;
    private static final int BUFFER = 1 << 16;

    private final String url;
    private final HttpRequest request;
    private final int mostBytes;
    private final LongSupplier clock = System::currentTimeMillis;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NORMAL)
            .build();
    private final Timely worker;
    private volatile String step = "";

    PrometheusSource(String url, int mostBytes) {
        this.url = url;
        this.mostBytes = mostBytes;
        request = HttpRequest.newBuilder(uri(url))
                .header("Accept", "text/plain;version=0.0.4, application/openmetrics-text;version=1.0.0;q=0.9")
                .build();
        worker = new Timely("laneway-observe " + url);
    }

    /**
     * An endpoint.
     *
     * @param url such as {@code http://host:9404/metrics} or {@code http://host:8080/actuator/prometheus}
     * @throws IllegalArgumentException if it is no such URL
     */
    public static PrometheusSource of(String url) {
        return new PrometheusSource(url, MOST_BYTES);
    }

    private static URI uri(String url) {
        try {
            URI uri = new URI(url);
            String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
            if (uri.getHost() != null && List.of("http", "https").contains(scheme)) {
                return uri;
            }
        } catch (URISyntaxException malformed) {
            throw new IllegalArgumentException(
                    "Prometheus endpoint '" + url + "' is no URL (" + Reasons.of(malformed)
                            + "): give one such as http://host:9404/metrics",
                    malformed);
        }
        throw new IllegalArgumentException("Prometheus endpoint '" + url
                + "' is not http or https with a host: give one such as http://host:9404/metrics");
    }

    @Override
    public String name() {
        return url;
    }

    /**
     * Gets the text and translates it.
     *
     * @throws SourceFailure if there is no such text within the limit, if it has more than 64 MiB, or if nothing in it
     *     is known
     */
    @Override
    public Sample read(Duration limit) {
        step = "it had not begun to answer, so check host and port";
        try {
            return worker.call(limit, url, () -> step + ", or give it more time", this::readNow);
        } catch (SourceFailure told) {
            throw told;
        } catch (Exception failed) {
            throw new SourceFailure(
                    url + " cannot be read (" + Reasons.of(failed)
                            + "): check host and port, and that the exporter runs",
                    failed);
        }
    }

    private Sample readNow() throws IOException, InterruptedException {
        HttpResponse<InputStream> response = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        try (InputStream body = response.body()) {
            if (response.statusCode() != OK) {
                throw new SourceFailure(url + " answers " + response.statusCode() + ": " + remedy(response), null);
            }
            return sample(text(body));
        }
    }

    private static String remedy(HttpResponse<?> response) {
        return switch (response.statusCode()) {
            case 401, 403 -> "give an endpoint that needs no password";
            case 404 -> "give the path too: /metrics of jmx_exporter, /actuator/prometheus of Spring Boot";
            default -> "look into the log of what serves it";
        };
    }

    private String text(InputStream body) throws IOException {
        byte[] bytes = new byte[BUFFER];
        int size = 0;
        for (int read = 0; read >= 0; read = body.read(bytes, size, bytes.length - size)) {
            size += read;
            step = "it had sent " + size + " bytes";
            if (size > mostBytes) {
                throw new SourceFailure(
                        url + " sends more than " + mostBytes + " bytes: let the exporter leave out what is not Kafka's"
                                + " or the JVM's",
                        null);
            }
            if (size == bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.min(2 * size, mostBytes + 1));
            }
        }
        return new String(bytes, 0, size, StandardCharsets.UTF_8);
    }

    private Sample sample(String text) {
        PrometheusText.Parsed parsed = PrometheusText.parse(text);
        if (parsed.lines().isEmpty()) {
            String found = parsed.broken() == null ? "nothing" : "'" + Reasons.shortened(parsed.broken()) + "'";
            throw new SourceFailure(
                    url + " tells no metrics in Prometheus' text format but " + found
                            + ": give the exporter's URL, such" + " as http://host:9404/metrics",
                    null);
        }
        SampleBuilder sample = new SampleBuilder();
        long now = clock.getAsLong();
        PrometheusNames.translate(parsed.lines(), now, sample);
        if (sample.isEmpty()) {
            throw new SourceFailure(
                    url + " tells " + parsed.lines().size() + " metrics and none that is known, such as "
                            + Reasons.shortened(parsed.lines().getFirst().name()) + ": names must begin with "
                            + PrometheusNames.lookedFor() + ", as jmx_exporter without rules and Micrometer name them",
                    null);
        }
        return sample.build(url, now);
    }

    @Override
    public void close() {
        worker.close();
        client.shutdownNow();
    }
}
