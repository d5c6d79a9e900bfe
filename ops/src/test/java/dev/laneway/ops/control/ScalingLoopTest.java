package dev.laneway.ops.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.ops.scale.Decision.Action;
import dev.laneway.ops.scale.GroupShape;
import dev.laneway.ops.scale.LogEntry;
import dev.laneway.ops.scale.ScalingMetrics;
import dev.laneway.ops.scale.ScalingPolicy;
import dev.laneway.ops.scale.SourceLoad;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Two members have more than they can do, from the beginning on. */
class ScalingLoopTest {
    private static final ScalingPolicy POLICY = ScalingPolicy.of(Map.of(
            "cool.down.seconds",
            "60",
            "cool.down.restarts",
            "0",
            "stabilization.seconds",
            "10",
            "stale.seconds",
            "30",
            "arrival.seconds",
            "600"));

    private final SetClock clock = new SetClock(1_790_000_000_000L);
    private final List<LogEntry> log = new ArrayList<>();
    private final List<Integer> asked = new ArrayList<>();
    private final Deque<ActorAnswer> answers = new ArrayDeque<>();
    private int members = 2;
    private boolean isFull;
    private @Nullable String stop;

    private @Nullable String standby;
    private long ageNanos;

    private final ScalingActor actor = new ScalingActor() {
        @Override
        public ActorView look(boolean mayAct) {
            return new ActorView(members, standby, true, Set.of(), List.of());
        }

        @Override
        public ActorAnswer change(int from, int to, String sentence) {
            asked.add(to);
            ActorAnswer answer = answers.isEmpty() ? new ActorAnswer.Done("starts members") : answers.remove();
            members = answer instanceof ActorAnswer.Done ? to : members;
            return answer;
        }

        @Override
        public void close() {}
    };

    private final GroupMeter meter = new GroupMeter() {
        @Override
        public Reading read(ActorView view) {
            double can = members * 100;
            return new Reading(
                    ScalingMetrics.of(
                            clock.millis(),
                            GroupShape.of(members),
                            List.of(SourceLoad.of("orders", 32, 1_000, 350, can)),
                            1.0),
                    ageNanos,
                    List.of());
        }

        @Override
        public void close() {}
    };

    private ScalingLoop begin(ScalingMode mode) {
        return new ScalingLoop(
                new ScalingLoop.Settings("shop", mode, POLICY, () -> stop),
                meter,
                actor,
                entry -> !isFull && log.add(entry),
                clock,
                LoopStart.of(log.isEmpty() ? null : log.getLast(), mode, clock.millis()));
    }

    /** Turns for so many seconds; returns the last turn that was for a change. */
    private @Nullable LoopTurn run(ScalingLoop loop, int seconds) {
        LoopTurn found = null;
        for (int i = 0; i < seconds; i += 5) {
            clock.pass(5_000);
            LoopTurn turn = loop.turn();
            found = turn.decision() != null && turn.decision().isChange() ? turn : found;
        }
        return found;
    }

    @Test
    @DisplayName("B195 acts after one cool-down from its start, and logs before it acts")
    void acts() {
        ScalingLoop loop = begin(ScalingMode.ACT);
        assertThat(run(loop, 55)).isNull();
        LoopTurn turn = Objects.requireNonNull(run(loop, 30));
        assertThat(turn.isDone()).isTrue();
        assertThat(asked).hasSize(1).allMatch(to -> to > 2);
        assertThat(log).anyMatch(entry -> entry.decision().action() == Action.UP);
        assertThat(log.getLast().mode()).isEqualTo("act");
        assertThat(log).anyMatch(entry -> "starts members".equals(entry.actedBefore()));
    }

    @Test
    @DisplayName("B195 observes without an end: nothing is asked for, and nobody is waited for")
    void observes() {
        ScalingLoop loop = begin(ScalingMode.OBSERVE);
        run(loop, 200);
        assertThat(asked).isEmpty();
        assertThat(log.getLast().decision().action()).isEqualTo(Action.UP);
        assertThat(log.stream().filter(entry -> entry.decision().isChange())).hasSizeGreaterThan(20);
    }

