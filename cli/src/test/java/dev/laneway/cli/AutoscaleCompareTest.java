package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Stop;
import dev.laneway.ops.compare.ScalingContender;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AutoscaleCompareTest {
    @TempDir
    private Path directory;

    @Test
    @DisplayName("B189 compare prints every policy under each load, and writes JSON and a page that needs nothing else")
    void compares() throws IOException {
        Path json = directory.resolve("compare.json");
        Path page = directory.resolve("compare.html");
        Cli cli = Cli.run(
                "autoscale", "compare", "--load", "step", "--json", json.toString(), "--report", page.toString());
        assertThat(cli.code()).as(cli.err()).isEqualTo(Program.FINE);
        for (ScalingContender policy : ScalingContender.ALL) {
            assertThat(cli.out().split(policy.name() + " ", -1).length - 1)
                    .as(policy.name())
                    .isGreaterThanOrEqualTo(2);
        }
        assertThat(cli.out().lines().filter(line -> line.matches(".*\\d m .*")).toList())
                .hasSize(2 * ScalingContender.ALL.size())
                .allMatch(line -> line.length() <= 60);
        JsonNode report = new ObjectMapper().readTree(json.toFile());
        assertThat(report.get("rows")).hasSize(2 * ScalingContender.ALL.size());
        Set<String> keys = new LinkedHashSet<>();
        report.fieldNames().forEachRemaining(keys::add);
        report.get("rows").get(0).fieldNames().forEachRemaining(keys::add);
        assertThat(CliDoc.keys("autoscale compare")).containsExactlyInAnyOrderElementsOf(keys);
        assertThat(Files.readString(page))
                .contains("<svg", "prefers-color-scheme", "laneway")
                .doesNotContain("http://", "https://", "<script", "NaN");
    }

    @Test
    @DisplayName("B189 compare ends at once when it is asked to, and says how far it was")
    void stops() {
        Stop stop = new Stop();
        stop.request();
        Cli cli = Cli.run(stop, "autoscale", "compare", "--load", "spikes");
        assertThat(cli.code()).isEqualTo(Program.FAILED);
        assertThat(cli.err())
                .contains("stopped after 1 of " + 2 * ScalingContender.ALL.size() + " simulations")
                .doesNotContain("\tat ");
    }
}
