package dev.laneway.engine.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The hash of a key")
class KeyHashTest {

    @Test
    @DisplayName("B93 is pinned: it stands in committed offsets, and is what sha256sum says")
    void pinned() {
        assertThat(KeyHash.of(null)).isEqualTo(0x6E340B9CFFB37A98L);
        assertThat(KeyHash.of(new byte[0])).isEqualTo(0x4BF5122F344554C5L);
        assertThat(KeyHash.of(new byte[1])).isEqualTo(0x47DC540C94CEB704L);
        assertThat(KeyHash.of("stuck".getBytes(StandardCharsets.UTF_8))).isEqualTo(0xB43089FA2E47B3DFL);
    }

    @Test
    @DisplayName("B93 is the same in every thread, and differs between keys")
    void anyThread() {
        long distinct = IntStream.range(0, 20_000)
                .parallel()
                .mapToLong(i -> KeyHash.of(Integer.toString(i % 1_000).getBytes(StandardCharsets.UTF_8)))
                .distinct()
                .count();
        assertThat(distinct).isEqualTo(1_000);
    }
}
