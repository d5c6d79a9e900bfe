package dev.laneway.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Makes faults and repairs them: {@link #tick} does what is due. At most one broker is down or cut off at a time, and
 * the next one ends only when all replicas are in sync again, so that each acknowledged record has a live replica. Used
 * by one thread.
 */
final class ChaosFaults {
    private final ChaosPlan plan;
    private final RandomGenerator chance;
    private final ChaosBrokers brokers;
    private final ChaosMembers members;
    private final ChaosCuts cuts;
    private final ChaosMemberFaults onMembers;
    private final ChaosBrokerFaults onBrokers;
    private final ChaosLeaders leaders;
    private final ChaosTopics topics;
    private final FaultLog log;
    private long nextFaultNanos;
    private boolean healing;

    ChaosFaults(
            ChaosPlan plan,
            RandomGenerator chance,
            ChaosBrokers brokers,
            ChaosMembers members,
            ChaosNetwork network,
            ChaosWatch watch,
            ChaosLeaders leaders,
            ChaosTopics topics,
            FaultLog log) {
        this.plan = plan;
        this.chance = chance;
        this.brokers = brokers;
        this.members = members;
        this.log = log;
        this.leaders = leaders;
        this.topics = topics;
        this.cuts = new ChaosCuts(network, chance, log);
        this.onMembers = new ChaosMemberFaults(members, cuts, chance, log);
        this.onBrokers = new ChaosBrokerFaults(brokers, watch, chance, log);
        this.nextFaultNanos = next(System.nanoTime());
    }

    /** Does what is due: repairs, and a fault unless it heals. */
    void tick() {
        long now = System.nanoTime();
        onMembers.tick(now, healing);
        onBrokers.tick(now, healing);
        cuts.tick(now, healing);
        leaders.tick();
        topics.tick();
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

    /** Whether all members are up, all brokers in sync, and all connections open. */
    boolean isHealed() {
        return onMembers.isHealed() && onBrokers.isHealed() && cuts.isEmpty() && !leaders.isBusy() && !topics.isBusy();
    }

    /** Records how each member ended. */
    void buryAll() {
        onMembers.buryAll();
    }

    /** Members that ended by themselves or with a failure. */
    List<String> failures() {
        return onMembers.failures();
    }

    FaultLog log() {
        return log;
    }

    private long next(long now) {
        return now + (long) (plan.every().toNanos() * (0.5 + chance.nextDouble()));
    }

    /** A time drawn by chance. */
    static Duration between(RandomGenerator chance, Duration least, Duration most) {
        return least.plusNanos((long) (most.minus(least).toNanos() * chance.nextDouble()));
    }

    /** Makes one fault: tries the kinds that were made least first, so that short runs have all of them. */
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
            case KILL_MEMBER, STOP_MEMBER, FREEZE_MEMBER -> onMembers.strike(kind);
            case KILL_BROKER, STOP_BROKER, FILL_DISK -> {
                boolean possible = !cuts.hasBroker() && onBrokers.isHealed();
                if (possible) {
                    onBrokers.strike(kind);
                }
                yield possible;
            }
            case CUT_MEMBER, CUT_BROKER -> cut(kind);
            case MOVE_LEADERS -> onBrokers.isHealed() && leaders.begin();
            case DELETE_TOPIC -> onBrokers.isHealed() && topics.begin();
        };
    }

    private boolean cut(Fault.Kind kind) {
        int target = 1 + chance.nextInt(kind.hitsBroker() ? brokers.size() : members.size());
        boolean possible = kind.hitsBroker()
                ? !onBrokers.hasBroken() && !cuts.hasBroker()
                : !cuts.hasMember(target) && onMembers.isSpare(target);
        if (possible) {
            cuts.make(kind, target);
        }
        return possible;
    }
}
