package dev.laneway.cli.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.cli.live.FrameSource.Reading;
import dev.laneway.cli.live.TopPicture.Room;
import dev.laneway.cli.live.TopView.Sorting;
import dev.laneway.cli.live.TopView.Subject;
import dev.laneway.cli.program.Stop;
import dev.laneway.dashboard.Dashboard;
import dev.laneway.dashboard.LiveFrames;
import dev.laneway.testkit.EmbeddedKafka;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jline.terminal.Attributes;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.AttributedString;
import org.jline.utils.NonBlocking;
import org.jline.utils.NonBlockingReader;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopPictureTest {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final String FRAME = """
        {"name": "shop", "at": 100000, "state": "Stable", "partitions": 3,
         "verdict": {"outcome": "BROKEN", "cause": "STUCK_KEY", "since": 88000, "blame": "orders-1",
           "sentence": "Broken: a record of a partition is unfinished for 12 s, 30 times as long as others take.",
           "remedy": "Look at what its handler waits for.", "evidence": ["offset 42", "others take 0.4 s"]},
         "totals": {"done": 1234.5, "appended": 2000.0, "lag": 123456, "ageLow": 11.0, "ageHigh": 13.0,
           "clears": false, "running": 7, "limit": 100, "busy": 0.07, "held": 12, "heldBytes": 1200000},
         "rows": [
           {"id": "orders-1", "lag": 100000, "done": 0.0, "hold": 10,
            "heldBy": "a record is stuck", "why": "offset 42"},
           {"id": "orders-0", "lag": 3, "done": 900.0, "hold": 0, "heldBy": "nothing", "why": ""},
           {"id": "payments.of.a.topic.with.a.very.long.name-12", "lag": 23453, "done": 334.5, "hold": 4,
            "heldBy": "waits for a free worker", "why": "all workers are busy"}],
         "members": [{"client": "evil\\u001b[2Jclient\\u202e", "host": "/10.0.0.1", "partitions": 3, "lag": 5}],
         "unfinished": [{"id": "orders-1", "offset": 42, "for": 12.3, "attempts": 3,
           "error": "java.io.IOException", "stack": []}],
         "latencies": [{"name": "handler", "count": 9, "half": 0.0041, "p95": 0.02, "p99": 0.05, "most": 3.0}],
         "events": [{"n": 1, "at": 90000, "kind": "failure", "text": "3 failed attempts"},
           {"n": 2, "at": 95000, "kind": "rebalance", "text": "state Stable, was Empty"}],
         "remarks": ["Also seen: \\u4e2d\\u6587\\u4e2d\\u6587\\u4e2d\\u6587\\u4e2d\\u6587\\u4e2d\\u6587\\u4e2d\\u6587"]}
        """;

    private static Reading reading() throws IOException {
        return new Reading(MAPPER.readTree(FRAME), "");
    }

    private static List<String> text(TopPicture picture) {
        return picture.lines().stream().map(AttributedString::toString).toList();
    }

    @ParameterizedTest(name = "{0} columns, {1} rows")
    @CsvSource({"1, 1", "5, 2", "20, 5", "40, 12", "40, 24", "60, 24", "80, 24", "132, 43", "300, 100"})
    @DisplayName("B197 a picture is never wider or higher than the terminal, and the verdict stands first")
    void fits(int columns, int rows) throws IOException {
        for (Subject subject : Subject.values()) {
            for (boolean help : new boolean[] {true, false}) {
                TopView view = new TopView(subject, Sorting.WORST, 0, help);
                TopPicture picture =
                        TopPicture.of(reading(), view, new TopTrail(), new Room(columns, rows, true, true), 101_000);
                assertThat(picture.lines()).hasSizeLessThanOrEqualTo(rows);
                assertThat(picture.lines())
                        .allSatisfy(line -> assertThat(line.columnLength()).isLessThanOrEqualTo(columns));
                if (columns >= 40 && rows >= 12) {
                    assertThat(text(picture).getFirst()).startsWith(" BROKEN ");
                    assertThat(text(picture).get(1)).startsWith("A record of a partition");
                    assertThat(String.join("\n", text(picture)))
                            .contains("to blame: orders-1", "Look at what its handler", "lag 123.5k", "7/100");
                }
            }
        }
    }

    @Test
    @DisplayName("B197 what a member calls itself can neither move the cursor nor turn the direction of writing")
    void harmless() throws IOException {
        TopView members = new TopView(Subject.MEMBERS, Sorting.WORST, 0, false);
        List<String> lines =
                text(TopPicture.of(reading(), members, new TopTrail(), new Room(80, 24, true, true), 101_000));
        assertThat(String.join("\n", lines)).contains("evil?[2Jclient?").doesNotContain("\u001b", "\u202e");
    }

    @Test
    @DisplayName("B197 without colours no line has one, and without block characters all is ASCII")
    void plain() throws IOException {
        TopTrail trail = new TopTrail();
        trail.add(MAPPER.readTree(FRAME));
        TopPicture picture = TopPicture.of(reading(), TopView.FIRST, trail, new Room(80, 24, false, false), 101_000);
        for (AttributedString line : picture.lines()) {
            assertThat(line.toAnsi()).doesNotContainPattern("\u001b\\[[0-9;]*[34][0-7]");
            assertThat(line.toString()).matches("\\p{ASCII}*");
        }
        TopPicture colours = TopPicture.of(reading(), TopView.FIRST, trail, new Room(80, 24, true, true), 101_000);
        assertThat(colours.lines().getFirst().toAnsi()).containsPattern("\u001b\\[[0-9;]*31");
    }

    @Test
    @DisplayName("B197 keys sort, scroll no further than the list, and show other lists")
    void keys() throws IOException {
        TopView view = TopView.FIRST.after(TopView.Key.LAG, 3, 10);
        assertThat(ids(view)).containsExactly("orders-1", "~g.name-12", "orders-0");
        assertThat(ids(view.after(TopView.Key.RATE, 3, 10))).containsExactly("orders-0", "~g.name-12", "orders-1");
        assertThat(ids(view.after(TopView.Key.NAME, 3, 10))).containsExactly("orders-0", "orders-1", "~g.name-12");
        assertThat(view.after(TopView.Key.PAGE_DOWN, 30, 10)
                        .after(TopView.Key.PAGE_DOWN, 30, 10)
                        .after(TopView.Key.PAGE_DOWN, 30, 10)
                        .first())
                .isEqualTo(20);
        assertThat(view.after(TopView.Key.UP, 30, 10).first()).isZero();
        assertThat(view.after(TopView.Key.PREVIOUS_SUBJECT, 3, 10).subject()).isEqualTo(Subject.EVIDENCE);
        assertThat(view.after(TopView.Key.HELP, 3, 10).isHelp()).isTrue();
        assertThat(pressed("\u001b[B\u001bOA\u001b[6~\u001b[Z\tq"))
                .containsExactly(
                        TopView.Key.DOWN,
                        TopView.Key.UP,
                        TopView.Key.PAGE_DOWN,
                        TopView.Key.PREVIOUS_SUBJECT,
                        TopView.Key.NEXT_SUBJECT,
                        TopView.Key.QUIT,
                        TopView.Key.QUIT);
    }

    @ParameterizedTest
    @CsvSource({"40, attempt", "60, java.io.IOException"})
    @DisplayName("B197 records that are unfinished are listed with attempts and failure, and how long others took")
    void records(int columns, String seen) throws IOException {
        TopView records = new TopView(Subject.RECORDS, Sorting.WORST, 0, false);
        List<String> lines =
                text(TopPicture.of(reading(), records, new TopTrail(), new Room(columns, 24, false, false), 101_000));
        assertThat(String.join("\n", lines))
                .contains("unfinished records", "orders-1@42", " 12 s ", seen)
                .contains("handler: half 4.1 ms, 99 % 50 ms");
    }

    private static List<String> ids(TopView view) throws IOException {
        return TopList.of(MAPPER.readTree(FRAME), view, 48).rows().stream()
                .map(row -> row.text().substring(0, row.text().indexOf(' ')))
                .map(id -> id.length() > 10 ? "~" + id.substring(id.length() - 9) : id)
                .toList();
    }

    private static List<TopView.Key> pressed(String typed) throws IOException {
        List<TopView.Key> pressed = new ArrayList<>();
        try (NonBlockingReader reader = NonBlocking.nonBlocking("typed", new StringReader(typed))) {
            TopKeys keys = new TopKeys(reader);
            while (!pressed.contains(TopView.Key.QUIT)) {
                pressed.add(keys.next(30_000));
            }
            pressed.add(keys.next(30_000)); // It has hung up.
        }
        return pressed;
    }

    private static Terminal terminal(InputStream in, OutputStream out) throws IOException {
        return TerminalBuilder.builder()
                .name("test")
                .type("xterm")
                .system(false)
                .streams(in, out)
                .encoding(StandardCharsets.UTF_8)
                .size(Size.of(60, 24))
                .build();
    }

    @Test
    @DisplayName(
            "B197 on a terminal figures of a group move, resizing redraws, q ends it, and the terminal is as before")
    void moves() throws Exception {
        String topic = "top-" + UUID.randomUUID();
        KAFKA.createTopic(topic, 1);
        KAFKA.produce(List.of(new ProducerRecord<>(topic, 0, null, new byte[1])));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", KAFKA.bootstrapServers()));
                PipedOutputStream typed = new PipedOutputStream();
                PipedInputStream in = new PipedInputStream(typed)) {
            admin.alterConsumerGroupOffsets(topic, Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(0)))
                    .all()
                    .get();
            Terminal terminal = terminal(in, out);
            Attributes before = terminal.getAttributes();
            Stop stop = new Stop();
            try (FrameSource source = new OwnFrames(LiveFrames.ofGroup(admin, topic, List.of()))) {
                CompletableFuture<Long> frames = CompletableFuture.supplyAsync(() -> {
                    try (TopScreen screen = new TopScreen(terminal, false, true)) {
                        long seen = screen.run(source, stop, Duration.ofMinutes(2));
                        screen.restore();
                        await().atMost(Duration.ofSeconds(60))
                                .until(() ->
                                        out.toString(StandardCharsets.UTF_8).contains("\u001b[?1049l"));
                        assertThat(terminal.getAttributes().getLocalFlags()).isEqualTo(before.getLocalFlags());
                        return seen;
                    } catch (IOException failed) {
                        throw new AssertionError(failed);
                    }
                });
                await().atMost(Duration.ofSeconds(60)).until(() -> shown(out).contains("lag 1"));
                KAFKA.produce(List.of(
                        new ProducerRecord<>(topic, 0, null, new byte[1]),
                        new ProducerRecord<>(topic, 0, null, new byte[1])));
                // Only what changes is drawn again: behind the word that stays, another number.
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> source.latest()
                                        .frame()
                                        .path("totals")
                                        .path("lag")
                                        .asLong()
                                == 3);
                out.reset();
                terminal.setSize(Size.of(40, 20));
                await().atMost(Duration.ofSeconds(60)).until(() -> shown(out).contains("lag 3"));
                typed.write('q');
                typed.flush();
                assertThat(frames.get(60, TimeUnit.SECONDS)).isPositive();
            }
        }
    }

    private static String shown(ByteArrayOutputStream out) {
        return out.toString(StandardCharsets.UTF_8).replaceAll("\u001b\\[[0-9;?]*[A-Za-z]", "");
    }

    @Test
    @DisplayName("B197 a page that is gone is told, with the age of what is shown; a wrong token is told, too")
    void gone() throws Exception {
        String topic = "top-" + UUID.randomUUID();
        KAFKA.createTopic(topic, 1);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", KAFKA.bootstrapServers()))) {
            String token = "0123456789abcdef0123";
            Dashboard page =
                    Dashboard.ofGroup(admin, topic, List.of()).token(token).start();
            try (page;
                    FrameSource wrong = new PageFrames(page.uri().toString().replaceFirst("0123$", "3210"), null);
                    FrameSource right = new PageFrames(page.uri().toString(), null)) {
                await().atMost(Duration.ofSeconds(60))
                        .untilAsserted(() -> assertThat(wrong.latest().trouble())
                                .contains("answers 401", "token")
                                .doesNotContain("3210"));
                await().atMost(Duration.ofSeconds(60))
                        .untilAsserted(() -> assertThat(right.latest().frame()).isNotNull());
                assertThat(right.latest().frame().path("name").asText()).isEqualTo(topic);
                end(page);
                await().atMost(Duration.ofSeconds(60))
                        .untilAsserted(
                                () -> assertThat(right.latest().trouble()).contains("Nobody listens"));
                long at = right.latest().frame().path("at").asLong();
                TopPicture picture = TopPicture.of(
                        right.latest(), TopView.FIRST, new TopTrail(), new Room(60, 24, false, false), at + 7_000);
                assertThat(text(picture).stream().limit(5).collect(Collectors.joining(" ")))
                        .contains("Nobody listens", "7.0 s", "old");
            }
        }
    }

    private static void end(Dashboard page) {
        page.close();
    }

    @Test
    @DisplayName("B197 a broker that is gone is the verdict, and no failure")
    void brokerGone() throws Exception {
        try (Admin admin = Admin.create(Map.of(
                        "bootstrap.servers", "localhost:1",
                        "default.api.timeout.ms", "1000",
                        "request.timeout.ms", "1000"));
                FrameSource source = new OwnFrames(LiveFrames.ofGroup(admin, "g", List.of()))) {
            JsonNode frame = source.latest().frame();
            assertThat(frame).isNotNull();
            assertThat(frame.path("verdict").path("outcome").asText()).isNotEqualTo("HEALTHY");
            assertThat(frame.path("verdict").path("cause").asText()).isEqualTo("BROKER_AWAY");
            TopPicture picture =
                    TopPicture.of(source.latest(), TopView.FIRST, new TopTrail(), new Room(40, 24, false, false), 0);
            assertThat(text(picture).getFirst()).startsWith(" BROKEN ");
        }
    }
}
