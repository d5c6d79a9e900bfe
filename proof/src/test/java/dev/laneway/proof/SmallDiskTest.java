package dev.laneway.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.cli.program.VerbFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs what the machine allows: without root, that it says so. */
class SmallDiskTest {
    @TempDir
    private Path directory;

    @Test
    @DisplayName("A disk that is filled takes no more, takes more when it has room again, and leaves no mount")
    void fillsAndFrees() throws IOException {
        Path place = directory.resolve("disk");
        if (!SmallDisk.isPossible()) {
            assertThatThrownBy(() -> SmallDisk.mount(place))
                    .isInstanceOf(VerbFailure.class)
                    .hasMessageContaining("run as root, or leave --fill-disk out");
            return;
        }
        byte[] megabyte = new byte[1 << 20];
        try (SmallDisk disk = SmallDisk.mount(place)) {
            assertThat(isMounted(place)).isTrue();
            Files.write(place.resolve("before"), megabyte);
            disk.fill();
            assertThatThrownBy(() -> Files.write(place.resolve("after"), megabyte))
                    .isInstanceOf(IOException.class);
            assertThat(place.resolve("before")).hasBinaryContent(megabyte);
            disk.free();
            Files.write(place.resolve("after"), megabyte);
        }
        assertThat(isMounted(place)).isFalse();
        assertThat(place).isEmptyDirectory();
    }

    static boolean isMounted(Path place) throws IOException {
        Path mounts = Path.of("/proc/mounts");
        return Files.exists(mounts) && Files.readString(mounts).contains(" " + place + " ");
    }
}
