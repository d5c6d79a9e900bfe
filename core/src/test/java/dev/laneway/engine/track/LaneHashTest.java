package dev.laneway.engine.track;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LaneHashTest {
    private static final int KEYS = 1 << 14;

    @Test
    @DisplayName("B113 keys that were chosen to have one hash code have many hashes here, whatever the seed")
    void chosenKeys() {
        for (long seed = 1; seed <= 3; seed++) {
            Set<Integer> codes = new HashSet<>();
            Set<Integer> hashes = new HashSet<>();
            for (int number = 0; number < KEYS; number++) {
                byte[] key = chosen(number);
                codes.add(Arrays.hashCode(key));
                hashes.add(LaneTable.hash(key, seed));
            }
            assertThat(codes).as("Java's").hasSize(1);
            assertThat(hashes).as("ours").hasSizeGreaterThan(KEYS - 10);
        }
    }

    @Test
    void numberedKeysAreSpread() {
        Set<Integer> slots = new HashSet<>();
        for (int number = 0; number < KEYS; number++) {
            slots.add(LaneTable.hash(text("key-" + number)) & (4 * KEYS - 1));
        }
        // Of n balls in 4 n places each has one of its own with a probability of 0.78.
        assertThat(slots).hasSizeGreaterThan(KEYS * 7 / 10);
        assertThat(LaneTable.hash(text("key"))).isEqualTo(LaneTable.hash(text("key")));
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** "Aa" and "BB" have the same hash code, and so has every text of either. */
    private static byte[] chosen(int number) {
        byte[] key = new byte[28];
        for (int bit = 0; bit < 14; bit++) {
            boolean set = (number >> bit & 1) == 1;
            key[2 * bit] = (byte) (set ? 'B' : 'A');
            key[2 * bit + 1] = (byte) (set ? 'B' : 'a');
        }
        return key;
    }
}
