package dev.laneway.ills;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.laneway.cli.program.Jvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PatientTest {
    @TempDir
    private Path directory;

    @Test
    @DisplayName("A member ends when the process that has started it is killed")
    void endsWithItsParent() throws Exception {
        Path said = directory.resolve("parent.log");
        Path log = directory.resolve("patient.log");
        Jvm parent = Jvm.start(OrphanParent.class, List.of("-Xmx64m"), List.of(log.toString()), said);
        try {
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> Files.exists(log) && Files.readString(log).contains("started"));
            ProcessHandle patient = ProcessHandle.of(
                            Long.parseLong(Files.readString(said).strip()))
                    .orElseThrow();
            assertThat(patient.isAlive()).isTrue();
            parent.kill();
            await().atMost(Duration.ofSeconds(10)).until(() -> !patient.isAlive());
        } finally {
            parent.kill();
        }
    }

    @Test
    @DisplayName("Settings that are no name and value, or lack what a member needs, are refused with a sentence")
    void refuses() {
        assertThatThrownBy(() -> Settings.parse("kind")).hasMessageContaining("'kind' is no setting of a member");
        assertThatThrownBy(() -> Patient.consumer(Settings.parse("kind=loop")))
                .hasMessageContaining("a member needs the setting bootstrap");
    }
}
