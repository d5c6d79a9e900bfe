package dev.laneway.ops.control;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an actor sees. Immutable.
 *
 * @param members that run; null if the actor cannot tell now, or has none of its own
 * @param standby why nothing must be changed now, in words; null if the actor may act
 * @param isSettled whether the members are those that were asked for
 * @param pids of members that run on this machine and can be looked into
 * @param news what has happened since the latest look, in sentences for people
 */
public record ActorView(
        @Nullable Integer members, @Nullable String standby, boolean isSettled, Set<Long> pids, List<String> news) {
    /** That of an actor without members of its own. */
    public static final ActorView NONE = new ActorView(null, null, true, Set.of(), List.of());

    /** Copies the set and the list. */
    public ActorView {
        pids = Set.copyOf(pids);
        news = List.copyOf(news);
    }

    /** Members that cannot be looked into. */
    public static ActorView of(int members, boolean isSettled) {
        return new ActorView(members, null, isSettled, Set.of(), List.of());
    }

    /** The members cannot be told now, so that nothing may be changed. */
    public static ActorView unknown(String why) {
        return new ActorView(null, why, false, Set.of(), List.of());
    }
}
