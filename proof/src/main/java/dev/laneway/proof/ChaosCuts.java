package dev.laneway.proof;

import dev.laneway.cli.program.Text;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** Disturbs the network between members and brokers, often for longer than a member's session. Used by one thread. */
final class ChaosCuts {
    private static final Duration LEAST = Duration.ofSeconds(1);
    private static final Duration LONGEST = ChaosPlan.SESSION.multipliedBy(3);

    private final ChaosNetwork network;
    private final RandomGenerator chance;
    private final FaultLog log;
    private final List<Cut> cuts = new ArrayList<>();

    private record Cut(Fault.Kind kind, int target, int entry, long healNanos) {}

    ChaosCuts(ChaosNetwork network, RandomGenerator chance, FaultLog log) {
        this.network = network;
        this.chance = chance;
        this.log = log;
    }

    /** Disturbs all connections of a member or of a broker. */
    void make(Fault.Kind kind, int target) {
        ChaosNetwork.Way[] all = ChaosNetwork.Way.values();
        ChaosNetwork.Way way = all[chance.nextInt(all.length)];
        Duration lasts = LEAST.plusNanos((long) (LONGEST.minus(LEAST).toNanos() * chance.nextDouble()));
        boolean broker = kind.hitsBroker();
        String what = "network of " + (broker ? "broker " : "member ") + target + " for " + Text.duration(lasts) + ": "
                + way.words();
        cuts.add(new Cut(kind, target, log.made(kind, target, what), System.nanoTime() + lasts.toNanos()));
        if (broker) {
            network.disturbBroker(target, way);
        } else {
            network.disturbMember(target, way);
        }
    }

    /** Whether all connections of a member are disturbed. */
    boolean hasMember(int number) {
        return cuts.stream().anyMatch(cut -> !cut.kind().hitsBroker() && cut.target() == number);
    }

    /** Whether a broker's connections are disturbed. */
    boolean hasBroker() {
        return cuts.stream().anyMatch(cut -> cut.kind().hitsBroker());
    }

    boolean isEmpty() {
        return cuts.isEmpty();
    }

    /** Heals what is due, or all. */
    void tick(long now, boolean all) {
        for (Cut cut : List.copyOf(cuts)) {
            if (all || now - cut.healNanos() >= 0) {
                cuts.remove(cut);
                heal(cut);
            }
        }
    }

    private void heal(Cut cut) {
        if (cut.kind().hitsBroker()) {
            network.healBroker(cut.target());
            log.over(cut.entry(), "network of broker " + cut.target() + " is healed");
        } else {
            network.healMember(cut.target());
            log.over(cut.entry(), "network of member " + cut.target() + " is healed");
        }
    }
}
