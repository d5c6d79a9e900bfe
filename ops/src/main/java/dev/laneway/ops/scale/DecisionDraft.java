package dev.laneway.ops.scale;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A decision on its way: what is known, what was found, and the state that follows. Used by one thread. */
final class DecisionDraft {
    final ScalingMetrics metrics;
    final ScalingPolicy policy;
    final long now;
    final int members;
    final ScalingState.Draft state;
    final List<RuleNote> gates = new ArrayList<>();
    final List<RuleNote> fired = new ArrayList<>();
    final List<RuleNote> held = new ArrayList<>();
    final List<String> clampedBy = new ArrayList<>();

    LoadDemand demand = new LoadDemand(false, false, 0, 0, 0, List.of());
    List<Decision.SourceTarget> targets = List.of();
    double restartSeconds;
    int min;
    int max;
    int raw;
    int aligned;
    Decision.@Nullable Outcome outcome;

    DecisionDraft(ScalingMetrics metrics, ScalingPolicy policy, ScalingState.Draft state) {
        this.metrics = metrics;
        this.policy = policy;
        this.state = state;
        now = metrics.atMillis();
        members = metrics.shape().members();
    }

    /** Keeps all as it is. */
    void close(ScalingRule gate, String why, @Nullable Long untilMillis) {
        gates.add(new RuleNote(gate, why, untilMillis));
    }

    void fire(ScalingRule rule, String why) {
        fired.add(RuleNote.of(rule, why));
    }

    void hold(ScalingRule rule, String why, @Nullable Long untilMillis) {
        held.add(new RuleNote(rule, why, untilMillis));
    }

    /** The first wish that fired, in words. */
    private String wish() {
        for (RuleNote note : fired) {
            if (note.rule().kind() == ScalingRule.Kind.WISH) {
                return note.why();
            }
        }
        return "";
    }

    /** A wish, and why nothing comes of it. */
    Decision refuse(ScalingRule rule, String why, @Nullable Long untilMillis) {
        String wish = wish();
        held.addFirst(new RuleNote(rule, why, untilMillis));
        held.addAll(gates);
        return keep((wish.isEmpty() ? "" : wish + ", but ") + why + until(untilMillis));
    }

    /** Nothing is to be changed. */
    Decision keep(String why) {
        return done(Decision.Action.HOLD, metrics.shape(), null, "HOLD at " + members + ": " + why + ".");
    }

    /** A change, unless a gate is closed. */
    Decision change(Decision.Action action, GroupShape to, Decision.Expected expected, RuleNote way) {
        String what = words(action, to);
        if (!gates.isEmpty()) {
            RuleNote gate = gates.getFirst();
            fired.addAll(gates);
            held.add(new RuleNote(way.rule(), what + " is held back: " + gate.why(), gate.untilMillis()));
            return keep(gate.why() + until(gate.untilMillis()) + "; otherwise " + lower(what) + ", since " + wish());
        }
        fired.add(way);
        state.asked = to;
        state.changedMillis = now;
        state.isArriving = true;
        state.settledMillis = null;
        state.forgetQuiet();
        boolean isMore = action != Decision.Action.DOWN;
        state.pending = isMore && demand.isKnown() && demand.capacity() > 0
                ? new ScalingState.Pending(demand.capacity(), expected.capacity())
                : null;
        String wish = wish();
        return done(action, to, expected, what + ": " + (wish.isEmpty() ? way.why() : wish + "; " + way.why()) + ".");
    }

    /** All gates that are closed, and nothing that was wanted. */
    Decision keepAtGate() {
        RuleNote gate = gates.getFirst();
        fired.addAll(gates);
        return keep(gate.why() + until(gate.untilMillis()));
    }

    private String words(Decision.Action action, GroupShape to) {
        GroupShape from = metrics.shape();
        return switch (action) {
            case HOLD -> "HOLD at " + members;
            case UP -> "UP from " + members + " to " + to.members();
            case DOWN -> "DOWN from " + members + " to " + to.members();
            case TUNE ->
                to.concurrency() != from.concurrency()
                        ? "TUNE concurrency from " + from.concurrency() + " to " + to.concurrency()
                        : "TUNE threads from " + from.threads() + " to " + to.threads();
            case RESIZE ->
                to.memoryBytes() != from.memoryBytes()
                        ? "RESIZE memory from " + megabytes(from) + " to " + megabytes(to) + " MB"
                        : "RESIZE processors from " + Num.of(from.cores()) + " to " + Num.of(to.cores());
        };
    }

    private static long megabytes(GroupShape shape) {
        return shape.memoryBytes() / 1_000_000;
    }

    private static String lower(String text) {
        int space = text.indexOf(' ');
        return text.substring(0, space).toLowerCase(Locale.ROOT) + text.substring(space);
    }

    private String until(@Nullable Long untilMillis) {
        return untilMillis == null ? "" : ", for " + Num.seconds(untilMillis - now) + " more";
    }

    private Decision done(
            Decision.Action action, GroupShape to, Decision.@Nullable Expected expected, String sentence) {
        return new Decision(
                now,
                action,
                metrics.shape(),
                to,
                raw,
                aligned,
                clampedBy,
                targets,
                fired,
                held,
                expected,
                outcome,
                Character.toUpperCase(sentence.charAt(0)) + sentence.substring(1),
                state.done());
    }
}
