package dev.laneway.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PageServerTest {
    private static final String TOKEN = "a-token-of-the-test";
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @TempDir
    Path directory;

    private final ScriptedLaneway laneway = new ScriptedLaneway();

    private static HttpResponse<String> get(Dashboard page, String path, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base(page) + path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static HttpResponse<String> act(Dashboard page, String body, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base(page) + "actions"))
                .POST(HttpRequest.BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static String base(Dashboard page) {
        return page.uri().toString().replaceFirst("#.*", "");
    }

    /** By hand: the JDK's client lets nobody set the host. */
    private static String status(Dashboard page, String host) throws IOException {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), page.uri().getPort())) {
            socket.getOutputStream()
                    .write(("GET /frame HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            return answer.substring(9, 12);
        }
    }

    @Test
    @DisplayName("B158 The page listens on loopback, with a policy that lets it load nothing from elsewhere")
    void serves() throws Exception {
        try (Dashboard page = Dashboard.of(laneway).start()) {
            assertThat(page.uri().toString()).matches("http://localhost:[0-9]+/");
            HttpResponse<String> index = get(page, "");
            assertThat(index.statusCode()).isEqualTo(200);
            assertThat(index.headers().firstValue("Content-Security-Policy").orElseThrow())
                    .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
                    .doesNotContain("unsafe");
            assertThat(index.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
            assertThat(index.body()).doesNotContain("http://", "https://", " style=", "onclick");
            for (String file : List.of("page.js", "uplot/uPlot.iife.min.js", "uplot/LICENSE", "icon.svg")) {
                assertThat(get(page, file).statusCode()).as(file).isEqualTo(200);
            }
            for (String path : List.of("none", "../pom.xml", "%2e%2e/Frame.class", "Frame.class", "events/x")) {
                assertThat(get(page, path).statusCode()).as(path).isEqualTo(404);
            }
            JsonNode frame = new ObjectMapper().readTree(get(page, "frame").body());
            assertThat(frame.get("state").asText()).isEqualTo("RUNNING");
            assertThat(act(page, "{}").statusCode()).isEqualTo(403);
        }
    }

    @Test
    @DisplayName("B158 A name that leads here by another's doing is refused; addresses and allowed names are not")
    void hosts() throws Exception {
        try (Dashboard page = Dashboard.of(laneway).allowHost("Dash.Example").start()) {
            for (String host : List.of("localhost", "127.0.0.1:80", "[::1]:80", "dash.example", "DASH.example:1")) {
                assertThat(status(page, host)).as(host).isEqualTo("200");
            }
            for (String host : List.of("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "1.2.3")) {
                assertThat(status(page, host)).as(host).isEqualTo("421");
            }
        }
    }

    @Test
    @DisplayName("B158 With a token the figures need it, the page itself does not; a guesser is slowed down")
    void token() throws Exception {
        try (Dashboard page = Dashboard.of(laneway).token(TOKEN).start()) {
            assertThat(page.uri().getFragment()).isEqualTo("token=" + TOKEN);
            assertThat(get(page, "").statusCode()).isEqualTo(200);
            assertThat(get(page, "frame").statusCode()).isEqualTo(401);
            assertThat(get(page, "events").statusCode()).isEqualTo(401);
            assertThat(get(page, "frame?token=" + TOKEN).statusCode()).isEqualTo(401);
            assertThat(get(page, "frame", "Authorization", "Bearer " + TOKEN).statusCode())
                    .isEqualTo(200);
            List<Integer> tries = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                tries.add(
                        get(page, "frame", "Authorization", "Bearer wrong" + i).statusCode());
            }
            assertThat(tries).startsWith(401).endsWith(429);
        }
    }

    @Test
    @DisplayName("B158 On any other address than loopback a token is needed without being asked for")
    void otherAddresses() throws Exception {
        try (Dashboard page =
                Dashboard.of(laneway).address(InetAddress.getByName("0.0.0.0")).start()) {
            assertThat(page.uri().getFragment()).startsWith("token=").hasSizeGreaterThan(24);
            assertThat(get(page, "frame").statusCode()).isEqualTo(401);
        }
        assertThatThrownBy(() -> Dashboard.of(laneway).token("short")).hasMessageContaining("at least 16");
        assertThatThrownBy(() -> Dashboard.of(laneway).port(70_000)).hasMessageContaining("70000");
    }

    @Test
    @DisplayName("B158 An action needs the token, our own page, and a confirmation; each is in the audit log")
    void actions() throws Exception {
        Path audit = directory.resolve("audit.log");
        Files.writeString(audit, "earlier\n");
        String[] right = {"Authorization", "Bearer " + TOKEN, "Content-Type", "application/json"};
        try (Dashboard page = Dashboard.of(laneway).token(TOKEN).actions(audit).start()) {
            String pause = "{\"action\":\"pause\",\"confirm\":\"pause\"}";
            assertThat(act(page, pause, "Content-Type", "application/json").statusCode())
                    .isEqualTo(401);
            assertThat(act(page, pause, "Authorization", "Bearer " + TOKEN, "Content-Type", "text/plain")
                            .statusCode())
                    .isEqualTo(415);
            for (String[] foreign : List.of(
                    new String[] {"Origin", "http://evil.example"},
                    new String[] {"Origin", "null"},
                    new String[] {"Sec-Fetch-Site", "cross-site"},
                    new String[] {"Sec-Fetch-Site", "same-site"})) {
                assertThat(act(page, pause, right[0], right[1], right[2], right[3], foreign[0], foreign[1])
                                .statusCode())
                        .as(foreign[1])
                        .isEqualTo(403);
            }
            assertThat(act(page, "{\"action\":\"pause\"}", right).statusCode()).isEqualTo(400);
            assertThat(act(page, "{\"action\":\"seek\",\"confirm\":\"seek\"}", right)
                            .statusCode())
                    .isEqualTo(400);
            assertThat(act(page, "no JSON", right).statusCode()).isEqualTo(400);
            assertThat(act(page, "x".repeat(70_000), right).statusCode()).isEqualTo(413);
            String other = "{\"action\":\"pause\",\"confirm\":\"pause\",\"partitions\":[\"orders-7\"]}";
            assertThat(act(page, other, right).body()).contains("not assigned");
            assertThat(laneway.calls).isEmpty();
            assertThat(act(page, pause, right).statusCode()).isEqualTo(200);
            assertThat(act(page, other.replace("orders-7", "orders-0"), right).statusCode())
                    .isEqualTo(200);
            assertThat(act(page, "{\"action\":\"resume\",\"confirm\":\"resume\"}", right)
                            .statusCode())
                    .isEqualTo(200);
            assertThat(act(page, "{\"action\":\"drain\",\"confirm\":\"drain\"}", right)
                            .statusCode())
                    .isEqualTo(202);
            await().untilAsserted(() ->
                    assertThat(laneway.calls).containsExactly("pause", "pause [orders-0]", "resume", "drain"));
            await().untilAsserted(() -> assertThat(Files.readAllLines(audit).getLast())
                    .contains("\"action\":\"drain\"", "\"result\":\"done\"", "127.0.0.1"));
        }
        List<String> lines = Files.readAllLines(audit);
        assertThat(lines.getFirst()).isEqualTo("earlier");
        assertThat(lines).anyMatch(line -> line.contains("refused: no token"));
        assertThat(lines).anyMatch(line -> line.contains("another site"));
        assertThat(lines).noneMatch(line -> line.contains(TOKEN));
    }

    @Test
    @DisplayName("B158 No action is done whose line cannot be written")
    void auditFails() throws Exception {
        Path full = Path.of("/dev/full");
        Assumptions.assumeTrue(Files.exists(full));
        try (Dashboard page = Dashboard.of(laneway).token(TOKEN).actions(full).start()) {
            HttpResponse<String> answer = act(
                    page,
                    "{\"action\":\"pause\",\"confirm\":\"pause\"}",
                    "Authorization",
                    "Bearer " + TOKEN,
                    "Content-Type",
                    "application/json");
            assertThat(answer.statusCode()).isEqualTo(500);
            assertThat(laneway.calls).isEmpty();
        }
        assertThatThrownBy(() -> Dashboard.of(laneway).actions(directory).start())
                .hasMessageContaining("append");
    }

    @Test
    @DisplayName("B156 Where looking fails the page says so at once, and goes on when it can")
    void unseen() throws Exception {
        laneway.counters = ScriptedLaneway.counters(10, 3, 0, 0);
        try (Dashboard page = Dashboard.of(laneway).start()) {
            laneway.hindrance = () -> {
                throw new IllegalStateException("nobody at home");
            };
            awaitVerdict(page, "UNKNOWN", "It cannot be looked at (IllegalStateException: nobody at home).");
            laneway.hindrance = () -> {};
            awaitVerdict(page, "HEALTHY", "keeps up");
            assertThat(get(page, "frame").body()).doesNotContain("3 failed attempts");
        }
    }

    private static void awaitVerdict(Dashboard page, String outcome, String sentence) {
        await().atMost(Duration.ofSeconds(10))
                .pollInterval(Duration.ofMillis(300))
                .untilAsserted(() -> {
                    JsonNode verdict = new ObjectMapper()
                            .readTree(get(page, "frame").body())
                            .get("verdict");
                    assertThat(verdict.get("outcome").asText()).isEqualTo(outcome);
                    assertThat(verdict.get("sentence").asText()).contains(sentence);
                });
    }

    @Test
    @DisplayName("B159 Who asks too often is told to wait, and the consumer is looked at once a second all the same")
    void rate() throws Exception {
        try (Dashboard page = Dashboard.of(laneway).start()) {
            List<Integer> answers = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                answers.add(get(page, "frame").statusCode());
            }
            assertThat(answers).contains(429).startsWith(200);
        }
    }

    @Test
    @DisplayName("B159 Watchers are bounded; one that takes nothing is cut off, and holds up no other")
    void watchers() throws Exception {
        try (Dashboard page = Dashboard.of(laneway).start()) {
            List<HttpResponse<InputStream>> open = new ArrayList<>();
            for (int i = 0; i < Broadcast.MOST_WATCHERS; i++) {
                HttpRequest request = HttpRequest.newBuilder(URI.create(base(page) + "events"))
                        .build();
                open.add(CLIENT.send(request, HttpResponse.BodyHandlers.ofInputStream()));
                assertThat(open.getLast().statusCode()).isEqualTo(200);
            }
            assertThat(get(page, "events").statusCode()).isEqualTo(503);
            open.removeFirst().body().close();
            await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
                HttpRequest request = HttpRequest.newBuilder(URI.create(base(page) + "events"))
                        .build();
                HttpResponse<InputStream> again = CLIENT.send(request, HttpResponse.BodyHandlers.ofInputStream());
                open.add(again);
                assertThat(again.statusCode()).isEqualTo(200);
            });
            for (HttpResponse<InputStream> each : open) {
                each.body().close();
            }
        }
    }

    @Test
    @DisplayName("B159 A client that sends half a request, or takes no answer, is cut off after some seconds")
    void slowClients() throws Exception {
        laneway.partitions = IntStream.range(0, 1_000)
                .mapToObj(number -> ScriptedLaneway.partition(number, 0, 1))
                .toList();
        try (Dashboard page = Dashboard.of(laneway).start();
                Socket half =
                        new Socket(InetAddress.getLoopbackAddress(), page.uri().getPort());
                Socket deaf =
                        new Socket(InetAddress.getLoopbackAddress(), page.uri().getPort())) {
            half.getOutputStream().write("GET /frame HTTP/1.1\r\nHo".getBytes(StandardCharsets.US_ASCII));
            deaf.setReceiveBufferSize(4_096);
            deaf.getOutputStream()
                    .write("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            half.setSoTimeout(40_000);
            int end;
            try {
                end = half.getInputStream().read();
            } catch (IOException reset) {
                end = -1;
            }
            assertThat(end).isEqualTo(-1);
            assertThat(get(page, "frame").statusCode()).isEqualTo(200);
        }
    }
}
