package dev.laneway.proof;

import dev.laneway.cli.program.Text;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Kills, ends and stops members, and brings them back; at least one is up and reaches the brokers. Used by one thread.
 */
final class ChaosMemberFaults {
    private static final Duration LONGEST_DOWN = Duration.ofSeconds(5);
    private static final Duration LONGEST_FREEZE_BEYOND_SESSION = Duration.ofSeconds(6);

    private final ChaosMembers members;
    private final ChaosCuts cuts;
    private final RandomGenerator chance;
    private final FaultLog log;
    private final long[] dueNanos;
    private final Map<Integer, Freeze> frozen = new HashMap<>();
    private final List<String> failures = new ArrayList<>();

    /** A member that is stopped, until when, and where that stands in the log. */
    private record Freeze(int entry, long untilNanos) {}

    ChaosMemberFaults(ChaosMembers members, ChaosCuts cuts, RandomGenerator chance, FaultLog log) {
        this.members = members;
        this.cuts = cuts;
        this.chance = chance;
        this.log = log;
        this.dueNanos = new long[members.size() + 1];
    }

    /** Hits a member drawn by chance; false when that is not possible now. */
    boolean strike(Fault.Kind kind) {
        int number = 1 + chance.nextInt(members.size());
        if (!isSpare(number)) {
            return false;
        }
        if (kind == Fault.Kind.FREEZE_MEMBER) {
            freeze(number);
        } else {
            end(kind, number);
        }
        return true;
    }

    private void end(Fault.Kind kind, int number) {
        Duration down = ChaosFaults.between(chance, Duration.ZERO, LONGEST_DOWN);
        String who = "member " + number + " (pid " + members.pid(number) + "), which comes back after "
                + Text.duration(down);
        if (kind == Fault.Kind.KILL_MEMBER) {
            log.made(kind, number, "kill -9 of " + who);
            members.kill(number);
        } else {
            log.made(kind, number, "SIGTERM to " + who);
            members.terminate(number);
        }
        dueNanos[number] = down.toNanos();
    }

    /**
     * For longer than its session, or the locks of a share group, so that others take what it still believes to hold.
     */
    private void freeze(int number) {
        Duration down =
                ChaosFaults.between(chance, members.tenure(), members.tenure().plus(LONGEST_FREEZE_BEYOND_SESSION));
        int entry = log.made(
                Fault.Kind.FREEZE_MEMBER,
                number,
                "SIGSTOP to member " + number + " (pid " + members.pid(number) + "), which goes on after "
                        + Text.duration(down));
        members.freeze(number);
        frozen.put(number, new Freeze(entry, System.nanoTime() + down.toNanos()));
    }

    /** Whether a member works and another one would still work without it, if there are others. */
    boolean isSpare(int number) {
        if (!members.isAtWork(number)) {
            return false;
        }
        for (int other = 1; other <= members.size(); other++) {
            if (other != number && members.isUp(other) && !members.isFrozen(other) && !cuts.hasMember(other)) {
                return true;
            }
        }
        return false;
    }

    /** Notices the ends of members, and starts those that are due, or all. */
    void tick(long now, boolean healing) {
        for (int number = 1; number <= members.size(); number++) {
            tend(number, now, healing);
        }
        frozen.entrySet().removeIf(member -> {
            boolean due = healing || now - member.getValue().untilNanos() >= 0;
            if (due) {
                members.thaw(member.getKey());
                log.over(member.getValue().entry(), "member " + member.getKey() + " goes on");
            }
            return due;
        });
    }

    private void tend(int number, long now, boolean healing) {
        if (bury(number)) {
            dueNanos[number] = now + (healing ? 0 : dueNanos[number]);
        } else if (!members.isInLife(number) && (healing || now - dueNanos[number] >= 0)) {
            dueNanos[number] = 0;
            members.start(number);
            log.say("member " + number + " is started");
        }
    }

    boolean isHealed() {
        return members.up() == members.size() && frozen.isEmpty();
    }

    /** Records how each member ended. */
    void buryAll() {
        for (int number = 1; number <= members.size(); number++) {
            bury(number);
        }
    }

    /** Records a member's end; returns whether it had ended. */
    private boolean bury(int number) {
        ChaosMembers.Life life = members.buried(number);
        if (life != null && life.ending() == ChaosMembers.Ending.FAILED) {
            String words = life.name() + " ended by itself or with a failure: " + members.lastWords(life);
            failures.add(words);
            log.say(words);
        }
        return life != null;
    }

    /** Members that ended by themselves or with a failure. */
    List<String> failures() {
        return List.copyOf(failures);
    }
}
