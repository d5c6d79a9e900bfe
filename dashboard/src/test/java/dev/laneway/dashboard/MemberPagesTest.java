package dev.laneway.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import dev.laneway.Laneway;
import dev.laneway.dashboard.Frame.MemberPage;
import dev.laneway.ops.GroupMember;
import dev.laneway.testkit.EmbeddedKafka;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class MemberPagesTest {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();
    private static final String TOKEN = "a-token-of-the-members";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private static GroupMember member(String client, String host) {
        return new GroupMember("id-" + client, client, host, null, Set.of());
    }

    private static GroupMember local(int port) {
        return member(Dashboard.clientId("shop", port), "/127.0.0.1");
    }

    /** Asks until there is an answer. */
    private static MemberPage answer(MemberPages pages, GroupMember member) {
        AtomicReference<MemberPage> answer = new AtomicReference<>();
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            pages.look(List.of(member), System.nanoTime());
            answer.set(pages.of(member));
            return !answer.get().why().equals("it was not asked yet");
        });
        return answer.get();
    }

    @Test
    @DisplayName("B198 The page of a member that the group names tells how it is, if the token is the right one")
    void asks() {
        try (Dashboard page = Dashboard.of(new ScriptedLaneway()).token(TOKEN).start();
                MemberPages right = new MemberPages(TOKEN);
                MemberPages wrong = new MemberPages("another-token-than-that");
                MemberPages none = new MemberPages(null)) {
            GroupMember member = local(page.uri().getPort());
            MemberPage known = answer(right, member);
            assertThat(known.why()).isEmpty();
            assertThat(known.state()).isEqualTo("RUNNING");
            assertThat(known.outcome()).isIn("UNKNOWN", "HEALTHY");
            assertThat(known.limit()).isPositive();
            assertThat(answer(wrong, member).why()).isEqualTo("its page asks for another token");
            assertThat(answer(none, member).why()).isEqualTo("its page asks for a token");
        }
    }

    @Test
    @DisplayName("B198 Whoever is silent, slow, long, or somebody else is named so, and holds up nothing")
    void hostile() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger led = new AtomicInteger();
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                MemberPages pages = new MemberPages(TOKEN)) {
            assertThat(answer(pages, local(silent.getLocalPort())).why())
                    .isEqualTo("its page does not answer within 2 s");
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
            server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
            AtomicReference<String> mood = new AtomicReference<>("slow");
            server.createContext("/", exchange -> {
                try (exchange;
                        OutputStream out = exchange.getResponseBody()) {
                    switch (mood.get()) {
                        case "slow" -> {
                            exchange.sendResponseHeaders(200, 0);
                            out.write('{');
                            out.flush();
                            end.await(30, TimeUnit.SECONDS);
                        }
                        case "long" -> {
                            exchange.sendResponseHeaders(200, 0);
                            out.write(new byte[10_000_000]);
                        }
                        case "leads" -> {
                            led.addAndGet(exchange.getRequestURI().getPath().equals("/elsewhere") ? 1 : 0);
                            exchange.getResponseHeaders().set("Location", "/elsewhere");
                            exchange.sendResponseHeaders(302, -1);
                        }
                        default -> {
                            byte[] body = mood.get().getBytes(StandardCharsets.UTF_8);
                            exchange.sendResponseHeaders(200, body.length);
                            out.write(body);
                        }
                    }
                } catch (InterruptedException ended) {
                    Thread.currentThread().interrupt();
                }
            });
            server.start();
            try {
                GroupMember member = local(server.getAddress().getPort());
                assertThat(answer(pages, member).why()).isEqualTo("its page does not answer within 2 s");
                assertThat(fresh(mood, "long", member).why()).startsWith("its page cannot be read");
                assertThat(fresh(mood, "leads", member).why()).isEqualTo("its page answers 302");
                assertThat(led).hasValue(0);
                assertThat(fresh(mood, "<html>", member).why()).isEqualTo("what answers there is no page of a member");
                assertThat(fresh(mood, "{}", member).why()).isEqualTo("what answers there is no page of a member");
                assertThat(fresh(mood, "{\"verdict\": {\"outcome\": \"" + "x".repeat(5_000) + "\"}}", member)
                                .outcome())
                        .hasSize(500);
            } finally {
                end.countDown();
                server.stop(0);
            }
            GroupMember gone = local(server.getAddress().getPort());
            try (MemberPages others = new MemberPages(null)) {
                assertThat(answer(others, gone).why()).startsWith("nobody listens at port ");
            }
        }
    }

    private static MemberPage fresh(AtomicReference<String> mood, String now, GroupMember member) {
        mood.set(now);
        try (MemberPages pages = new MemberPages(TOKEN)) {
            return answer(pages, member);
        }
    }

    @Test
    @DisplayName("B198 Nobody is asked whom the group does not name by an address and a port, and nobody too often")
    void limits() throws Exception {
        AtomicInteger requests = new AtomicInteger();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.createContext("/", exchange -> {
            requests.incrementAndGet();
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
        int port = server.getAddress().getPort();
        try (MemberPages pages = new MemberPages(TOKEN)) {
            GroupMember byName = member("shop.page-" + port, "localhost");
            GroupMember byAll = member("shop.page-" + port, "/0.0.0.0");
            GroupMember noPort = member("shop-" + port, "/127.0.0.1");
            long now = 1;
            pages.look(List.of(byName, byAll, noPort), now);
            assertThat(pages.of(byName).why()).isEqualTo("its host is no address that can be asked");
            assertThat(pages.of(byAll).why()).isEqualTo("its host is no address that can be asked");
            assertThat(pages.of(noPort).why()).isEqualTo("its client id names no page");
            assertThat(requests).hasValue(0);
            GroupMember member = local(port);
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                pages.look(List.of(member, member), now);
                return !pages.of(member).why().equals("it was not asked yet");
            });
            for (int second = 0; second < 9; second++) { // What has failed is asked again after ten.
                pages.look(List.of(member), now + second * 1_000_000_000L);
            }
            assertThat(requests).hasValue(1);
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                pages.look(List.of(member), now + 10_000_000_001L);
                return requests.get() == 2;
            });
        } finally {
            server.stop(0);
        }
        assertThat(MemberPages.port("shop.page-8080")).hasValue(8080);
        assertThat(MemberPages.port("shop.page-8080-1")).hasValue(8080);
        assertThat(MemberPages.port("page-1")).hasValue(1);
        assertThat(MemberPages.port("homepage-80")).isEmpty();
        assertThat(MemberPages.port("shop.page-65536")).isEmpty();
        assertThat(MemberPages.port("shop.page-80a")).isEmpty();
    }

    @Test
    @DisplayName("B198 The page of a group shows each member as its own page does, by its client id alone")
    void fleet() throws Exception {
        String topic = "fleet-" + UUID.randomUUID();
        KAFKA.createTopic(topic, 2);
        KAFKA.produce(List.of(new ProducerRecord<>(topic, 0, null, new byte[1])));
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Map<String, Object> config = Map.of(
                "bootstrap.servers",
                KAFKA.bootstrapServers(),
                "group.id",
                topic,
                "client.id",
                Dashboard.clientId("shop", port),
                "auto.offset.reset",
                "earliest");
        try (Laneway running = Laneway.consumer(config).subscribe(topic).process(record -> {});
                Dashboard own = Dashboard.of(running).port(port).token(TOKEN).start();
                Admin admin = Admin.create(Map.of("bootstrap.servers", KAFKA.bootstrapServers()));
                Dashboard fleet = Dashboard.ofGroup(admin, topic, List.of())
                        .askMembers(TOKEN)
                        .start()) {
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                JsonNode member = frame(fleet).path("members").path(0);
                assertThat(member.path("client").asText()).endsWith(".page-" + port);
                assertThat(member.path("page").path("state").asText()).isEqualTo("RUNNING");
                assertThat(member.path("page").path("why").asText()).isEmpty();
            });
            end(own);
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                JsonNode member = frame(fleet).path("members").path(0);
                assertThat(member.path("page").path("why").asText()).isEqualTo("nobody listens at port " + port);
            });
        }
    }

    private static void end(Dashboard page) {
        page.close();
    }

    private static JsonNode frame(Dashboard page) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(page.uri() + "frame")).build();
        return MAPPER.readTree(HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body());
    }
}
