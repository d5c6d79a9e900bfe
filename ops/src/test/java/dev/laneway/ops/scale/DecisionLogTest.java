package dev.laneway.ops.scale;

import static dev.laneway.ops.scale.Given.SECOND;
import static dev.laneway.ops.scale.Given.START;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DecisionLogTest {
    @TempDir
    private Path directory;

    private final List<String> told = new ArrayList<>();

    private Path file() {
        return directory.resolve("decisions.jsonl");
    }

    /** Entries of a history, as the loop writes them. */
    static List<LogEntry> history(long seed, int ticks) {
        RandomHistory history = new RandomHistory(seed);
        ScalingState state = ScalingState.NEW;
        List<LogEntry> entries = new ArrayList<>();
        for (int tick = 0; tick < ticks; tick++) {
            ScalingMetrics metrics = history.next();
            Decision decision = ScalingDecider.decide(state, metrics, history.policy);
            entries.add(LogEntry.of("shop", "recommend", history.policy, state, metrics, decision));
            history.apply(decision);
            state = decision.next();
        }
        return entries;
    }

    private void write(List<LogEntry> entries) {
        try (DecisionLog log = DecisionLog.to(file(), told::add)) {
            entries.forEach(log::append);
        }
    }

    private List<LogEntry> read() {
        List<LogEntry> entries = new ArrayList<>();
        new DecisionLogReader(file()).forEach(entries::add);
        return entries;
    }

    @Test
    @DisplayName("B165 what is written is read again, over restarts, with ticks that go on")
    void roundTrip() {
        for (long seed = 1; seed <= 200; seed++) {
            List<LogEntry> entries = history(seed, 6);
            write(entries.subList(0, 3));
            write(entries.subList(3, 6));
            List<LogEntry> read = read();
            assertThat(read).extracting(LogEntry::tick).containsExactly(0L, 1L, 2L, 3L, 4L, 5L);
            for (int i = 0; i < 6; i++) {
                assertThat(read.get(i).decision())
                        .as("seed %s", seed)
                        .isEqualTo(entries.get(i).decision());
                assertThat(read.get(i).before()).isEqualTo(entries.get(i).before());
                assertThat(read.get(i).scalingPolicy()).isEqualTo(entries.get(i).scalingPolicy());
            }
            assertThat(file().toFile().delete()).isTrue();
        }
        assertThat(told).isEmpty();
    }

    @Test
    @DisplayName("B165 a log that is cut anywhere is read up to the cut, and goes on after it")
    void tornLine() throws IOException {
        List<LogEntry> entries = history(3, 4);
        write(entries.subList(0, 2));
        byte[] whole = Files.readAllBytes(file());
        for (int cut = 1; cut < whole.length; cut += 37) {
            Files.write(file(), Arrays.copyOf(whole, cut));
            write(entries.subList(2, 4));
            List<String> lines = Files.readAllLines(file());
            long full = new String(Arrays.copyOf(whole, cut), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.endsWith("}") && line.contains("\"tick\""))
                    .filter(line -> LogLines.json(line) != null)
                    .count();
            assertThat(read()).as("cut at %s", cut).hasSize((int) full + 2);
            assertThat(LogLines.json(lines.getLast())).isNotNull();
        }
    }

    @Test
    @DisplayName("B165 a full disk is told once, stops nothing, and the next line says how many decisions are missing")
    void fullDisk() throws IOException {
        Disk disk = new Disk();
        List<LogEntry> entries = history(5, 6);
        try (DecisionLog log = new DecisionLog(file(), _ -> disk.open(), told::add)) {
            assertThat(log.append(entries.get(0))).isTrue();
            disk.room = 100;
            assertThat(log.append(entries.get(1))).isFalse();
            assertThat(log.append(entries.get(2))).isFalse();
            assertThat(log.append(entries.get(3))).isFalse();
            assertThat(told).singleElement().asString().contains("no space left", "make room");
            disk.room = Integer.MAX_VALUE;
            assertThat(log.append(entries.get(4))).isTrue();
            assertThat(log.append(entries.get(5))).isTrue();
        }
        assertThat(told).hasSize(2).last().asString().contains("again; 3 are missing");
        Files.writeString(file(), disk.text.toString());
        assertThat(read()).extracting(LogEntry::tick).containsExactly(0L, 4L, 5L);
        DecisionLogReader reader = new DecisionLogReader(file());
        assertThat(reader.last()).isNotNull();
        assertThat(reader.lost()).isEqualTo(3);
        assertThat(reader.damaged()).isEqualTo(1);
    }

    /** A disk with little room, which takes a part of what does not fit. */
    private static final class Disk implements DecisionLog.Output {
        private final StringBuilder text = new StringBuilder();
        private int room = Integer.MAX_VALUE;

        DecisionLog.Opened open() {
            boolean isTorn = text.length() > 0 && text.charAt(text.length() - 1) != '\n';
            return new DecisionLog.Opened(this, text.isEmpty(), isTorn, 0);
        }

        @Override
        public void append(byte[] bytes) throws IOException {
            int taken = Math.min(room, bytes.length);
            text.append(new String(bytes, 0, taken, StandardCharsets.UTF_8));
            room -= room == Integer.MAX_VALUE ? 0 : taken;
            if (taken < bytes.length) {
                throw new IOException("no space left on device");
            }
        }

        @Override
        public void close() {}
    }

    @Test
    @DisplayName("B165 a directory that is away is told, and the log begins when it is there")
    void directoryAway() throws IOException {
        Path away = directory.resolve("away").resolve("log.jsonl");
        List<LogEntry> entries = history(5, 2);
        try (DecisionLog log = DecisionLog.to(away, told::add)) {
            assertThat(log.append(entries.get(0))).isFalse();
            Files.createDirectory(away.getParent());
            assertThat(log.append(entries.get(1))).isTrue();
        }
        LogEntry last = new DecisionLogReader(away).last();
        assertThat(last).isNotNull();
        assertThat(last.lostBefore()).isEqualTo(1);
    }

    @Test
    @DisplayName("B165 where the clock has gone back, a time names the decision that was written last for it")
    void clockGoesBack() {
        ScalingMetrics metrics = Given.load(2, 0, 100, 100, 0.7);
        List<LogEntry> entries = new ArrayList<>();
        ScalingState state = ScalingState.NEW;
        for (long at : List.of(START, START + 60 * SECOND, START + 10 * SECOND, START + 20 * SECOND)) {
            Decision decision = ScalingDecider.decide(state, metrics.at(at), ScalingPolicy.USUAL);
            entries.add(LogEntry.of("shop", "act", ScalingPolicy.USUAL, state, metrics.at(at), decision));
            state = decision.next();
        }
        write(entries);
        DecisionLogReader reader = new DecisionLogReader(file());
        assertThat(tick(reader.at(START + 15 * SECOND))).isEqualTo(2);
        assertThat(tick(reader.at(START + 99 * SECOND))).isEqualTo(1);
        assertThat(tick(reader.at(START + 5 * SECOND))).isEqualTo(0);
        assertThat(reader.at(START - 1)).isNull();
        assertThat(tick(reader.last())).isEqualTo(3);
    }

    private static long tick(@Nullable LogEntry entry) {
        assertThat(entry).isNotNull();
        return entry.tick();
    }

    @Test
    @DisplayName("B165 what is no decision log, or one of another version, is refused in a sentence")
    void refusals() throws IOException {
        assertThatThrownBy(() -> new DecisionLogReader(file()).last())
                .hasMessageContaining("is not there")
                .isInstanceOf(DecisionLogFailure.class);
        Files.createFile(file());
        assertThat(new DecisionLogReader(file()).last())
                .as("of an autoscaler that has just begun")
                .isNull();
        Files.writeString(file(), "hello\n");
        assertThatThrownBy(() -> new DecisionLogReader(file()).last()).hasMessageContaining("is no decision log");
        Files.writeString(file(), "{\"format\":\"laneway-decisions\",\"version\":2}\n");
        assertThatThrownBy(() -> new DecisionLogReader(file()).last()).hasMessageContaining("version 2");
        write(history(1, 1));
        assertThat(told).singleElement().asString().contains("no decision log of version 1", "go on without");
        assertThat(file()).hasContent("{\"format\":\"laneway-decisions\",\"version\":2}\n");
        Files.writeString(file(), LogLines.head() + "{\"tick\":1}\n[]\n\u0000\n");
        Files.write(file(), new byte[] {(byte) 0xff, '\n'}, StandardOpenOption.APPEND);
        Files.writeString(
                file(),
                "{\"tick\":1,\"application\":\"a\",\"mode\":\"act\",\"policy\":{},\"before\":null}\n",
                StandardOpenOption.APPEND);
        DecisionLogReader reader = new DecisionLogReader(file());
        assertThat(reader.last()).isNull();
        assertThat(reader.damaged()).isEqualTo(5);
    }

    @Test
    @DisplayName("B166 a log replayed with its own policy gives the same decisions, at any point of it")
    void replaysTheSame() {
        for (long seed = 1; seed <= 300; seed++) {
            List<LogEntry> entries = history(seed, 25);
            List<LogEntry> part = entries.subList((int) (seed % 20), 25);
            List<IncidentReplay.Step> steps =
                    IncidentReplay.of(part, part.getFirst().scalingPolicy());
            for (int i = 0; i < part.size(); i++) {
                assertThat(steps.get(i).replayed())
                        .as("seed %s, tick %s", seed, i)
                        .isEqualTo(part.get(i).decision());
                assertThat(steps.get(i).isEstimated()).isFalse();
            }
        }
    }

    @Test
    @DisplayName("B166 another policy meets a group as it would have made it: more members, less waiting")
    void replaysOther() {
        ScalingPolicy held = ScalingPolicy.USUAL.with(ScalingOption.REPLICAS_MAX, 2);
        List<LogEntry> entries = new ArrayList<>();
        ScalingState state = ScalingState.NEW;
        double lag = 0;
        for (int tick = 0; tick < 60; tick++) {
            lag += 2_000;
            ScalingMetrics metrics = Given.load(2, lag, 400, 200, 1.0).at(START + tick * 10L * SECOND);
            Decision decision = ScalingDecider.decide(state, metrics, held);
            entries.add(LogEntry.of("shop", "act", held, state, metrics, decision));
            state = decision.next();
        }
        List<IncidentReplay.Step> steps = IncidentReplay.of(entries, held.with(ScalingOption.REPLICAS_MAX, 16));
        assertThat(steps)
                .anySatisfy(step -> assertThat(step.replayed().action()).isEqualTo(Decision.Action.UP));
        IncidentReplay.Step last = steps.getLast();
        assertThat(last.isEstimated()).isTrue();
        assertThat(last.inputs().shape().members()).isGreaterThan(2);
        assertThat(last.inputs().sources().getFirst().lag()).isLessThan(lag / 4);
    }

    @Test
    @DisplayName("B166 why-not names bounds, need, usefulness, and what was held back until when")
    void whyNot() {
        ScalingMetrics metrics = Given.load(8, 0, 6_400, 6_400, 0.7);
        Decision decision = Given.settled(metrics, ScalingPolicy.USUAL);
        LogEntry entry = LogEntry.of("shop", "act", ScalingPolicy.USUAL, ScalingState.NEW, metrics, decision);
        assertThat(WhyNot.reasons(entry, 8)).singleElement().asString().contains("there are 8, and they stay");
        assertThat(WhyNot.reasons(entry, 0)).first().asString().contains("never gets 0 members");
        assertThat(WhyNot.reasons(entry, 33)).anyMatch(reason -> reason.contains("allow 1 to 32"));
        assertThat(WhyNot.reasons(entry, 9))
                .anyMatch(reason -> reason.startsWith("Not needed: 9 members would be 62 % busy"))
                .anyMatch(reason -> reason.contains("the fullest of 9 members has 4, as with 8"));
        assertThat(WhyNot.reasons(entry, 6)).anyMatch(reason -> reason.startsWith("Too few: 6 members would be 93 %"));
        ScalingMetrics stale = metrics.measuredAt(START - 100 * SECOND);
        Decision held = Given.settled(stale, ScalingPolicy.USUAL);
        assertThat(WhyNot.reasons(LogEntry.of("shop", "act", ScalingPolicy.USUAL, ScalingState.NEW, stale, held), 9))
                .anyMatch(reason -> reason.startsWith("No change at all: the metrics are 100 s old"));
    }
}
