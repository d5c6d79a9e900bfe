package dev.laneway.engine.sim;

import dev.laneway.Options;
import dev.laneway.StartPosition;
import dev.laneway.testkit.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.kafka.common.TopicPartition;

/**
 * A simulated run of a share group: brokers, members, load and fate from one seed. First everything that the seed has
 * in store happens; then it stops, and all that is there must get done, be given up by policy, or be archived and told.
 */
final class SimShareWorld {
    /** How long the end phase may take, in virtual time. */
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    /** How long health must tell of records that the broker has given up: nearly all of what is promised. */
    private static final long TOLD_NANOS = Duration.ofMillis(598_500).toNanos();
    /** After which time health tells of it. */
    private static final long GRACE_NANOS = Duration.ofSeconds(7).toNanos();

    final Simulation sim;
    final SplittableRandom random;
    final SimPlan plan;
    final SimShareCheck check;
    final SimShareGroup group;
    final SimCourse course;
    private final SimShareFate fate;
    private final long lockNanos;
    private final List<SimShareProcess> processes = new ArrayList<>();
    private boolean written;

    private SimShareWorld(Simulation sim) {
        this.sim = sim;
        this.random = sim.random().split();
        this.plan = new SimPlan(SimTheme.SHARE, random.split());
        this.check = new SimShareCheck(sim, plan);
        this.course = new SimCourse(sim, check, PATIENCE, this::left);
        this.lockNanos = Duration.ofMillis(random.nextInt(500, random.nextBoolean() ? 1_500 : 6_000))
                .toNanos();
        this.group = new SimShareGroup(sim, random.split(), check, lockNanos);
        this.fate = new SimShareFate(this);
    }

    /** Runs a seed; returns the hash of its trace. */
    static long run(long seed) {
        return Simulation.run(seed, sim -> {
            SimShareWorld world = new SimShareWorld(sim);
            try {
                world.run();
            } catch (Throwable failure) {
                // The line has left the trace's latest ones by now.
                sim.trace().event("plan", world.plan, "locks", world.lockNanos / 1_000_000, world.fate);
                throw failure;
            }
        });
    }

    private void run() {
        sim.trace().event("plan", plan);
        sim.broker().createTopic("dlq", 1);
        load();
        for (int i = 0; i < plan.members; i++) {
            start();
        }
        fate.begin();
        course.pass(plan.chaos);
        calmDown();
        finish();
        close();
    }

    private void load() {
        boolean tired = random.nextBoolean();
        int before = random.nextInt(plan.records + 1);
        for (int i = 0; i < before; i++) {
            append(tired && random.nextBoolean() ? random.nextInt(SimShareGroup.MOST_DELIVERIES) : 0);
        }
        sim.scheduler().execute(() -> goOn(plan.records - before));
    }

    private void goOn(int left) {
        try {
            for (int i = 0; i < left; i++) {
                append(0);
                if (random.nextInt(4) == 0) {
                    sim.sleep(Duration.ofNanos(random.nextLong(2 * plan.chaos.toNanos() * 4 / plan.records)));
                }
            }
        } catch (InterruptedException impossible) {
            throw new IllegalStateException(impossible);
        }
        written = true;
    }

    private void append(int deliveries) {
        TopicPartition id = plan.partitions.get(random.nextInt(plan.partitions.size()));
        group.append(id, random.nextInt(plan.mostValueBytes + 1), deliveries);
    }

    /** Another process joins. */
    void start() {
        SimShareProcess process = new SimShareProcess(this, "m" + processes.size());
        processes.add(process);
        process.start();
    }

    private void calmDown() {
        course.calmDown();
        fate.end();
        living().forEach(SimShareProcess::resume);
        course.await("the writer ends", () -> written);
    }

    private void finish() {
        course.await("every record is done or given up", () -> {
            if (living().isEmpty()) {
                start(); // The last one had a reason to stop.
            }
            return group.slots().allMatch(SimShareGroup.Slot::isOver);
        });
        course.await("everything is given back", () -> living().stream().allMatch(SimShareProcess::isIdle));
        course.await("what was archived is told", () -> processes.stream().allMatch(this::hasTold));
        course.rest(
                () -> living().stream()
                        .mapToLong(process -> process.owner.turns())
                        .sum(),
                plan.mostIdleTurnsPerSecond() * living().size());
        processes.stream().filter(process -> !process.isEnded()).forEach(this::staysTold);
        course.await(
                "health is good",
                () -> living().stream()
                        .allMatch(process -> process.health().reasons().isEmpty()));
    }

    /** What the broker has given up while a member had it undone must have been told by that member. */
    private boolean hasTold(SimShareProcess process) {
        return process.isDead()
                || group.slots().filter(slot -> isToBeToldBy(process, slot)).count() <= process.archived();
    }

    private boolean isToBeToldBy(SimShareProcess process, SimShareGroup.Slot slot) {
        SimShareDelivery last = check.latest(slot.id, slot.offset);
        return slot.state == SimShareGroup.State.ARCHIVED
                && last != null
                && last.owner.equals(process)
                && last.number == slot.deliveries
                && !last.mayBeDone(check.now());
    }

    /** Health tells of it for as long as it says that it does. */
    private void staysTold(SimShareProcess process) {
        if (process.archived() == 0) {
            return;
        }
        long since = check.now() - process.archivedNanos();
        for (long at : new long[] {GRACE_NANOS, TOLD_NANOS}) {
            if (since < at) {
                course.pass(Duration.ofNanos(at - since));
                since = at;
                if (process.health().reasons().stream().noneMatch(reason -> reason.contains("gives up"))) {
                    check.breach("B100 " + process + " tells no more of what was archived " + since / 1_000_000
                            + " ms ago: " + process.health());
                }
                check.throwIfBroken();
            }
        }
    }

    private void close() {
        living().forEach(process -> process.close(Duration.ofSeconds(5)));
        course.await("every process ends", () -> living().isEmpty());
        processes.forEach(process -> check.breach(process.whyUnanswered(), process));
        course.await("every thread ends", () -> sim.scheduler().liveTasks() == 0);
        check.throwIfBroken();
    }

    private String left() {
        StringBuilder left = new StringBuilder();
        processes.forEach(process ->
                left.append("\n  ").append(process.describe()).append(' ').append(process.health()));
        group.slots()
                .filter(slot -> !slot.isOver() || processes.stream().anyMatch(process -> isToBeToldBy(process, slot)))
                .forEach(slot ->
                        left.append("\n  ").append(slot).append("; ").append(check.latest(slot.id, slot.offset)));
        return left.toString();
    }

    // ---------------------------------------------------------------- for others

    Options options() {
        return plan.options(StartPosition.committed());
    }

    List<SimShareProcess> living() {
        return processes.stream().filter(process -> !process.isEnded()).toList();
    }

    SimShareLink.Faults linkFaults() {
        return fate.linkFaults();
    }

    /** Whether no broker answers. */
    boolean isAway() {
        return fate.isAway();
    }

    boolean pollFails() {
        return fate.pollFails();
    }

    /** Whether a renewal was without an answer for so long that its member may give the record up. */
    boolean mayBeTakenForLost(SimShareDelivery delivery) {
        return delivery.renewingNanos >= 0 && check.now() - delivery.renewingNanos >= lockNanos;
    }
}
