package dev.laneway.cli;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Makes faults and repairs them: {@link #tick} does what is due. At most one broker is down or cut off at a time, and
 * the next one ends only when all replicas are in sync again, so that records that count have a replica alive; at least
 * one member is up and reaches the brokers. Used by one thread.
 */
final class ChaosFaults {
    private static final Duration LONGEST_MEMBER_DOWN = Duration.ofSeconds(5);
    private static final Duration LONGEST_FREEZE_BEYOND_SESSION = Duration.ofSeconds(6);
    private static final Duration LEAST_BROKER_DOWN = Duration.ofSeconds(1);
    private static final Duration LONGEST_BROKER_DOWN = Duration.ofSeconds(8);
    private static final Duration END_LIMIT = Duration.ofSeconds(60);

    private final ChaosPlan plan;
    private final RandomGenerator chance;
    private final ChaosBrokers brokers;
    private final ChaosMembers members;
    private final ChaosCuts cuts;
    private final ChaosWatch watch;
    private final FaultLog log;
    private final long[] memberDueNanos;
    private final Map<Integer, Freeze> frozen = new HashMap<>();
    private final List<String> failures = new ArrayList<>();
    private @Nullable BrokerFault broken;
    private long brokerRestartedNanos = System.nanoTime();
    private long nextFaultNanos;
    private boolean healing;

    /** A member that is stopped, until when, and where that stands in the log. */
    private record Freeze(int entry, long untilNanos) {}

    /** The one broker that is down, ending, or not yet in service again. */
    private static final class BrokerFault {
        final int id;
        final int entry;
        final Duration down;
        long endByNanos;
        long restartNanos;
        boolean ended;
        boolean restarted;
        boolean serving;

        BrokerFault(int id, int entry, Duration down) {
            this.id = id;
            this.entry = entry;
            this.down = down;
            this.endByNanos = System.nanoTime() + END_LIMIT.toNanos();
        }
    }

    ChaosFaults(
            ChaosPlan plan,
            RandomGenerator chance,
            ChaosBrokers brokers,
            ChaosMembers members,
            ChaosNetwork network,
            ChaosWatch watch,
            PrintStream text) {
        this.plan = plan;
        this.chance = chance;
        this.brokers = brokers;
        this.members = members;
        this.watch = watch;
        this.log = new FaultLog(text);
        this.cuts = new ChaosCuts(network, chance, log);
        this.memberDueNanos = new long[plan.members() + 1];
        this.nextFaultNanos = next(System.nanoTime());
    }

    /** Does what is due: repairs, and a fault unless it heals. */
    void tick() {
        long now = System.nanoTime();
        for (int number = 1; number <= members.size(); number++) {
            tend(number, now);
        }
        thaw(now);
        tendBroker(now);
        noticeDeadBrokers();
        cuts.tick(now, healing);
        if (!healing && now - nextFaultNanos >= 0) {
            nextFaultNanos = next(now);
            strike();
        }
    }

    /** Makes no more faults and repairs at once. */
    void heal() {
        healing = true;
        log.say("no more faults; everything is repaired");
    }

    /** Whether all members are up, all brokers in sync, and all ways open. */
    boolean isHealed() {
        return members.up() == members.size()
                && frozen.isEmpty()
                && broken == null
                && cuts.isEmpty()
                && watch.isInSyncSince(brokerRestartedNanos);
    }

    /** Writes down the ends of all members, which have ended. */
    void buryAll() {
        for (int number = 1; number <= members.size(); number++) {
            bury(number);
        }
    }

    /** What nobody asked for: members or brokers that ended by themselves. */
    List<String> failures() {
        return List.copyOf(failures);
    }

    FaultLog log() {
        return log;
    }

    private long next(long now) {
        return now + (long) (plan.every().toNanos() * (0.5 + chance.nextDouble()));
    }

    private Duration between(Duration least, Duration most) {
        return least.plusNanos((long) (most.minus(least).toNanos() * chance.nextDouble()));
    }

    /** Tries kinds until one can be made now: those that were made least first, so that short runs have all of them. */
    private void strike() {
        List<Fault.Kind> kinds = new ArrayList<>();
        for (Fault.Kind kind : Fault.Kind.values()) {
            if (plan.kinds().contains(kind)) {
                kinds.add(chance.nextInt(kinds.size() + 1), kind);
            }
        }
        kinds.sort(Comparator.comparingLong(log::times));
        for (Fault.Kind kind : kinds) {
            if (strike(kind)) {
                return;
            }
        }
    }

    private boolean strike(Fault.Kind kind) {
        return switch (kind) {
            case KILL_MEMBER, STOP_MEMBER -> strikeMember(kind);
            case FREEZE_MEMBER -> freeze();
            case KILL_BROKER, STOP_BROKER -> strikeBroker(kind);
            case CUT_MEMBER, CUT_BROKER -> cut(kind);
        };
    }

    private boolean strikeMember(Fault.Kind kind) {
        int number = 1 + chance.nextInt(members.size());
        Duration down = between(Duration.ZERO, LONGEST_MEMBER_DOWN);
        if (!othersWork(number) || !members.isAtWork(number)) {
            return false;
        }
        String who = "member " + number + " (pid " + members.pid(number) + "), which comes back after "
                + Text.duration(down);
        if (kind == Fault.Kind.KILL_MEMBER) {
            log.made(kind, number, "kill -9 of " + who);
            members.kill(number);
        } else {
            log.made(kind, number, "SIGTERM to " + who);
            members.terminate(number);
        }
        memberDueNanos[number] = down.toNanos();
        return true;
    }

    /** Beyond its session, so that others take what it holds while it believes to hold it still. */
    private boolean freeze() {
        int number = 1 + chance.nextInt(members.size());
        Duration down =
                between(ChaosPlan.SESSION.plusSeconds(1), ChaosPlan.SESSION.plus(LONGEST_FREEZE_BEYOND_SESSION));
        if (!othersWork(number) || !members.isAtWork(number)) {
            return false;
        }
        int entry = log.made(
                Fault.Kind.FREEZE_MEMBER,
                number,
                "SIGSTOP to member " + number + " (pid " + members.pid(number) + "), which goes on after "
                        + Text.duration(down));
        members.freeze(number);
        frozen.put(number, new Freeze(entry, System.nanoTime() + down.toNanos()));
        return true;
    }

    private void thaw(long now) {
        frozen.entrySet().removeIf(member -> {
            boolean due = healing || now - member.getValue().untilNanos() >= 0;
            if (due) {
                members.thaw(member.getKey());
                log.over(member.getValue().entry(), "member " + member.getKey() + " goes on");
            }
            return due;
        });
    }

    /** Whether a member would not leave the others, if there were any, without one that can work. */
    private boolean othersWork(int number) {
        for (int other = 1; other <= members.size(); other++) {
            if (other != number && members.isUp(other) && !members.isFrozen(other) && !cuts.hasMember(other)) {
                return true;
            }
        }
        return false;
    }

    private boolean cut(Fault.Kind kind) {
        int target = 1 + chance.nextInt(kind.hitsBroker() ? brokers.size() : members.size());
        boolean possible = kind.hitsBroker()
                ? broken == null && !cuts.hasBroker()
                : !cuts.hasMember(target) && members.isAtWork(target) && othersWork(target);
        if (possible) {
            cuts.make(kind, target);
        }
        return possible;
    }

    /** Sees a member's end, and starts it again when that is due. */
    private void tend(int number, long now) {
        if (bury(number)) {
            memberDueNanos[number] = now + (healing ? 0 : memberDueNanos[number]);
        } else if (!members.isInLife(number) && (healing || now - memberDueNanos[number] >= 0)) {
            memberDueNanos[number] = 0;
            members.start(number);
            log.say("member " + number + " is started");
        }
    }

    /** Writes a member's end down; returns whether there was one to write down. */
    private boolean bury(int number) {
        ChaosMembers.Life life = members.buried(number);
        if (life != null && life.ending() == ChaosMembers.Ending.FAILED) {
            String words = life.name() + " ended by itself or with a failure: " + members.lastWords(life);
            failures.add(words);
            log.say(words);
        }
        return life != null;
    }

    private boolean strikeBroker(Fault.Kind kind) {
        int id = 1 + chance.nextInt(brokers.size());
        Duration down = between(LEAST_BROKER_DOWN, LONGEST_BROKER_DOWN);
        if (broken != null || cuts.hasBroker() || !watch.isInSyncSince(brokerRestartedNanos)) {
            return false;
        }
        String who =
                "broker " + id + " (pid " + brokers.get(id).pid() + "), which comes back after " + Text.duration(down);
        if (kind == Fault.Kind.KILL_BROKER) {
            broken = new BrokerFault(id, log.made(kind, id, "kill -9 of " + who), down);
            brokers.get(id).kill();
        } else {
            broken = new BrokerFault(id, log.made(kind, id, "orderly end of " + who), down);
            brokers.get(id).endInput();
        }
        return true;
    }

    private void tendBroker(long now) {
        BrokerFault fault = broken;
        if (fault == null) {
            return;
        }
        if (!fault.ended) {
            if (!brokers.get(fault.id).isAlive()) {
                fault.ended = true;
                fault.restartNanos = now + fault.down.toNanos();
            } else if (now - fault.endByNanos > 0) {
                log.say("broker " + fault.id + " does not end; kill -9");
                brokers.get(fault.id).kill();
            }
        } else if (!fault.restarted) {
            if (healing || now - fault.restartNanos >= 0) {
                brokers.restart(fault.id);
                fault.restarted = true;
                log.say("broker " + fault.id + " is started");
            }
        } else if (!fault.serving) {
            // Until then the cluster may still take the dead one for alive, and in sync.
            fault.serving = brokers.isServing(fault.id);
            brokerRestartedNanos = now;
        } else if (watch.isInSyncSince(brokerRestartedNanos)) {
            log.over(fault.entry, "broker " + fault.id + " is in sync again");
            broken = null;
        }
    }

    private void noticeDeadBrokers() {
        for (int id = 1; id <= brokers.size(); id++) {
            boolean asked = broken != null && broken.id == id && !broken.restarted;
            if (!asked && !brokers.get(id).isAlive()) {
                throw new VerbFailure("broker " + id + " ended by itself, with exit code "
                        + brokers.get(id).exitCode() + ": " + brokers.get(id).lastWords());
            }
        }
    }
}
