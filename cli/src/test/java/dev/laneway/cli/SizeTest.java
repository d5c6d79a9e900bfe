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
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A sizing of real processes on a real broker, with short windows. */
class SizeTest {
    private final EmbeddedKafka kafka = EmbeddedKafka.shared();
    private final String name = "size-" + UUID.randomUUID();

    @Test
    @DisplayName(
            "B185 processes that wait are sized: what one does, what limits it, what another adds; a plan reads it")
    void sizes(@TempDir Path directory) throws Exception {
        kafka.createTopic(name, 4);
        Path profile = directory.resolve("profile.json");
        Path json = directory.resolve("result.json");
        List<String> args = new ArrayList<>(
                List.of("size", "--bootstrap", kafka.bootstrapServers(), "--group", name, "--topic", name));
        args.addAll(List.of("--window", "2s", "--warm-up", "500ms", "--start-rate", "80", "--keys", "400"));
        args.addAll(List.of("--profile", profile.toString(), "--json", json.toString(), "--"));
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
                        "--name",
                        "instance-{instance}",
                        "--work",
                        "20ms",
                        "--commit-interval",
                        "200ms",
                        "--concurrency",
                        "4")));
        Cli cli = Cli.run(args.toArray(String[]::new));
        assertThat(cli.code()).as(cli.err() + cli.out()).isEqualTo(Program.FINE);
        assertThat(cli.out()).contains("1 instance sustains", "2 instances sustain", "instances  with 30 % to spare");
        JsonNode result = new ObjectMapper().readTree(json.toFile());
        assertThat(result.fieldNames()).toIterable().containsExactlyElementsOf(CliDoc.keys("size"));
        // Four workers of 20 ms do 200 a second; less if other work keeps the machine busy.
        double rate = result.at("/profile/rate").asDouble();
        assertThat(rate).isBetween(60.0, 210.0);
        assertThat(result.at("/profile/more_rate").asDouble()).isBetween(rate, 420.0);
        assertThat(result.at("/profile/work/concurrency").asInt()).isEqualTo(4);
        assertThat(result.at("/profile/work/service_seconds").asDouble()).isBetween(0.02, 0.1);
        assertThat(result.at("/profile/cause").asText()).isNotEmpty();

        Cli plan = Cli.run("plan", "--rate", String.valueOf(Math.round(rate * 10)), "--from-run", profile.toString());
        assertThat(plan.out().replaceAll("\\s+", " ")).contains("what an instance was measured to sustain");
        Cli simulated = Cli.run(
                "simulate", "--rate", "1000000", "--for", "30s", "--keys", "4000", "--from-run", profile.toString());
        assertThat(simulated.code()).as(simulated.err()).isEqualTo(Program.FINE);
    }
}
