package dev.laneway.keda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.ops.control.LoopClock;
import dev.laneway.ops.scale.ScalingPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The watches of all triggers")
class GroupWatchesTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private static Trigger trigger(String group) {
        return new Trigger("shop/" + group, group, ScalingPolicy.of(Map.of()), List.of());
    }

    @Test
    @DisplayName("B203 a watch whose thread has died takes no other trigger's place")
    void died(@TempDir Path logs) {
        Map<String, Object> nobody = Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, "127.0.0.1:1");
        try (Admin admin = Admin.create(nobody)) {
            GroupWatch.Settings settings = new GroupWatch.Settings(
                    admin,
                    nobody,
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(1),
                    logs,
                    line -> {
                        if (line.endsWith("orders: is watched")) {
                            throw new AssertionError("planted: the thread of this watch dies");
                        }
                    },
                    LoopClock.SYSTEM);
            try (GroupWatches watches = new GroupWatches(settings, 1, Duration.ofHours(1))) {
                GroupWatch dead = Objects.requireNonNull(watches.of(trigger("orders")));
                dead.awaitEnd(LIMIT); // Awaitility would take the planted error, of any thread, for the test's own.
                assertThat(dead.hasStopped()).isTrue();
                assertThat(watches.of(trigger("payments")))
                        .as("there is room for one")
                        .isNotNull();
                assertThat(watches.of(trigger("refunds")))
                        .as("that place is taken")
                        .isNull();
            }
        }
    }
}
