package dev.laneway.orders;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StateDirectoryTest {
    @TempDir
    Path base;

    @Test
    @DisplayName("B181 processes that share a directory have places of their own, and find what they left; for each"
            + " cluster")
    void lasts() throws IOException {
        Path first;
        try (StateDirectory one = StateDirectory.lasting(base, "x");
                StateDirectory two = StateDirectory.lasting(base, "x");
                StateDirectory other = StateDirectory.lasting(base, "y")) {
            first = one.path();
            assertThat(two.path()).isNotEqualTo(first);
            assertThat(other.path()).isNotEqualTo(first);
            Files.writeString(first.resolve("state"), "kept");
        }
        try (StateDirectory again = StateDirectory.lasting(base, "x")) {
            assertThat(again.path().resolve("state")).hasContent("kept");
        }
    }

    @Test
    @DisplayName("B181 temporary state is gone at the end, and what a killed process left with the next one")
    void isTemporary() throws IOException {
        Path left = Files.createDirectories(base.resolve("instance-1").resolve("state"));
        Path dead = Files.createDirectories(base.resolve("instance-7").resolve("state"));
        Files.writeString(base.resolve("instance-7").resolve("process.lock"), "");
        Path used;
        try (StateDirectory one = StateDirectory.temporary(base)) {
            used = Files.createDirectories(one.path().resolve("state").resolve("0_1"));
            assertThat(dead).doesNotExist();
            try (StateDirectory two = StateDirectory.temporary(base)) {
                assertThat(two.path()).isNotEqualTo(one.path());
                assertThat(used).exists();
            }
            assertThat(used).exists();
        }
        assertThat(used).doesNotExist();
        assertThat(left).doesNotExist();
    }
}
