package dev.laneway.ops.control;

import dev.laneway.ops.scale.Decision;
import dev.laneway.ops.scale.LogEntry;
import dev.laneway.ops.scale.ScalingDecider;
import dev.laneway.ops.scale.ScalingMetrics;
import dev.laneway.ops.scale.ScalingPolicy;
import dev.laneway.ops.scale.ScalingState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs a policy, a turn at a time: looks, measures, decides, writes that down, and acts. Whoever has it calls
 * {@link #turn()} each few seconds. Used by one thread.
 *
 * <p><b>What it keeps to.</b> A change is in the log before it is made, so that a loop that is started again knows of
 * it; what cannot be written is not done. A change that is refused was not: the next turn decides from the state
 * before. A change of which nobody knows whether it was made counts as made. An {@link ActGuard} looks at each change
 * once more.
 */
public final class ScalingLoop {
    private static final long MILLI = 1_000_000;

    private final Settings settings;
    private final GroupMeter meter;
    private final ScalingActor actor;
    private final Predicate<LogEntry> log;
    private final LoopClock clock;
    private final ActGuard guard;

    private ScalingState state;
    private boolean wasStandby;
    private @Nullable String actedBefore;

    /**
     * What does not change while a loop runs. Immutable.
     *
     * @param group whose members they are
     * @param stop asked before each change: why none must be made now, in words, or null; a kill switch
     */
    public record Settings(String group, ScalingMode mode, ScalingPolicy policy, Supplier<@Nullable String> stop) {}

    /**
     * @param log appends a decision, and tells whether it is written
     * @param begin the state to begin with, see {@link LoopStart}
     */
    public ScalingLoop(
            Settings settings,
            GroupMeter meter,
            ScalingActor actor,
            Predicate<LogEntry> log,
            LoopClock clock,
            ScalingState begin) {
        this.settings = settings;
        this.meter = meter;
        this.actor = actor;
        this.log = log;
        this.clock = clock;
        this.guard = new ActGuard(settings.policy());
        this.state = begin;
        if (settings.mode() == ScalingMode.ACT) {
            guard.changed(clock.nanos());
            meter.changed(); // By the first look, which starts members.
        }
    }

    /** One turn. */
    public LoopTurn turn() {
        boolean acts = settings.mode() == ScalingMode.ACT;
        String stopped = acts ? settings.stop().get() : null;
        ActorView view = actor.look(acts && stopped == null);
        GroupMeter.Reading reading = meter.read(view);
        long nanos = clock.nanos();
        long now = clock.millis();
        List<String> news = new ArrayList<>(view.news());
        news.addAll(reading.troubles());
        String standby = !acts ? null : stopped != null ? stopped : view.standby();
        if (acts) {
            noteStandby(view, now);
        }
        ScalingMetrics read = reading.metrics();
        if (read == null) {
            return new LoopTurn(now, null, null, false, news);
        }
        // The age by a clock that does not leap: however the machine's clock is set, stale data is stale.
        ScalingMetrics metrics = read.at(now).measuredAt(now - reading.ageNanos() / MILLI);
        Decision decision = ScalingDecider.decide(state, metrics, settings.policy());
        ScalingState before = state;
        ScalingMode mode = standby == null ? settings.mode() : ScalingMode.OBSERVE;
        boolean isWritten =
                log.test(LogEntry.of(settings.group(), mode.word(), settings.policy(), before, metrics, decision)
                        .after(actedBefore));
        actedBefore = null;
        if (!decision.isChange()) {
            state = decision.next();
            return new LoopTurn(now, decision, null, false, news);
        }
        return switch (settings.mode()) {
            case OBSERVE -> undone(decision, null, news);
            case RECOMMEND -> {
                state = decision.next();
                yield new LoopTurn(now, decision, null, false, news);
            }
            case ACT -> {
                String refusal = standby;
                if (refusal == null && !isWritten) {
                    refusal = "the decision cannot be written to the log";
                }
                if (refusal == null) {
                    refusal = guard.refusal(decision, view.members(), reading.ageNanos(), nanos);
                }
                yield refusal == null ? act(decision, nanos, news) : undone(decision, "not done: " + refusal, news);
            }
        };
    }

    /** Who was not allowed to act does not know what others have changed meanwhile: so that counts as a change. */
    private void noteStandby(ActorView view, long now) {
        if (view.standby() != null) {
            wasStandby = true;
        } else if (wasStandby) {
            wasStandby = false;
            state = state.withoutRequest(now);
            guard.changed(clock.nanos());
        }
    }

    private LoopTurn act(Decision decision, long nanos, List<String> news) {
        ActorAnswer answer =
                actor.change(decision.from().members(), decision.to().members(), decision.sentence());
        if (answer instanceof ActorAnswer.Refused) {
            return undone(decision, "not done: " + answer.words(), news);
        }
        guard.changed(nanos);
        meter.changed();
        state = decision.next();
        actedBefore = answer.words();
        return new LoopTurn(decision.atMillis(), decision, answer.words(), true, news);
    }

    /** Nothing was changed, so what was decided is forgotten. */
    private LoopTurn undone(Decision decision, @Nullable String why, List<String> news) {
        state = state.unchangedAt(decision.atMillis());
        actedBefore = why;
        return new LoopTurn(decision.atMillis(), decision, why, false, news);
    }

    /** The state for the next turn. */
    ScalingState state() {
        return state;
    }
}
