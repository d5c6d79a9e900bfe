package dev.laneway.proof;

import dev.laneway.cli.program.Text;
import dev.laneway.cli.program.VerbFailure;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Kills, ends and restarts brokers, and fills their disks, one broker at a time. Used by one thread. */
final class ChaosBrokerFaults {
    private static final Duration LEAST_DOWN = Duration.ofSeconds(1);
    private static final Duration LONGEST_DOWN = Duration.ofSeconds(8);
    private static final Duration END_LIMIT = Duration.ofSeconds(60);

    private final ChaosBrokers brokers;
    private final ChaosWatch watch;
    private final RandomGenerator chance;
    private final FaultLog log;
    private @Nullable BrokerFault broken;
    private long restartedNanos = System.nanoTime();

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
        /** Whether its disk is full. */
        boolean full;

        BrokerFault(int id, int entry, Duration down) {
            this.id = id;
            this.entry = entry;
            this.down = down;
            this.endByNanos = System.nanoTime() + END_LIMIT.toNanos();
        }
    }

    ChaosBrokerFaults(ChaosBrokers brokers, ChaosWatch watch, RandomGenerator chance, FaultLog log) {
        this.brokers = brokers;
        this.watch = watch;
        this.chance = chance;
        this.log = log;
    }

    /** Whether a broker is down, or not yet in sync again. */
    boolean hasBroken() {
        return broken != null;
    }

    /** Whether all are up, and were all in sync since the last one came back. */
    boolean isHealed() {
        return broken == null && watch.isInSyncSince(restartedNanos);
    }

    /** Hits a broker drawn by chance; only when all are well. */
    void strike(Fault.Kind kind) {
        int id = 1 + chance.nextInt(brokers.size());
        Duration down = ChaosFaults.between(chance, LEAST_DOWN, LONGEST_DOWN);
        String broker = "broker " + id + " (pid " + brokers.get(id).pid() + ")";
        String who = broker + ", which comes back after " + Text.duration(down);
        if (kind == Fault.Kind.FILL_DISK) {
            BrokerFault fault = new BrokerFault(
                    id, log.made(kind, id, "the disk of " + broker + " is full for " + Text.duration(down)), down);
            fault.full = true;
            fault.restartNanos = System.nanoTime() + down.toNanos();
            brokers.disk(id).fill();
            broken = fault;
        } else if (kind == Fault.Kind.KILL_BROKER) {
            broken = new BrokerFault(id, log.made(kind, id, "kill -9 of " + who), down);
            brokers.get(id).kill();
        } else {
            broken = new BrokerFault(id, log.made(kind, id, "orderly end of " + who), down);
            brokers.get(id).endInput();
        }
    }

    /** Brings back what is due, or all. */
    void tick(long now, boolean healing) {
        tend(now, healing);
        noticeDead();
    }

    private void tend(long now, boolean healing) {
        BrokerFault fault = broken;
        if (fault == null) {
            return;
        }
        if (fault.full) {
            if (!fault.ended && !brokers.get(fault.id).isAlive()) {
                fault.ended = true;
                log.say("broker " + fault.id + " has died of its full disk, with exit code "
                        + brokers.get(fault.id).exitCode());
            }
            if (healing || now - fault.restartNanos >= 0) {
                brokers.disk(fault.id).free();
                fault.full = false;
                log.say("the disk of broker " + fault.id + " has room again");
                // A broker that did not die only has to catch up.
                fault.restarted = !fault.ended;
                fault.endByNanos = now + END_LIMIT.toNanos();
                restartedNanos = now;
            }
        } else if (!fault.ended && fault.restarted) {
            tendSurvivor(fault, now);
        } else if (!fault.ended) {
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
            // Until then the cluster may still count the dead broker as alive and in sync.
            fault.serving = brokers.isServing(fault.id);
            restartedNanos = now;
        } else if (watch.isInSyncSince(restartedNanos)) {
            log.over(fault.entry, "broker " + fault.id + " is in sync again");
            broken = null;
        }
    }

    /** A broker whose disk has room again may work, may die late, or may never be in sync again. */
    private void tendSurvivor(BrokerFault fault, long now) {
        if (!brokers.get(fault.id).isAlive()) {
            fault.ended = true;
            fault.restarted = false;
            log.say("broker " + fault.id + " has died of its full disk, after all");
        } else if (watch.isInSyncSince(restartedNanos)) {
            log.over(fault.entry, "broker " + fault.id + " is in sync again");
            broken = null;
        } else if (now - fault.endByNanos > 0) {
            log.say("broker " + fault.id + " does not catch up; kill -9");
            brokers.get(fault.id).kill();
        }
    }

    private void noticeDead() {
        for (int id = 1; id <= brokers.size(); id++) {
            boolean asked = broken != null && broken.id == id && !(broken.ended && broken.restarted);
            if (!asked && !brokers.get(id).isAlive()) {
                throw new VerbFailure("broker " + id + " ended by itself, with exit code "
                        + brokers.get(id).exitCode() + ": " + brokers.get(id).lastWords());
            }
        }
    }
}
