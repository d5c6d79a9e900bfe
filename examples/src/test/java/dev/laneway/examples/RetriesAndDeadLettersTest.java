package dev.laneway.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.laneway.examples.RetriesAndDeadLetters.DeadLetter;
import dev.laneway.examples.RetriesAndDeadLetters.SmallBank;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RetriesAndDeadLettersTest {
    @Test
    @DisplayName("B43 B44 B45 a payment is tried four times, or once when the failure is final, and then lies in the"
            + " dead-letter topic")
    void givesUpWhatCannotBeBooked() throws Exception {
        SmallBank bank = new SmallBank();
        List<DeadLetter> letters;
        try (Cluster cluster = Shared.cluster()) {
            letters = RetriesAndDeadLetters.run(cluster, bank);
        }

        assertThat(bank.balances()).isEqualTo(Map.of("good-line", 300L, "bad-line", 300L));
        assertThat(bank.calls("bad-line")).isEqualTo(3);
        assertThat(bank.calls("dead-line")).isEqualTo(4);
        assertThat(letters)
                .extracting(DeadLetter::account, DeadLetter::valueBytes, DeadLetter::attempts)
                .containsExactlyInAnyOrder(
                        tuple("good-line", 8, "1"),
                        tuple("dead-line", 8, "4"),
                        tuple("unreadable", "not a long".length(), "1"));
        assertThat(letters).extracting(DeadLetter::reason).anyMatch(reason -> reason.contains("amount -1 is negative"));
    }
}
