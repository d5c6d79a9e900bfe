package dev.laneway.ills;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Two illnesses on real processes; {@link SymptomsTest} has all. */
class LiveTest {
    private static final Duration WARM_UP = Duration.ofSeconds(3);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

    @Test
    @DisplayName("With too few partitions one of two members has none, and the lag grows")
    void tooFewPartitions() throws Exception {
        staged("too-few-partitions", setting -> {
            assertThat(setting.pids()).hasSize(2);
            Vitals first = setting.vitals();
            assertThat(first.partitions()).hasSize(1);
            assertThat(first.members()).isEqualTo(2);
            await().atMost(Duration.ofSeconds(15)).until(() -> setting.vitals().lag() > first.lag() + 100);
        });
    }

    @Test
    @DisplayName("The lag of 1 of a transaction's marker stays, while other records flow")
    void stickyOne() throws Exception {
        staged("sticky-one", setting -> {
            Vitals first = setting.vitals();
            await().atMost(Duration.ofSeconds(10)).until(() -> setting.vitals().committed() > first.committed() + 100);
            assertThat(setting.vitals().partitions().entrySet().stream()
                            .filter(entry -> entry.getKey().topic().equals("paid")
                                    && entry.getValue().lag() == 1))
                    .hasSize(1);
        });
    }

    private interface Check {
        void of(Setting setting) throws Exception;
    }

    /** Also: it ends in time, with its processes and files. */
    private static void staged(String name, Check check) throws Exception {
        List<Long> pids;
        Path directory;
        long begin;
        try (Setting setting = Illnesses.named(name).orElseThrow().start(Strength.MILD, WARM_UP)) {
            pids = setting.pids();
            directory = setting.directory();
            check.of(setting);
            begin = System.nanoTime();
        }
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(CLOSE_LIMIT);
        assertThat(pids).isNotEmpty().noneMatch(pid -> ProcessHandle.of(pid).isPresent());
        assertThat(Files.exists(directory)).isFalse();
    }
}
