package dev.laneway.ills;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Four illnesses on real processes; {@link SymptomsTest} has all, and {@link RecordingsTest} what was seen of them. */
@Tag("alone") // What other tests take would be what limits a group.
class LiveTest {
    private static final Duration WARM_UP = Duration.ofSeconds(10);
    private static final Duration WATCH = Duration.ofSeconds(10);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({"too-few-partitions, MILD", "sticky-one, MILD", "hot-key, SEVERE", "throttled-client, SEVERE"})
    @DisplayName("B142 check gives a staged illness its right verdict; it ends in time, with its processes and files")
    void verdict(String name, Strength strength) throws Exception {
        Illness illness = Illnesses.named(name).orElseThrow();
        List<Long> pids;
        Path directory;
        Trial trial;
        long begin;
        try (Setting setting = illness.start(strength, WARM_UP)) {
            pids = setting.pids();
            directory = setting.directory();
            trial = Trial.of(illness, strength, setting, WATCH, null);
            begin = System.nanoTime();
        }
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(CLOSE_LIMIT);
        assertThat(pids).isNotEmpty().noneMatch(pid -> ProcessHandle.of(pid).isPresent());
        assertThat(Files.exists(directory)).isFalse();
        assertThat(trial.isRight())
                .as("%s%n%s", trial, trial.result().sentence())
                .isTrue();
    }
}
