package dev.laneway.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("CrashFiles")
class CrashFilesTest {

    @Test
    @DisplayName("what the shutdown wrote is undone: old checkpoints come back, new files go, the log stays")
    void restore(@TempDir Path directory) throws IOException {
        Path checkpoint = directory.resolve("replication-offset-checkpoint");
        Path marker = directory.resolve(".kafka_cleanshutdown");
        Path log = directory.resolve("00000000000000000000.log");
        Files.writeString(checkpoint, "at the kill");
        Files.writeString(log, "one");
        CrashFiles atKill = CrashFiles.read(directory);

        Files.writeString(checkpoint, "written by the shutdown, and longer");
        Files.writeString(marker, "clean");
        Files.writeString(log, "one two");
        atKill.restore();

        assertThat(checkpoint).hasContent("at the kill");
        assertThat(marker).doesNotExist();
        assertThat(log).hasContent("one two");
    }
}
