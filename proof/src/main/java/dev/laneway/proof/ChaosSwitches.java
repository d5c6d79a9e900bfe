package dev.laneway.proof;

import dev.laneway.ConfigurationException;
import java.util.EnumSet;
import java.util.Set;
import picocli.CommandLine.Option;

/** The options of {@link ChaosCommand} that name faults, and what members are. */
final class ChaosSwitches {
    @Option(names = "--kill-brokers", description = "Kill brokers, and end others orderly.")
    private boolean killBrokers;

    @Option(names = "--kill-members", description = "Kill members, and end others orderly.")
    private boolean killMembers;

    @Option(
            names = "--freeze-members",
            description = "Stop members (SIGSTOP) for longer than their session, then let them go on.")
    private boolean freezeMembers;

    @Option(names = "--cut-network", description = "Cut, slow down and reset the network between members and brokers.")
    private boolean cutNetwork;

    @Option(
            names = "--move-leaders",
            description = "Move the leadership of half of the partitions, coordinators included, to other brokers.")
    private boolean moveLeaders;

    @Option(
            names = "--delete-topic",
            description = "Let members read a second topic too, delete it under load, and create it again.")
    private boolean deleteTopic;

    @Option(
            names = "--fill-disk",
            description = "Let a broker's disk be full, and have room again. Takes Linux and root.")
    private boolean fillDisk;

    @Option(
            names = "--exactly-once",
            description = "Members write copies and progress in transactions; each record must have one copy.")
    private boolean exactlyOnce;

    @Option(
            names = "--share",
            description = "Members are of a share group: each record must be done at least once, in no order.")
    private boolean share;

    @Option(
            names = "--hour",
            description = "One hour: all faults that this machine allows, and 20 minutes of each kind of members.")
    private boolean hour;

    boolean isHour() {
        return hour;
    }

    ChaosPlan.Mode mode() {
        if (exactlyOnce) {
            return ChaosPlan.Mode.EXACTLY_ONCE;
        }
        return share ? ChaosPlan.Mode.SHARE : ChaosPlan.Mode.AT_LEAST_ONCE;
    }

    /** The faults that are made: those that were named, or all that so many brokers and any machine allow. */
    Set<Fault.Kind> kinds(int brokers) {
        if (anyNamed()) {
            Set<Fault.Kind> named = EnumSet.allOf(Fault.Kind.class);
            named.removeIf(kind -> !isNamed(kind));
            return named;
        }
        Set<Fault.Kind> all = EnumSet.allOf(Fault.Kind.class);
        if (!hour || !SmallDisk.isPossible()) {
            all.removeIf(Fault.Kind::isSpecial);
        }
        if (brokers < 2) {
            all.remove(Fault.Kind.MOVE_LEADERS);
        }
        return all;
    }

    void check(int brokers, boolean minutesGiven) {
        if (hour && (minutesGiven || exactlyOnce || share || anyNamed())) {
            throw new ConfigurationException(
                    "--hour",
                    "given",
                    "must not be with --minutes, --exactly-once, --share or a fault, since it is of all of them",
                    "leave it or them out");
        }
        if (exactlyOnce && share) {
            throw new ConfigurationException(
                    "--share", "given", "must not be with --exactly-once: share groups have no transactions", "choose");
        }
        if (moveLeaders && brokers < 2) {
            throw new ConfigurationException(
                    "--move-leaders", "given", "must not be with one broker, which leads all", "raise --brokers");
        }
    }

    private boolean anyNamed() {
        return EnumSet.allOf(Fault.Kind.class).stream().anyMatch(this::isNamed);
    }

    private boolean isNamed(Fault.Kind kind) {
        return switch (kind) {
            case KILL_MEMBER, STOP_MEMBER -> killMembers;
            case FREEZE_MEMBER -> freezeMembers;
            case KILL_BROKER, STOP_BROKER -> killBrokers;
            case CUT_MEMBER, CUT_BROKER -> cutNetwork;
            case MOVE_LEADERS -> moveLeaders;
            case DELETE_TOPIC -> deleteTopic;
            case FILL_DISK -> fillDisk;
        };
    }
}
