package dev.laneway.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;

/**
 * Debian's Prometheus as a process of its own, on a port of loopback that it chooses itself. It scrapes one address and
 * evaluates one file of rules each second, and is ended by its handle.
 */
final class PrometheusServer implements AutoCloseable {
    private static final Path PROGRAM = Path.of("/usr/bin/prometheus");
    private static final Pattern LISTENS = Pattern.compile("msg=\"Listening on\".*address=(127\\.0\\.0\\.1:\\d+)");
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Process process;
    private final HttpClient client = HttpClient.newHttpClient();
    private final CompletableFuture<String> address = new CompletableFuture<>();

    private PrometheusServer(Process process) {
        this.process = process;
        Thread.ofVirtual().start(this::readLog);
    }

    /**
     * Starts it, and returns when it answers; the test is left out where there is none.
     *
     * @param folder for its configuration and its data
     * @param target host and port of what is scraped
     */
    static PrometheusServer start(Path folder, String target, Path rules) throws Exception {
        Assumptions.assumeTrue(Files.isExecutable(PROGRAM), "Prometheus comes with Debian's package prometheus");
        Path config =
                Files.writeString(folder.resolve("prometheus.yml"), """
                    global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}
                    rule_files: ["%s"]
                    scrape_configs:
                      - job_name: shop
                        static_configs: [{targets: ["%s"]}]
                    """.formatted(rules.toAbsolutePath(), target));
        Process process = new ProcessBuilder(
                        PROGRAM.toString(),
                        "--config.file=" + config,
                        "--storage.tsdb.path=" + folder.resolve("data"),
                        "--web.listen-address=127.0.0.1:0")
                .redirectErrorStream(true)
                .start();
        PrometheusServer server = new PrometheusServer(process);
        try {
            server.address.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            return server;
        } catch (Exception failure) {
            server.close();
            throw failure;
        }
    }

    private void readLog() {
        StringBuilder log = new StringBuilder();
        try (var lines = process.inputReader(UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Matcher listens = LISTENS.matcher(line);
                if (listens.find()) {
                    address.complete(listens.group(1));
                }
                if (!address.isDone()) {
                    log.append(line).append('\n');
                }
            }
        } catch (IOException ended) {
            log.append(ended);
        }
        address.completeExceptionally(new IllegalStateException("Prometheus has ended: " + log));
    }

    /** Whether it has read its configuration and its data. */
    boolean isReady() throws IOException, InterruptedException {
        return get("/-/ready").statusCode() == 200;
    }

    /** What a query returns now. */
    JsonNode query(String text) throws IOException, InterruptedException {
        return data("/api/v1/query?query=" + URLEncoder.encode(text, UTF_8)).get("result");
    }

    /** The data of an answer of its API. */
    JsonNode data(String path) throws IOException, InterruptedException {
        HttpResponse<String> answer = get(path);
        JsonNode root = new ObjectMapper().readTree(answer.body());
        if (answer.statusCode() != 200 || !root.get("status").asText().equals("success")) {
            throw new AssertionError(path + ": " + answer.body());
        }
        return root.get("data");
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + address.join() + path))
                .timeout(LIMIT)
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    @Override
    public void close() {
        client.shutdownNow();
        process.destroy();
        process.onExit()
                .completeOnTimeout(process, LIMIT.toSeconds(), TimeUnit.SECONDS)
                .join();
        process.destroyForcibly(); // Does nothing to one that has ended.
    }
}
