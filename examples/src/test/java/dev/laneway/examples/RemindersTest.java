package dev.laneway.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RemindersTest {
    @Test
    @DisplayName("B138 all reminders are sent, and none before its time")
    void noneIsEarly() throws Exception {
        Reminders.Outbox outbox = new Reminders.Outbox();
        try (Cluster cluster = Shared.cluster()) {
            Reminders.run(cluster, outbox);
        }

        assertThat(outbox.sent()).hasSize(Reminders.REMINDERS);
        assertThat(outbox.due()).hasSize(Reminders.REMINDERS / 2);
        outbox.due()
                .forEach((reminder, due) ->
                        assertThat(outbox.sent().get(reminder)).isAfterOrEqualTo(due));
    }
}
