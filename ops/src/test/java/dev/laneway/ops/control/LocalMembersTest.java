package dev.laneway.ops.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.laneway.ops.scale.ScalingPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes, shells that sleep, and a clock that the test moves. */
class LocalMembersTest {
    private static final ScalingPolicy POLICY = ScalingPolicy.of(Map.of("replicas.min", "1", "replicas.max", "4"));
    private static final List<String> SLEEP = List.of("sh", "-c", "echo member {n}; while :; do sleep 1; done");

    private static final Pattern STARTED = Pattern.compile("member \\d+ is started, process (\\d+)");

    @TempDir
    private Path directory;

    private final SetClock clock = new SetClock(1_790_000_000_000L);
    private final List<String> news = new ArrayList<>();

    private LocalMembers open(List<String> command, @Nullable Integer asked) throws IOException {
        LocalMembers.Setup setup =
                new LocalMembers.Setup(command, directory, Duration.ofSeconds(20), Duration.ofSeconds(30));
        return LocalMembers.open(setup, POLICY, asked, clock);
    }

    private ActorView look(LocalMembers members) {
        ActorView view = members.look(true);
        news.addAll(view.news());
        return view;
    }

    private void awaitMembers(LocalMembers members, int number) {
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            Integer seen = look(members).members();
            return seen != null && seen == number;
        });
    }

    private List<Long> pids() throws IOException {
        List<Long> pids = new ArrayList<>();
        try (var files = Files.list(directory)) {
            for (Path file : files.filter(each -> each.toString().endsWith(".pid"))
                    .sorted()
                    .toList()) {
                String text = Files.readString(file).strip();
                if (!text.isEmpty()) {
                    pids.add(Long.parseLong(text));
                }
            }
        }
        return pids;
    }

    private void awaitFiles(int number) {
        await().atMost(Duration.ofSeconds(60)).until(() -> pids().size() == number);
    }

    /** One that was started last may not have written its file yet, and would write it while the directory goes. */
    @AfterEach
    void kill() throws IOException {
        Set<Long> pids = new HashSet<>(pids());
        news.stream()
                .map(STARTED::matcher)
                .filter(Matcher::matches)
                .forEach(started -> pids.add(Long.parseLong(started.group(1))));
        for (long pid : pids) {
            ProcessHandle.of(pid).ifPresent(process -> {
                process.destroyForcibly();
                process.onExit().join();
            });
        }
    }

    @Test
    @DisplayName("B193 starts the fewest members, more when asked, and ends that of the highest number")
    void startsAndEnds() throws IOException {
        try (LocalMembers members = open(SLEEP, null)) {
            assertThat(look(members).members()).isEqualTo(1);
            assertThat(members.change(1, 3, "").words()).isEqualTo("starts 2 members");
            assertThat(look(members).members()).isEqualTo(3);
            awaitFiles(3);
            long third = pids().getLast();
            assertThat(members.change(3, 2, "").words()).isEqualTo("ends 1 member");
            awaitMembers(members, 2);
            assertThat(ProcessHandle.of(third).filter(ProcessHandle::isAlive)).isEmpty();
            assertThat(look(members).isSettled()).isTrue();
            await().atMost(Duration.ofSeconds(60))
                    .until(() ->
                            Files.readString(directory.resolve("member-2.log")).contains("member 2"));
        }
        assertThat(news).contains("member 3 is asked to end", "member 3 has ended");
        assertThat(pids())
                .as("they stay when it ends")
                .hasSize(2)
                .allMatch(pid ->
                        ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent());
    }

    @Test
    @DisplayName("B193 takes over the members of an autoscaler before it, and no other process with their ids")
    void adopts() throws IOException {
        try (LocalMembers members = open(SLEEP, 3)) {
            assertThat(look(members).members()).isEqualTo(3);
            awaitFiles(3);
        }
        List<Long> before = pids();
        Process stranger = new ProcessBuilder("sleep", "60").start();
        try {
            // The third has ended, and its id is another process's now.
            ProcessHandle.of(before.get(2)).ifPresent(ProcessHandle::destroyForcibly);
            Files.writeString(directory.resolve("member-3.pid"), stranger.pid() + "\n");
            Files.writeString(directory.resolve("member-9.pid"), "no number");
            try (LocalMembers members = open(SLEEP, 2)) {
                assertThat(look(members).members()).isEqualTo(2);
                assertThat(pids()).containsExactlyElementsOf(before.subList(0, 2));
            }
            assertThat(stranger.isAlive()).isTrue();
        } finally {
            stranger.destroyForcibly();
        }
        assertThat(news).contains("takes over 2 members that run");
    }

    @Test
    @DisplayName("B193 a member that does not end is killed after the limit, and that is told")
    void forces() throws IOException {
        List<String> deaf = List.of("sh", "-c", "trap '' TERM; echo deaf; while :; do sleep 1; done");
        try (LocalMembers members = open(deaf, 2)) {
            look(members);
            awaitFiles(2);
            await().atMost(Duration.ofSeconds(60))
                    .until(() ->
                            Files.readString(directory.resolve("member-2.log")).contains("deaf"));
            members.change(2, 1, "");
            clock.pass(19_000);
            assertThat(look(members).members()).isEqualTo(2);
            clock.pass(2_000);
            awaitMembers(members, 1);
        }
        assertThat(news).contains("member 2 has not ended within 20 s of SIGTERM and is killed");
    }

    @Test
    @DisplayName("B193 replaces a member that has ended by itself, but not while the switch is there")
    void replaces() throws IOException {
        try (LocalMembers members = open(SLEEP, 2)) {
            look(members);
            awaitFiles(2);
            clock.pass(60_000);
            look(members);
            ProcessHandle.of(pids().getFirst()).orElseThrow().destroyForcibly();
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                ActorView view = members.look(false);
                news.addAll(view.news());
                return view.members() != null && view.members() == 1;
            });
            clock.pass(60_000);
            assertThat(members.look(false).members()).isEqualTo(1);
            assertThat(look(members).members()).isEqualTo(2);
        }
        assertThat(news).anyMatch(line -> line.startsWith("member 1 has ended by itself, with exit code 137"));
    }

    @Test
    @DisplayName("B194 members that die at once are started one at a time, more and more slowly, and it says so")
    void noStorm() throws IOException {
        try (LocalMembers members = open(List.of("sh", "-c", "exit 7"), 4)) {
            for (int second = 0; second < 600; second++) {
                look(members);
                awaitMembersGone(members);
                clock.pass(1_000);
            }
        }
        long starts = news.stream()
                .filter(line -> line.contains("is started, process"))
                .count();
        assertThat(starts)
                .as("of 4 members in 600 s: 4 at once, then after 1, 2, 4, ... 300 s")
                .isBetween(5L, 14L);
        assertThat(news)
                .anyMatch(line -> line.contains("with exit code 7, soon after its start; the next is started in 64 s"));
    }

    /** Looks without acting until what was started has ended, so that the test's clock stands still for it. */
    private void awaitMembersGone(LocalMembers members) {
        await().pollInterval(Duration.ofMillis(5))
                .atMost(Duration.ofSeconds(60))
                .until(() -> {
                    ActorView view = members.look(false);
                    news.addAll(view.news());
                    return view.members() != null && view.members() == 0;
                });
    }

    @Test
    @DisplayName("B194 one that lives makes the pauses as short as they were")
    void recovers() {
        StartBackOff backOff = new StartBackOff();
        assertThat(backOff.allowed(3, 0, 0)).isEqualTo(3);
        backOff.failed(0);
        backOff.failed(0);
        assertThat(backOff.allowed(3, 0, 1_999_999_999)).isZero();
        assertThat(backOff.allowed(3, 1, 2_000_000_000)).isZero();
        assertThat(backOff.allowed(3, 0, 2_000_000_000)).isEqualTo(1);
        backOff.lives();
        assertThat(backOff.allowed(3, 0, 0)).isEqualTo(3);
    }

    @Test
    @DisplayName("B193 one autoscaler at a time has a directory of members")
    void oneAtATime() throws IOException {
        try (LocalMembers members = open(SLEEP, null)) {
            assertThat(members.look(false).members()).isZero();
            assertThatThrownBy(() -> open(SLEEP, null)).hasMessageContaining("another autoscaler has the members");
        }
        open(SLEEP, null).close();
    }
}
