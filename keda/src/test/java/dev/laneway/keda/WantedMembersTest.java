package dev.laneway.keda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.ops.control.LoopTurn;
import dev.laneway.ops.scale.Decision;
import dev.laneway.ops.scale.GroupShape;
import dev.laneway.ops.scale.ScalingDecider;
import dev.laneway.ops.scale.ScalingMetrics;
import dev.laneway.ops.scale.ScalingPolicy;
import dev.laneway.ops.scale.ScalingState;
import dev.laneway.ops.scale.SourceLoad;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WantedMembersTest {
    private static final ScalingPolicy POLICY = ScalingPolicy.of(Map.of(
            "stabilization.seconds",
            "0",
            "arrival.seconds",
            "60",
            "cool.down.seconds",
            "1",
            "cool.down.restarts",
            "0",
            "replicas.min",
            "2"));

    private long now = 1_790_000_000_000L;
    private ScalingState state = ScalingState.NEW;
    private WantedMembers wanted = new WantedMembers(POLICY, null);
    private Decision decision;

    private ScalingAdvice turn(int members, boolean isStable, double busy) {
        now += 10_000;
        ScalingMetrics metrics = ScalingMetrics.of(
                        now, GroupShape.of(members), List.of(SourceLoad.of("orders", 32, 0, 1_000, 1_000)), busy)
                .withSettled(isStable, false);
        decision = ScalingDecider.decide(state, metrics, POLICY);
        state = decision.next();
        return wanted.after(new LoopTurn(now, decision, null, false, List.of()), now);
    }

    @Test
    @DisplayName("B205 members that crash, or that an update adds, change nothing of what is wanted; decisions do")
    void steady() {
        assertThat(turn(4, false, 0.5).wanted())
                .as("before the group runs in order")
                .isNull();
        assertThat(turn(4, true, 0.5).wanted()).isEqualTo(4);
        assertThat(turn(5, true, 0.5).wanted()).as("an update adds one").isEqualTo(4);
        assertThat(turn(4, true, 0.5).wanted()).isEqualTo(4);
        for (int i = 0; i < 20; i++) {
            assertThat(turn(3, true, 0.5).wanted()).as("one crashes").isEqualTo(4);
        }
        assertThat(state.asked()).as("the policy has given it up").isEqualTo(GroupShape.of(3));
        assertThat(turn(3, true, 0.99).wanted())
                .as("more are needed")
                .isGreaterThan(3)
                .isEqualTo(told());
        assertThat(decision.isChange()).isTrue();
        assertThat(wanted.after(new LoopTurn(now, null, null, false, List.of("no broker")), 0)
                        .reason())
                .isEqualTo("no broker");
    }

    private int told() {
        return Math.max(4, decision.to().members());
    }

    @Test
    @DisplayName("B205 what was told a short time ago is told again; otherwise nothing until the group runs in order")
    void again() {
        wanted = new WantedMembers(POLICY, 7);
        assertThat(turn(5, false, 0.5).wanted()).isEqualTo(7);
        wanted = new WantedMembers(POLICY, 400);
        assertThat(turn(5, false, 0.5).wanted()).as("replicas.max").isEqualTo(32);
        wanted = new WantedMembers(POLICY, null);
        state = ScalingState.NEW;
        assertThat(turn(0, false, 0).wanted()).as("no members yet").isNull();
    }

    @Test
    @DisplayName("B205 whatever happens, what is told is within the bounds, and goes down by a decision for fewer"
            + " alone")
    void histories() {
        Random random = new Random(205);
        for (int history = 0; history < 300; history++) {
            state = ScalingState.NEW;
            wanted = new WantedMembers(POLICY, null);
            Integer before = null;
            int members = 1 + random.nextInt(6);
            for (int i = 0; i < 100; i++) {
                members = Math.max(0, members + (random.nextInt(4) == 0 ? random.nextInt(5) - 2 : 0));
                Integer told = turn(members, random.nextInt(5) > 0, random.nextDouble())
                        .wanted();
                if (told == null) {
                    assertThat(before).isNull();
                    continue;
                }
                assertThat(told).isBetween(2, 32);
                if (before != null && told < before) {
                    assertThat(decision.action()).isEqualTo(Decision.Action.DOWN);
                } else if (before != null && told > before) {
                    assertThat(decision.isChange()).isTrue();
                }
                before = told;
                members = random.nextBoolean() ? told : members;
            }
        }
    }
}
