package dev.laneway.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.cli.workload.Payload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.io.TempDir;

/** An input of six records of two keys, and lives whose journals are written by hand. */
abstract class AuditFixture {
    static final int PARTITION = 0;
    static final int RECORDS = 6;

    @TempDir
    Path directory;

    final Findings findings = new Findings();
    final SourceLog source = new SourceLog(Map.of(new TopicPartition("in", PARTITION), (long) RECORDS));
    final List<Fault> faults = new ArrayList<>();
    final ChaosAudit audit;
    private int lives;

    AuditFixture() {
        // Offsets 0, 2 and 4 are of key 0, 1, 3 and 5 of key 1.
        for (int offset = 0; offset < RECORDS; offset++) {
            source.add(PARTITION, offset, new Payload(offset, offset % 2, offset / 2));
        }
        audit = new ChaosAudit(ChaosPlan.Mode.AT_LEAST_ONCE, source, faults, findings);
    }

    static String[] with(String first, String second, String... more) {
        List<String> lines = new ArrayList<>(List.of(first, second));
        lines.addAll(List.of(more));
        return lines.toArray(String[]::new);
    }

    void life(ChaosMembers.Ending ending, String[] lines, String last) {
        List<String> all = new ArrayList<>(List.of(lines));
        all.add(last);
        life(ending, all.toArray(String[]::new));
    }

    void life(ChaosMembers.Ending ending, String... lines) {
        life(audit, ending, lines);
    }

    void life(ChaosAudit into, ChaosMembers.Ending ending, String... lines) {
        lives++;
        Path file = directory.resolve("m" + lives);
        try {
            Files.writeString(file, String.join("\n", lines) + "\n");
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
        into.replay(new ChaosMembers.Life("m" + lives, lives, file, ending, 1_000));
    }

    void assertFound(Findings.Kind kind, int times) {
        audit.finish();
        assertThat(findings.count(kind)).as("%s", findings.examples()).isEqualTo(times);
        assertThat(findings.examples()).hasSize(times).allMatch(example -> example.startsWith(kind.label()));
    }
}
