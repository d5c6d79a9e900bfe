package dev.laneway.engine.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The user's own metadata")
class UserMetadataTest {
    private final UserMetadata notes = new UserMetadata();

    @Test
    @DisplayName("B70 is that of the last record below the committable offset, in whatever order they are acknowledged")
    void lastCovered() {
        notes.add(2, "two", 0);
        assertThat(notes.covered()).isEmpty();
        notes.add(0, "zero", 1);
        assertThat(notes.covered()).isEqualTo("zero");
        notes.add(1, "one", 3);
        assertThat(notes.covered()).isEqualTo("two");
    }

    @Test
    @DisplayName("B70 is empty where a record has none")
    void none() {
        notes.add(0, "zero", 1);
        notes.add(1, null, 2);
        assertThat(notes.covered()).isEmpty();
    }

    @Test
    @DisplayName("B70 is what an earlier owner has committed until a commit covers more")
    void found() {
        notes.found("earlier");
        notes.add(5, "five", 5);
        assertThat(notes.covered()).isEqualTo("earlier");
        notes.add(4, "four", 6);
        assertThat(notes.covered()).isEqualTo("five");
    }

    @Test
    @DisplayName("B70 of what is given up is forgotten")
    void cleared() {
        notes.add(5, "five", 5);
        notes.clear();
        notes.add(4, "four", 6);
        assertThat(notes.covered()).isEqualTo("four");
    }

    @Test
    @DisplayName("B70 B16 is kept for those records only that no commit covers yet")
    void kept() {
        for (long offset = 1; offset <= 1_000; offset++) {
            notes.add(offset, "note", offset);
            assertThat(notes.kept()).isEqualTo(1);
        }
        notes.add(0, "note", 1_001);
        assertThat(notes.kept()).isZero();
    }
}
