package dev.laneway.orders;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.cli.program.Jvm;
import dev.laneway.ops.scale.Decision.Action;
import dev.laneway.ops.scale.DecisionLogReader;
import dev.laneway.ops.scale.LogEntry;
import dev.laneway.ops.scale.SourceLoad;
import dev.laneway.testkit.EmbeddedKafka;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A quarter of an hour of autoscaling: the order tracker under a load that goes up and down, while the autoscaler, a
 * member and the broker die. Each record waits, so that members really do more together on one machine. Runs with
 * {@code ./laneway test --long}, and leaves a recording in target/autoscale-live.md.
 */
@Tag("long")
class AutoscaleLiveTest {
    private static final String GROUP = "order-tracker";
    private static final String PARTITIONS = "12";
    private static final int MOST = 4;
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final int ROW_SECONDS = 30;
    private static final double GOAL_SECONDS = 60;
    private static final List<String> JVM_OPTIONS =
            List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx192m", "--enable-native-access=ALL-UNNAMED");

    /** Not among temporary files: state that lies there is a finding of its own. */
    private final Path directory =
            Path.of("target", "autoscale-" + ProcessHandle.current().pid());

    private final Path log = directory.resolve("decisions.jsonl");
    private final PipedOutputStream rates = new PipedOutputStream();
    private final List<String> rows = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private long startMillis;
    private int rate;
    private EmbeddedKafka kafka;
    private Jvm autoscaler;
    private Cli load;

    @BeforeEach
    void start() throws IOException {
        Files.createDirectories(directory);
        kafka = EmbeddedKafka.start();
    }

