package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.cli.program.Jvm;
import dev.laneway.cli.program.Program;
import dev.laneway.testkit.EmbeddedKafka;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A sizing whose load comes from a command of the user's. */
class SizeGeneratorTest {
    private final EmbeddedKafka kafka = EmbeddedKafka.shared();
    private final String name = "size-" + UUID.randomUUID();

    private static String shell(List<String> command) {
        return command.stream()
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
    }

    private int size(Path directory, String generator, String... more) {
        List<String> args = new ArrayList<>(List.of("size", "--bootstrap", kafka.bootstrapServers(), "--group", name));
        args.addAll(List.of("--topic", name, "--generator", generator, "--window", "2s", "--warm-up", "500ms"));
        args.addAll(List.of("--start-rate", "60", "--most-rate", "60"));
        args.addAll(List.of("--profile", directory.resolve("profile.json").toString()));
        args.addAll(List.of(more));
        args.add("--");
        args.addAll(Jvm.command(
                Main.class,
                List.of("-Xmx128m", "-XX:+UseSerialGC"),
                List.of(
                        "consume",
                        "--bootstrap",
                        "{bootstrap}",
                        "--topic",
                        name,
                        "--group",
                        name,
                        "--commit-interval",
                        "200ms")));
        Cli cli = Cli.run(args.toArray(String[]::new));
        assertThat(cli.out() + cli.err())
                .contains(more.length == 0 ? "sustains at least" : "no record came to " + name);
        return cli.code();
    }

    @Test
    @DisplayName(
            "B185 a generator that takes its time to begin is waited for, at each rate, before anything is measured")
    void waits(@TempDir Path directory) throws Exception {
        kafka.createTopic(name, 4);
        String load = shell(Jvm.command(
                Main.class,
                List.of("-Xmx128m", "-XX:+UseSerialGC"),
                List.of("load", "--bootstrap", "{bootstrap}", "--topic", name, "--rate", "{rate}")));
        assertThat(size(directory, "sleep 3; exec " + load)).isEqualTo(Program.FINE);
        JsonNode profile =
                new ObjectMapper().readTree(directory.resolve("profile.json").toFile());
        assertThat(profile.get("rate").asDouble()).isBetween(50.0, 61.0);
        assertThat(profile.get("more_rate").asDouble()).isBetween(50.0, 61.0);
    }

    @Test
    @DisplayName("B185 a generator whose records go elsewhere is told")
    void elsewhere(@TempDir Path directory) {
        kafka.createTopic(name, 4);
        assertThat(size(directory, "sleep 60; echo {rate}", "--join-limit", "20s"))
                .isEqualTo(Program.FAILED);
    }
}
