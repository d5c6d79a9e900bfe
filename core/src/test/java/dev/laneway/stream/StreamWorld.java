package dev.laneway.stream;

import dev.laneway.engine.sim.SimCourse;
import dev.laneway.engine.sim.SimGroup;
import dev.laneway.testkit.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A simulated run of streams on the engine's feeds: members of one group, each from the source to the commits, by a
 * seed. First come the faults that the seed chooses; then they stop, and all records must be done.
 */
public final class StreamWorld {
    /** How long the end phase may take, in virtual time. */
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    /** After this long without faults a member is added, if partitions may have no owner. */
    private static final Duration STRANDED = Duration.ofMinutes(1);

    private static final Duration RESTART = Duration.ofMillis(400);

    final Simulation sim;
    final SplittableRandom random;
    final SimGroup group;
    final StreamCheck check;
    private final SimCourse course;
    final boolean partitioned;
    /** How many records cannot be read at first. */
    final double unreadableRate;

    final double failureRate;
    private final List<StreamMember> members = new ArrayList<>();
    private boolean closing;

    private StreamWorld(Simulation sim) {
        this.sim = sim;
        this.random = sim.random().split();
        this.group = new SimGroup(sim, random.split());
        this.check = new StreamCheck(sim);
        this.course = new SimCourse(sim, check, PATIENCE, this::left);
        this.partitioned = random.nextBoolean();
        this.unreadableRate = random.nextBoolean() ? 0 : random.nextDouble(0.05);
        this.failureRate = random.nextBoolean() ? 0 : random.nextDouble(0.02);
    }

    /** Runs a seed; returns the hash of its trace. */
    public static long run(long seed) {
        return Simulation.run(seed, sim -> {
            StreamWorld world = new StreamWorld(sim);
            try {
                world.run();
            } catch (Throwable failure) {
                sim.trace()
                        .event(
                                "members",
                                world.members.stream()
                                        .map(StreamMember::describe)
                                        .toList());
                throw failure;
            }
        });
    }

    private void run() {
        sim.trace().event("streams", partitioned ? "by partition" : "merged", "failing", failureRate);
        group.onStored(check::stored);
        for (int i = 0; i < group.members(); i++) {
            start();
        }
        group.begin();
        every(400, this::replace);
        perhaps(() -> every(1_000, this::comeAndGo));
        perhaps(() -> every(1_500, this::kill));
        course.pass(group.chaos());
        calmDown();
        finish();
        close();
    }

    private void calmDown() {
        course.calmDown();
        course.await("the writer ends", group::isWritten);
    }

    private void finish() {
        sim.scheduler().execute(this::supervise);
        if (group.mayLeavePartitions()) {
            course.pass(STRANDED);
            if (!group.isCommitted()) {
                start();
            }
        }
        course.await("every record is committed", group::isCommitted);
        course.await("everything is given back", () -> living().stream().allMatch(member -> member.feeder.isIdle()));
        course.await(
                "B68 the streams of partitions that were given up end",
                () -> members.stream().allMatch(StreamMember::hasLeft));
        check.nothingIsMissing(group.partitions());
        check.throwIfBroken();
    }

    /** Replaces a member that has stopped, again if the next one stops too. */
    private void supervise() {
        while (!closing) {
            if (living().isEmpty()) {
                start();
            }
            sim.pass(RESTART);
        }
    }

    private void close() {
        closing = true;
        living().forEach(StreamMember::stop);
        course.await("every process ends", () -> living().isEmpty());
        course.await("every stream ends", () -> members.stream().allMatch(StreamMember::isThrough));
        course.await("every thread ends", () -> sim.scheduler().liveTasks() == 0);
        check.throwIfBroken();
    }

    // ---------------------------------------------------------------- members

    private List<StreamMember> living() {
        return members.stream().filter(member -> !member.isEnded()).toList();
    }

    private void start() {
        List<StreamMember> living = living();
        int slot = 0;
        while (isTaken(living, slot)) {
            slot++;
        }
        StreamMember member = new StreamMember(this, "m" + members.size(), slot);
        members.add(member);
        member.start();
    }

    private static boolean isTaken(List<StreamMember> living, int slot) {
        return living.stream().anyMatch(member -> member.slot == slot);
    }

    private void replace() {
        if (living().size() < group.members()) {
            start();
        }
    }

    private void comeAndGo() {
        List<StreamMember> living = living();
        if (living.size() > 1 && random.nextBoolean()) {
            living.get(random.nextInt(living.size())).stop();
        } else if (living.size() < group.mostMembers()) {
            start();
        }
    }

    private void kill() {
        List<StreamMember> living = living();
        if (!living.isEmpty()) {
            living.get(random.nextInt(living.size())).kill();
        }
    }

    private void every(int leastMillis, Runnable action) {
        sim.faults().repeatedly(Duration.ofMillis(random.nextInt(leastMillis, 4 * leastMillis)), action);
    }

    private void perhaps(Runnable fault) {
        if (random.nextInt(3) == 0) {
            fault.run();
        }
    }

    // ---------------------------------------------------------------- time

    private String left() {
        StringBuilder left = new StringBuilder();
        members.forEach(member -> left.append("\n  ").append(member.describe()));
        return left.toString();
    }

    /** Whether faults are over and functions are quick. */
    boolean isCalm() {
        return course.isCalm();
    }
}