    @AfterEach
    void end() throws Exception {
        if (load != null) {
            int _ = load.end();
        }
        if (autoscaler != null) {
            autoscaler.kill();
            autoscaler.await(Duration.ofSeconds(5));
        }
        for (ProcessHandle member : members()) {
            member.destroyForcibly();
            Awaitility.await().atMost(LIMIT).until(() -> !member.isAlive());
        }
        kafka.close();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private void startAutoscaler() {
        List<String> verb = new ArrayList<>(List.of(
                "autoscale",
                "run",
                "--bootstrap",
                kafka.bootstrapServers(),
                "--group",
                GROUP,
                "--log",
                log.toString(),
                "--mode",
                "act",
                "--window",
                "40s",
                "--set",
                "replicas.max=" + MOST,
                "--set",
                "latency.goal.seconds=" + (int) GOAL_SECONDS,
                "--set",
                "restart.seconds=20",
                "--set",
                "cool.down.seconds=20",
                "--set",
                "down.interval.seconds=60",
                "--set",
                "down.interval.restarts=2",
                "--"));
        verb.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        verb.addAll(JVM_OPTIONS);
        verb.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        verb.addAll(List.of("orders", "run", "--bootstrap", kafka.bootstrapServers(), "--partitions", PARTITIONS));
        verb.addAll(List.of("--threads", "1", "--standbys", "0", "--service", "10ms"));
        verb.addAll(List.of("--state-dir", directory.resolve("state").toString()));
        verb.addAll(List.of("--property", "commit.interval.ms=5000"));
        autoscaler = Jvm.start(dev.laneway.cli.Main.class, JVM_OPTIONS, verb, directory.resolve("autoscaler.log"));
    }

    /** Members that run now. */
    private List<ProcessHandle> members() throws IOException {
        Path pids = Path.of(log + ".members");
        if (!Files.isDirectory(pids)) {
            return List.of();
        }
        List<ProcessHandle> members = new ArrayList<>();
        try (Stream<Path> files = Files.list(pids)) {
            for (Path file : files.filter(file -> file.toString().endsWith(".pid"))
                    .sorted()
                    .toList()) {
                ProcessHandle.of(Long.parseLong(Files.readString(file).strip()))
                        .filter(ProcessHandle::isAlive)
                        .ifPresent(members::add);
            }
        }
        return members;
    }

    private void rate(int perSecond) throws IOException {
        rate = perSecond;
        rates.write((perSecond + "\n").getBytes(StandardCharsets.UTF_8));
        rates.flush();
        tell("the load is " + perSecond + " records/s");
    }

    private void tell(String what) {
        told.add(clock(System.currentTimeMillis()) + " " + what);
    }

    private String clock(long millis) {
        long seconds = (millis - startMillis) / 1_000;
        return String.format(Locale.ROOT, "%d:%02d", seconds / 60, seconds % 60);
    }

    private List<LogEntry> entries() {
        return Files.exists(log) ? new DecisionLogReader(log).between(startMillis, Long.MAX_VALUE) : List.of();
    }

    private static void let(Duration time) {
        Awaitility.await().pollDelay(time).atMost(time.plus(LIMIT)).until(() -> true);
    }

    /** Lets time pass, and notes what there is. */
    private void pass(int seconds) throws Exception {
        for (int passed = 0; passed < seconds; passed += ROW_SECONDS) {
            let(Duration.ofSeconds(ROW_SECONDS));
            LogEntry last = entries().getLast();
            double lag = last.inputs().sources().stream()
                    .mapToDouble(SourceLoad::lag)
                    .sum();
            rows.add(String.format(
                    Locale.ROOT,
                    "| %s | %d | %.0f | %d | %d |",
                    clock(System.currentTimeMillis()),
                    rate,
                    lag,
                    members().size(),
                    last.decision().to().members()));
        }
    }

    /** By what each decision knew: how long what waits takes at the rate at which records come. */
    private static double behindSeconds(LogEntry entry) {
        double lag =
                entry.inputs().sources().stream().mapToDouble(SourceLoad::lag).sum();
        double come = entry.inputs().sources().stream()
                .mapToDouble(SourceLoad::appendRate)
                .sum();
        return come <= 0 ? 0 : lag / come;
    }

    @Test
    @DisplayName("a load that goes up and down is followed, though the autoscaler, a member and the broker die")
    void follows() throws Exception {
        startMillis = System.currentTimeMillis();
        List<String> generate =
                List.of("orders", "generate", "--bootstrap", kafka.bootstrapServers(), "--partitions", PARTITIONS);
        load = Cli.start(
                new PipedInputStream(rates),
                Stream.concat(generate.stream(), Stream.of("--rate", "50", "--in-flight", "1000"))
                        .toList());
        rate = 50;
        tell("the load is 50 records/s, and the autoscaler starts");
        startAutoscaler();
        Awaitility.await().atMost(LIMIT).until(() -> !entries().isEmpty());
        pass(120);
        rate(120);
        pass(90);
        tell("the autoscaler is killed");
        autoscaler.kill();
        List<ProcessHandle> before = members();
        let(Duration.ofSeconds(20));
        assertThat(members()).as("members outlive it").isEqualTo(before);
        tell("another autoscaler starts");
        startAutoscaler();
        pass(60);
        rate(220);
        pass(120);
        ProcessHandle victim = members().getFirst();
        tell("a member is killed");
        victim.destroyForcibly();
        pass(120);
        int most = members().size();
        tell("the broker stops");
        long stopped = System.currentTimeMillis();
        kafka.stop(1);
        let(Duration.ofSeconds(40));
        kafka.start(1);
        long started = System.currentTimeMillis();
        tell("the broker is back");
        pass(90);
        rate(50);
        pass(240);

        record();
        List<LogEntry> all = entries();
        assertThat(most).as("members under 220 records/s of 10 ms each").isBetween(3, MOST);
        assertThat(members()).as("members in the end").hasSizeLessThan(most);
        assertThat(all.stream().map(entry -> entry.decision().to().members())).allMatch(to -> to >= 1 && to <= MOST);
        assertThat(all)
                .as("nothing is changed while the broker is away")
                .filteredOn(entry -> entry.decision().atMillis() > stopped + 5_000
                        && entry.decision().atMillis() < started)
                .allMatch(entry -> entry.decision().action() == Action.HOLD);
        assertThat(all)
                .as("seconds behind, but for the time from the broker's end to two minutes after it is back")
                .filteredOn(entry -> entry.decision().atMillis() < stopped
                        || entry.decision().atMillis() > started + 120_000)
                .allSatisfy(entry -> assertThat(behindSeconds(entry)).isLessThan(GOAL_SECONDS));
        assertThat(all.stream().filter(entry -> entry.decision().action() == Action.UP))
                .as("steps up")
                .hasSizeGreaterThanOrEqualTo(2);
        assertThat(all.stream().filter(entry -> entry.decision().action() == Action.DOWN))
                .as("steps down")
                .isNotEmpty();
        assertThat(all)
                .as("its own changes are no storm")
                .filteredOn(entry -> entry.decision().atMillis() < stopped)
                .noneMatch(entry -> entry.decision().sentence().contains("again and again"));
        assertThat(autoscaler.isAlive()).as(autoscaler.lastWords()).isTrue();
    }

    private void record() throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add("| time | records/s | lag | members that run | members wanted |");
        lines.add("|---|---|---|---|---|");
        lines.addAll(rows);
        lines.add("");
        entries().stream()
                .filter(entry -> entry.decision().isChange())
                .forEach(entry -> told.add(clock(entry.decision().atMillis()) + " "
                        + entry.decision().sentence()));
        told.sort(Comparator.comparingInt(AutoscaleLiveTest::seconds));
        lines.addAll(told);
        lines.add("");
        lines.addAll(Files.readAllLines(directory.resolve("autoscaler.log")));
        Files.write(Path.of("target", "autoscale-live.md"), lines);
    }

    private static int seconds(String line) {
        String[] clock = line.substring(0, line.indexOf(' ')).split(":", 2);
        return 60 * Integer.parseInt(clock[0]) + Integer.parseInt(clock[1]);
    }
}
