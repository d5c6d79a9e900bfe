package dev.laneway.proof;

import dev.laneway.cli.program.Jvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The members of the group, each a process that is replaced when it ends. Used by one thread. */
final class ChaosMembers implements AutoCloseable {
    private static final List<String> JVM_OPTIONS =
            List.of("-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData");

    private final ChaosPlan plan;
    private final Path directory;
    private final List<Slot> slots = new ArrayList<>();
    private final List<Life> lives = new ArrayList<>();
    /** By the name of the process. */
    private final Map<String, Integer> exitCodes = new HashMap<>();

    /**
     * One process of a member, from its start to its end.
     *
     * @param member its number
     * @param endedMicros when it was seen to have ended, since the epoch; when it was killed, for a killed one
     */
    record Life(String name, int member, Path journal, Ending ending, long endedMicros) {
        /** The output of the process. */
        Path log() {
            return journal.resolveSibling(name + ".log");
        }

        /** Reads the journal, if the process has written one. */
        void read(Consumer<Note> notes) {
            if (Files.exists(journal)) {
                Journal.read(journal, notes);
            }
        }
    }

    /** How a process ended. */
    enum Ending {
        KILLED,
        STOPPED,
        /** It ended by itself or with a failure. */
        FAILED
    }

    /** A member, whose processes follow one another. */
    private static final class Slot {
        final int number;
        final String bootstrap;
        int lives;

        @Nullable
        Jvm jvm;

        boolean asked;
        boolean frozen;
        long killedMicros;

        Slot(int number, String bootstrap) {
            this.number = number;
            this.bootstrap = bootstrap;
        }

        String name() {
            return "member-" + number + "." + lives;
        }
    }

    ChaosMembers(ChaosPlan plan, Path directory, List<String> bootstraps) {
        this.plan = plan;
        this.directory = directory;
        for (String bootstrap : bootstraps) {
            slots.add(new Slot(slots.size() + 1, bootstrap));
        }
    }

    /** Starts a member that does not run. */
    void start(int number) {
        Slot slot = slots.get(number - 1);
        slot.lives++;
        slot.asked = false;
        slot.frozen = false;
        slot.killedMicros = 0;
        List<String> verb = new ArrayList<>(List.of(
                "member",
                "--bootstrap",
                slot.bootstrap,
                "--name",
                slot.name(),
                "--journal",
                journal(slot).toString(),
                "--concurrency",
                Integer.toString(plan.concurrency()),
                "--work",
                plan.work().toNanos() / 1_000 + "us"));
        if (plan.mode() == ChaosPlan.Mode.EXACTLY_ONCE) {
            // The same in each life: the next one ends what a killed one has left open.
            verb.add("--transactional-id");
            verb.add("chaos-" + number);
        }
        if (plan.mode() == ChaosPlan.Mode.SHARE) {
            verb.add("--share");
        }
        if (plan.hasPassing()) {
            verb.add("--passing");
        }
        for (Map.Entry<String, String> property : plan.properties().entrySet()) {
            verb.add("--property");
            verb.add(property.getKey() + "=" + property.getValue());
        }
        slot.jvm = Jvm.start(Main.class, JVM_OPTIONS, verb, directory.resolve(slot.name() + ".log"));
    }

    private Path journal(Slot slot) {
        return directory.resolve(slot.name() + ".journal");
    }

    /** The process id of a member, for logs; only while it runs. */
    long pid(int number) {
        return running(slots.get(number - 1)).pid();
    }

    /** Whether a member runs and was not asked to end. */
    boolean isUp(int number) {
        Slot slot = slots.get(number - 1);
        return slot.jvm != null && !slot.asked;
    }

    /** Whether a member is up, not frozen, and has started so far that it handles signals and writes its journal. */
    boolean isAtWork(int number) {
        Slot slot = slots.get(number - 1);
        return isUp(number) && !slot.frozen && running(slot).isAlive() && Files.exists(journal(slot));
    }

    /** Whether a member has a process whose end was not seen yet. */
    boolean isInLife(int number) {
        return slots.get(number - 1).jvm != null;
    }

    /** How many members are up. */
    int up() {
        return (int) slots.stream().filter(slot -> isUp(slot.number)).count();
    }

    /** kill -9. */
    void kill(int number) {
        Slot slot = slots.get(number - 1);
        slot.asked = true;
        slot.killedMicros = Journal.now();
        running(slot).kill();
    }

    /** SIGTERM. */
    void terminate(int number) {
        Slot slot = slots.get(number - 1);
        slot.asked = true;
        running(slot).terminate();
    }

    /** SIGSTOP. */
    void freeze(int number) {
        Slot slot = slots.get(number - 1);
        running(slot).signal("STOP");
        slot.frozen = true;
    }

    /** SIGCONT. */
    void thaw(int number) {
        Slot slot = slots.get(number - 1);
        slot.frozen = false;
        if (slot.jvm != null) {
            slot.jvm.signal("CONT");
        }
    }

    boolean isFrozen(int number) {
        return slots.get(number - 1).frozen;
    }

    private static Jvm running(Slot slot) {
        Jvm jvm = slot.jvm;
        if (jvm == null) {
            throw new IllegalStateException(slot.name() + " is not in its life");
        }
        return jvm;
    }

    /**
     * Checks whether a member's process has ended, and records that once.
     *
     * @return how it ended; null while it runs, or if that was returned before
     */
    @Nullable
    Life buried(int number) {
        Slot slot = slots.get(number - 1);
        Jvm jvm = slot.jvm;
        if (jvm == null || jvm.isAlive()) {
            return null;
        }
        slot.jvm = null;
        boolean killed = slot.killedMicros != 0;
        Ending ending = killed ? Ending.KILLED : slot.asked && jvm.endedAsAsked() ? Ending.STOPPED : Ending.FAILED;
        Life life =
                new Life(slot.name(), slot.number, journal(slot), ending, killed ? slot.killedMicros : Journal.now());
        lives.add(life);
        exitCodes.put(life.name(), jvm.exitCode());
        return life;
    }

    /** The exit code of an ended process, and the last lines of its output. */
    String lastWords(Life life) {
        return "exit code " + exitCodes.get(life.name()) + ": "
                + Jvm.lastWords(directory.resolve(life.name() + ".log"));
    }

    /** How long a member keeps its partitions or locks without a heartbeat. */
    Duration tenure() {
        return plan.tenure();
    }

    int size() {
        return slots.size();
    }

    /** The processes that have ended. */
    List<Life> lives() {
        return List.copyOf(lives);
    }

    /** Asks all to end; returns whether all have within the limit. */
    boolean terminateAll(Duration limit) throws InterruptedException {
        for (Slot slot : slots) {
            if (isUp(slot.number)) {
                terminate(slot.number);
            }
        }
        long deadline = System.nanoTime() + limit.toNanos();
        for (Slot slot : slots) {
            Jvm jvm = slot.jvm;
            if (jvm != null && !jvm.await(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())))) {
                return false;
            }
        }
        return true;
    }

    /** Kills what still runs. */
    @Override
    public void close() {
        for (Slot slot : slots) {
            if (slot.jvm != null) {
                slot.jvm.kill();
            }
        }
    }
}
