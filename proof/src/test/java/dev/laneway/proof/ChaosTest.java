package dev.laneway.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.cli.program.Jvm;
import dev.laneway.cli.program.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The shortest chaos that still hits everything, and its end by a signal. */
@Execution(ExecutionMode.CONCURRENT) // It mostly waits for its processes.
class ChaosTest {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    @TempDir
    private Path directory;

    @Test
    @Execution(ExecutionMode.SAME_THREAD)
    @DisplayName("B4 B18 B19 B38 B51 B87 B88 brokers and members are killed and cut off: nothing is lost or out of"
            + " order, and each duplicate is explained")
    void survives() throws Exception {
        Path kept = directory.resolve("chaos");
        Cli cli = Cli.run(
                "chaos",
                "--minutes",
                "1",
                "--every",
                "2s",
                "--rate",
                "500",
                "--seed",
                "7",
                "--directory",
                kept.toString(),
                "--json",
                "-");
        assertThat(cli.code()).as(cli.err() + cli.out()).isZero();
        JsonNode report = report(cli);
        assertThat(report.fieldNames()).toIterable().containsExactlyElementsOf(CliDoc.keys("chaos"));
        assertThat(report.get("records").asLong()).isGreaterThan(10_000);
        for (Findings.Kind kind : Findings.Kind.values()) {
            assertThat(report.get(kind.label()).asLong()).as(kind.label()).isZero();
        }
        assertThat(report.get("source_faults").asLong()).isZero();
        assertThat(report.get("committed_equals_end").asBoolean()).isTrue();
        assertThat(report.get("member_failures").asLong()).isZero();
        long brokers = 0;
        for (Fault.Kind kind : Fault.Kind.values()) {
            long times = report.get(kind.label()).asLong();
            if (kind.isSpecial()) {
                assertThat(times).as(kind.label()).isZero();
                continue;
            }
            brokers += kind.hitsBrokers() ? times : 0;
            assertThat(times).as(kind.label()).isGreaterThanOrEqualTo(kind.hitsBrokers() ? 0 : 1);
        }
        // One after the other, each when all replicas are in sync again, which takes its time on a busy machine.
        assertThat(brokers).isPositive();
        // What was checked was really there to be checked.
        assertThat(report.get("assignments").asLong()).isGreaterThan(12);
        assertThat(report.get("commits").asLong()).isGreaterThan(100);
        assertThat(report.get("copies").asLong())
                .isGreaterThanOrEqualTo(report.get("records").asLong());
        assertThat(cli.err()).contains("kill -9 of member", "network of member", "All is well");
        assertThat(kept).isDirectory();
    }

    @Test
    @Execution(ExecutionMode.SAME_THREAD)
    @DisplayName("B4 B38 leaders move from broker to broker: nothing is lost, and nothing is repeated without a cause")
    void survivesMovedLeaders() throws Exception {
        // By itself: beside faults that take brokers away, a move waits for its turn, on a busy machine for long.
        Cli cli = brief(3, "--move-leaders");
        assertThat(report(cli).get(Fault.Kind.MOVE_LEADERS.label()).asLong()).isPositive();
        assertThat(cli.err()).contains(" partitions have moved", " move_leaders", "All is well");
    }

    @Test
    @Execution(ExecutionMode.SAME_THREAD)
    @DisplayName("B18 members that process exactly-once are killed: each record has one committed copy, in key order")
    void survivesExactlyOnce() throws Exception {
        JsonNode report = report(brief(1, "--exactly-once", "--kill-members"));
        assertThat(report.get("mode").asText()).isEqualTo("exactly_once");
        assertThat(report.get("copies").asLong())
                .isEqualTo(report.get("records").asLong());
    }

    @Test
    @Execution(ExecutionMode.SAME_THREAD)
    @DisplayName("B91 B92 members of a share group are killed: nothing is lost, and each duplicate is explained")
    void survivesInAShareGroup() throws Exception {
        JsonNode report = report(brief(1, "--share", "--kill-members"));
        assertThat(report.get("mode").asText()).isEqualTo("share");
        assertThat(report.get("commits").asLong())
                .isGreaterThan(report.get("records").asLong() / 2);
    }

    /** Fifteen seconds with the given faults and members. */
    private static Cli brief(int brokers, String... options) throws Exception {
        List<String> args = new ArrayList<>(List.of("chaos", "--minutes", "0.25", "--every", "3s", "--rate", "200"));
        args.addAll(List.of("--brokers", Integer.toString(brokers), "--members", "2", "--json", "-"));
        args.addAll(List.of(options));
        Cli cli = Cli.run(args.toArray(String[]::new));
        assertThat(cli.code()).as(cli.err() + cli.out()).isZero();
        assertThat(report(cli).get("records").asLong()).isGreaterThan(1_000);
        return cli;
    }

    private static JsonNode report(Cli cli) throws IOException {
        return new ObjectMapper().readTree(cli.out());
    }

    @Test
    @Execution(ExecutionMode.SAME_THREAD)
    @DisplayName("SIGTERM in the middle ends it with 1, and all its brokers, members and mounts with it")
    void endsItsChildren() throws Exception {
        Jvm chaos = quiet();
        try {
            await().atMost(LIMIT).until(() -> said().contains("chaos: "));
            List<ProcessHandle> children = descendants(chaos);
            assertThat(children).hasSizeGreaterThanOrEqualTo(3);
            assertThat(isMounted()).isEqualTo(SmallDisk.isPossible());
            chaos.terminate();
            assertThat(chaos.await(LIMIT)).as(said()).isTrue();
            assertThat(chaos.exitCode()).as(said()).isEqualTo(Program.FAILED);
            assertThat(said()).contains("Stopped before the end").doesNotContain("lost");
            assertThat(isMounted()).isFalse();
            await().atMost(LIMIT).until(() -> children.stream().noneMatch(ProcessHandle::isAlive));
        } finally {
            chaos.kill();
        }
    }

    @Test
    @Execution(ExecutionMode.SAME_THREAD)
    @DisplayName("kill -9 of chaos leaves no broker, no member and no mount behind")
    void leavesNoChildren() throws Exception {
        Jvm chaos = quiet();
        try {
            await().atMost(LIMIT).until(() -> said().contains("chaos: "));
            List<ProcessHandle> children = descendants(chaos);
            assertThat(isMounted()).isEqualTo(SmallDisk.isPossible());
            chaos.kill();
            assertThat(chaos.await(LIMIT)).isTrue();
            await().atMost(LIMIT).until(() -> children.stream().noneMatch(ProcessHandle::isAlive));
            assertThat(isMounted()).isFalse();
        } finally {
            chaos.kill();
        }
    }

    /** One broker and two members that nothing happens to; on a disk of its own where the machine allows it. */
    private Jvm quiet() {
        List<String> args = new ArrayList<>(List.of("chaos", "--every", "1h", "--brokers", "1", "--members", "2"));
        args.addAll(List.of("--directory", directory.resolve("chaos").toString()));
        if (SmallDisk.isPossible()) {
            args.add("--fill-disk");
        }
        return Jvm.start(
                Main.class,
                List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
                args,
                directory.resolve("chaos.out"));
    }

    private static List<ProcessHandle> descendants(Jvm jvm) {
        return ProcessHandle.of(jvm.pid()).orElseThrow().descendants().toList();
    }

    /** What the process has said on both of its streams. */
    private String said() throws IOException {
        return Files.readString(directory.resolve("chaos.out"));
    }

    private boolean isMounted() throws IOException {
        return SmallDiskTest.isMounted(directory.resolve("chaos").resolve("node-1"));
    }
}
