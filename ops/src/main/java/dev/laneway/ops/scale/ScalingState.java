package dev.laneway.ops.scale;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is remembered from one decision to the next. Immutable. Times are milliseconds since 1970.
 *
 * @param lastMillis the time of the last decision; null before the first
 * @param asked what there should be; null before the first decision
 * @param changedMillis when the last change was asked for
 * @param isArriving whether that change has not settled since
 * @param differsMillis since when the members are not those that were asked for
 * @param settledMillis since when the group runs with the members that were asked for
 * @param quietMillis since when fewer members would have been enough, as far as can be told without gaps
 * @param recommendedMillis when that was looked at last
 * @param recommended the largest numbers of members since then, the largest first, each later than the one before
 * @param restarts seconds that the last changes took
 * @param capacities what numbers of members could do
 * @param pending the change whose effect is not measured yet
 * @param ineffective changes without effect, one after another
 * @param frozenMillis until when no step up is made
 */
public record ScalingState(
        @Nullable Long lastMillis,
        @Nullable GroupShape asked,
        @Nullable Long changedMillis,
        boolean isArriving,
        @Nullable Long differsMillis,
        @Nullable Long settledMillis,
        @Nullable Long quietMillis,
        @Nullable Long recommendedMillis,
        List<Recommended> recommended,
        List<Double> restarts,
        List<Capacity> capacities,
        @Nullable Pending pending,
        int ineffective,
        @Nullable Long frozenMillis) {
    /** Nothing is known yet. */
    public static final ScalingState NEW = new ScalingState(
            null, null, null, false, null, null, null, null, List.of(), List.of(), List.of(), null, 0, null);

    private static final int MOST_RESTARTS = 5;
    private static final int MOST_CAPACITIES = 10;

    /** Copies the lists. */
    public ScalingState {
        recommended = List.copyOf(recommended);
        restarts = List.copyOf(restarts);
        capacities = List.copyOf(capacities);
    }

    /** A number of members that would have been enough at a time. */
    public record Recommended(long atMillis, int members) {}

    /** What a number of members could do, in records a second. */
    public record Capacity(int members, double rate) {}

    /** A change, with the capacity before it and the one that it should bring, in records a second. */
    public record Pending(double before, double expected) {}

    /** Seconds that a change takes: the longest of the last ones, or what the policy says while none was measured. */
    static double restartSeconds(List<Double> restarts, ScalingPolicy policy) {
        return restarts.isEmpty()
                ? policy.get(ScalingOption.RESTART)
                : Math.min(Collections.max(restarts), policy.get(ScalingOption.RESTART_MAX));
    }

    /**
     * How much of a further member's work arrives, from 0.5 to 1: the slope of least squares through the origin of what
     * numbers of members could do, against that of the smallest number. 1 until three numbers were seen.
     */
    static double scalability(List<Capacity> capacities) {
        if (capacities.size() < 3) {
            return 1;
        }
        Capacity base = Collections.min(capacities, Comparator.comparingInt(Capacity::members));
        double products = 0;
        double squares = 0;
        for (Capacity each : capacities) {
            products += each.members() * each.rate();
            squares += (double) each.members() * each.members();
        }
        double slope = products / (base.rate() / base.members() * squares);
        return Double.isFinite(slope) ? Math.clamp(slope, 0.5, 1) : 1;
    }

    /** The same after a decision that nobody followed. */
    public ScalingState unchangedAt(long millis) {
        return at(millis);
    }

    /**
     * The same with what was learned, but without what was asked for: the members that are seen next are those.
     *
     * @param changed when the last change was, as far as it is known, in milliseconds since 1970
     */
    public ScalingState withoutRequest(@Nullable Long changed) {
        return begun(null, changed);
    }

    /** The same as if a change had been made at a time, in milliseconds since 1970. */
    public ScalingState changedAt(long millis) {
        return begun(asked, millis);
    }

    private ScalingState begun(@Nullable GroupShape request, @Nullable Long changed) {
        return new ScalingState(
                lastMillis,
                request,
                changed,
                false,
                null,
                null,
                null,
                null,
                List.of(),
                restarts,
                capacities,
                null,
                ineffective,
                frozenMillis);
    }

    /** The same after a decision that learned nothing. */
    ScalingState at(long millis) {
        return new ScalingState(
                millis,
                asked,
                changedMillis,
                isArriving,
                differsMillis,
                settledMillis,
                quietMillis,
                recommendedMillis,
                recommended,
                restarts,
                capacities,
                pending,
                ineffective,
                frozenMillis);
    }

    /** The state as if all of its times were so much later: for a clock that has gone back. */
    ScalingState shifted(long millis) {
        List<Recommended> later = new ArrayList<>();
        recommended.forEach(each -> later.add(new Recommended(each.atMillis() + millis, each.members())));
        return new ScalingState(
                plus(lastMillis, millis),
                asked,
                plus(changedMillis, millis),
                isArriving,
                plus(differsMillis, millis),
                plus(settledMillis, millis),
                plus(quietMillis, millis),
                plus(recommendedMillis, millis),
                later,
                restarts,
                capacities,
                pending,
                ineffective,
                plus(frozenMillis, millis));
    }

    private static @Nullable Long plus(@Nullable Long time, long millis) {
        return time == null ? null : time + millis;
    }

    /** Its parts, to be changed while a decision is made. Used by one thread. */
    static final class Draft {
        @Nullable
        Long lastMillis;

        GroupShape asked;

        @Nullable
        Long changedMillis;

        boolean isArriving;

        @Nullable
        Long differsMillis;

        @Nullable
        Long settledMillis;

        @Nullable
        Long quietMillis;

        @Nullable
        Long recommendedMillis;

        List<Recommended> recommended;
        List<Double> restarts;
        List<Capacity> capacities;

        @Nullable
        Pending pending;

        int ineffective;

        @Nullable
        Long frozenMillis;

        Draft(ScalingState state, GroupShape seen) {
            lastMillis = state.lastMillis;
            asked = state.asked == null ? seen : state.asked;
            changedMillis = state.changedMillis;
            isArriving = state.isArriving;
            differsMillis = state.differsMillis;
            settledMillis = state.settledMillis;
            quietMillis = state.quietMillis;
            recommendedMillis = state.recommendedMillis;
            recommended = state.recommended;
            restarts = state.restarts;
            capacities = state.capacities;
            pending = state.pending;
            ineffective = state.ineffective;
            frozenMillis = state.frozenMillis;
        }

        ScalingState done() {
            return new ScalingState(
                    lastMillis,
                    asked,
                    changedMillis,
                    isArriving,
                    differsMillis,
                    settledMillis,
                    quietMillis,
                    recommendedMillis,
                    recommended,
                    restarts,
                    capacities,
                    pending,
                    ineffective,
                    frozenMillis);
        }

        /** Forgets for how long fewer members would have been enough. */
        void forgetQuiet() {
            quietMillis = null;
            recommendedMillis = null;
            recommended = List.of();
        }

        /**
         * Remembers how many members would be enough; what is older than an interval is forgotten, and all after a gap.
         *
         * @param isSettled whether the interval counts from here on; if not, this can but lengthen it
         */
        void recommend(long atMillis, int members, boolean isSettled, long intervalMillis, long gapMillis) {
            if (isSettled) {
                if (recommendedMillis == null || atMillis - recommendedMillis > gapMillis) {
                    forgetQuiet();
                    quietMillis = atMillis;
                }
                recommendedMillis = atMillis;
            } else if (quietMillis == null) {
                return;
            }
            List<Recommended> kept = new ArrayList<>();
            for (Recommended each : recommended) {
                if (each.atMillis() >= atMillis - intervalMillis && each.members() > members) {
                    kept.add(each);
                }
            }
            kept.add(new Recommended(atMillis, members));
            recommended = kept;
        }

        void addRestart(double seconds) {
            restarts = added(restarts, seconds, MOST_RESTARTS);
        }

        /** Remembers what a number of members could do, evened out. */
        void addCapacity(int members, double rate) {
            List<Capacity> others = new ArrayList<>();
            double even = rate;
            for (Capacity each : capacities) {
                if (each.members() == members) {
                    even = 0.8 * each.rate() + 0.2 * rate;
                } else {
                    others.add(each);
                }
            }
            capacities = added(others, new Capacity(members, even), MOST_CAPACITIES);
        }

        private static <T> List<T> added(List<T> list, T last, int most) {
            List<T> longer = new ArrayList<>(list);
            longer.add(last);
            return longer.size() > most ? longer.subList(1, longer.size()) : longer;
        }
    }
}