    @Test
    @DisplayName("B195 recommends once, and waits for whoever follows")
    void recommends() {
        ScalingLoop loop = begin(ScalingMode.RECOMMEND);
        run(loop, 200);
        assertThat(asked).isEmpty();
        assertThat(log.stream().filter(entry -> entry.decision().isChange())).hasSize(1);
        assertThat(log.getLast().decision().sentence()).contains("were asked for");
    }

    @Test
    @DisplayName("B195 the switch stops what acts, at once and for as long as it is there")
    void stops() {
        stop = "the file stop is there";
        ScalingLoop loop = begin(ScalingMode.ACT);
        LoopTurn turn = Objects.requireNonNull(run(loop, 120));
        assertThat(turn.acted()).isEqualTo("not done: the file stop is there");
        assertThat(asked).isEmpty();
        assertThat(log).allMatch(entry -> entry.mode().equals("observe"));
        stop = null;
        run(loop, 10);
        assertThat(asked).hasSize(1);
    }

    @Test
    @DisplayName("B195 what cannot be written to the log is not done")
    void fullDisk() {
        isFull = true;
        ScalingLoop loop = begin(ScalingMode.ACT);
        LoopTurn turn = Objects.requireNonNull(run(loop, 120));
        assertThat(turn.acted()).contains("cannot be written");
        assertThat(asked).isEmpty();
        isFull = false;
        run(loop, 10);
        assertThat(asked).hasSize(1);
    }

    @Test
    @DisplayName("B195 a change that is refused is decided anew, one of which nobody knows counts as made")
    void answers() {
        answers.add(new ActorAnswer.Refused("409: somebody was faster"));
        answers.add(new ActorAnswer.Unsure("nobody answered"));
        ScalingLoop loop = begin(ScalingMode.ACT);
        run(loop, 300);
        assertThat(asked)
                .as("refused, at once again, then waiting for the members")
                .hasSize(2);
        assertThat(log).anyMatch(entry -> "not done: 409: somebody was faster".equals(entry.actedBefore()));
        assertThat(log.getLast().decision().sentence()).contains("asked for");
    }

    @Test
    @DisplayName("B195 an autoscaler that starts again waits for a cool-down, with what it has learned and asked for")
    void startsAgain() {
        run(begin(ScalingMode.ACT), 90);
        assertThat(asked).hasSize(1);
        int before = asked.getFirst();
        members = 2;
        ScalingLoop again = begin(ScalingMode.ACT);
        assertThat(again.state().asked()).isEqualTo(GroupShape.of(before));
        run(again, 300);
        assertThat(asked).as("it waits for members that were asked for").hasSize(1);
        ScalingLoop observer = begin(ScalingMode.OBSERVE);
        assertThat(observer.state().asked()).isNull();
    }

    @Test
    @DisplayName("B195 who was on standby waits for a cool-down before it acts")
    void standsBy() {
        standby = "another one leads";
        ScalingLoop loop = begin(ScalingMode.ACT);
        run(loop, 300);
        assertThat(asked).isEmpty();
        standby = null;
        assertThat(run(loop, 55)).isNull();
        run(loop, 20);
        assertThat(asked).hasSize(1);
    }

    @Test
    @DisplayName("B192 B195 however the machine's clock is set, it acts on nothing stale and within no cool-down")
    void clocks() {
        ScalingLoop loop = begin(ScalingMode.ACT);
        clock.leap(3_600_000);
        assertThat(run(loop, 50))
                .satisfies(
                        turn -> assertThat(Objects.requireNonNull(turn).acted()).contains("less than the cool-down"));
        assertThat(asked).isEmpty();
        ageNanos = 31_000_000_000L;
        assertThat(run(loop, 300)).isNull();
        assertThat(log.getLast().decision().sentence()).contains("31 s old");
    }
}
