package dev.laneway.engine.sim;

import dev.laneway.Options;
import dev.laneway.StartPosition;
import dev.laneway.engine.track.Partition;
import dev.laneway.stream.StreamWorld;
import dev.laneway.testkit.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A simulated run of the whole engine: a cluster, processes, load and fate from one seed. First everything that the
 * plan has in store happens; then it stops, and all that is there must get done, within bounded virtual time.
 */
public final class SimWorld {
    /** How long the end phase may take, in virtual time. */
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    /**
     * After that of calm a member is added where partitions may be nobody's, see {@link SimPlan#mayLeavePartitions}.
     */
    private static final Duration STRANDED = Duration.ofMinutes(1);

    private static final Duration MOST_SESSION = Duration.ofSeconds(12);
    /** So long a member that has left may still be known to its group: what it said is on its way. */
    private static final Duration ON_ITS_WAY = Duration.ofSeconds(5);

    final Simulation sim;
    final SplittableRandom random;
    final SimPlan plan;
    final SimCheck check;
    final SimLogs logs;
    final SimCourse course;
    /** Those that exist. */
    final List<TopicPartition> partitions;

    private final SimProgress progress;
    private final @Nullable SimStarts starts;
    final SimWriter writer;
    private final SimOutputs outputs;
    private final List<SimProcess> processes = new ArrayList<>();
    private long emissions;

    private SimWorld(Simulation sim, SimTheme theme) {
        this.sim = sim;
        this.random = sim.random().split();
        this.plan = new SimPlan(theme, random.split());
        this.partitions = new ArrayList<>(plan.partitions);
        this.logs = new SimLogs(this);
        this.check = new SimCheck(sim, plan, partitions, logs);
        this.course = new SimCourse(sim, check, PATIENCE, this::left);
        this.progress = new SimProgress(this);
        this.writer = new SimWriter(this);
        this.outputs = new SimOutputs(this);
        this.starts = theme == SimTheme.STARTS ? new SimStarts(this) : null;
    }

    /** Runs a seed; returns the hash of its trace. */
    public static long run(long seed) {
        if (SimTheme.of(seed) == SimTheme.STREAMS) {
            return StreamWorld.run(seed);
        }
        if (SimTheme.of(seed) == SimTheme.SHARE) {
            return SimShareWorld.run(seed);
        }
        return Simulation.run(seed, sim -> {
            SimWorld world = new SimWorld(sim, SimTheme.of(seed));
            try {
                world.run();
            } catch (Throwable failure) {
                sim.trace()
                        .event(
                                "processes",
                                world.processes.stream().map(SimDescription::of).toList());
                // The line has left the trace's latest ones by now.
                sim.trace().event("plan", world.plan);
                throw failure;
            }
        });
    }

    private void run() {
        sim.trace().event("plan", plan);
        plan.topics.forEach(this::createTopic);
        sim.broker().offsetMetadataMaxSize(plan.metadataLimit);
        sim.broker().createTopic("out", 2);
        sim.broker().createTopic("dlq", 1);
        sim.broker().onCommitted((group, id, offset) -> stored(id, offset));
        sim.faults().latency(Duration.ZERO, Duration.ofNanos(plan.latencyNanos));
        writer.load();
        if (starts != null) {
            starts.begin();
        }
        start();
        if (plan.theme.isWatched()) {
            if (plan.hasStuckKey()) {
                progress.trouble(plan.partitions.getFirst());
            }
            progress.begin();
        }
        new SimFate(this).begin();
        course.pass(plan.chaos);
        calmDown();
        finish();
        close();
    }

    private void createTopic(String topic) {
        sim.broker().createTopic(topic, (int)
                plan.partitions.stream().filter(id -> id.topic().equals(topic)).count());
    }

    private void stored(TopicPartition id, OffsetAndMetadata offset) {
        check.stored(id, offset);
        if (starts != null) {
            check.breach(starts.stored(id, offset.offset()), id + " starts at " + offset.offset());
        }
    }

    Options options() {
        return plan.options(starts == null ? StartPosition.committed() : starts.position());
    }

    @Nullable
    SimStarts starts() {
        return starts;
    }

    /** Whether a member may stop since nobody says where it starts. */
    boolean lacksStart() {
        return starts != null && starts.lacksStart();
    }

    /** A topic has grown. */
    void added(TopicPartition id) {
        partitions.add(id);
        if (starts != null) {
            starts.exists(id);
        }
    }

    /** Another process joins. */
    void start() {
        int slot = 0;
        while (isTaken(slot)) {
            slot++;
        }
        SimProcess process = new SimProcess(this, "m" + processes.size(), slot);
        processes.add(process);
        process.start();
    }

    /** Whether the group may believe that another member has the instance id: one that died a session ago, or less. */
    boolean isInstanceTaken(SimProcess process) {
        return plan.isStatic
                && processes.stream()
                        .anyMatch(other -> other.slot == process.slot
                                && other.hasEndedSince((other.isDead() ? MOST_SESSION : ON_ITS_WAY).toNanos()));
    }

    private boolean isTaken(int slot) {
        return living().stream().anyMatch(process -> process.slot == slot);
    }

    private void calmDown() {
        course.calmDown();
        course.await("the writer ends", writer::isEnded);
        // Where the tail was deleted, only a further record tells. Else the tail may be a marker.
        partitions.stream()
                .filter(id -> sim.broker().startOffset(id) == sim.broker().endOffset(id) || plan.theme == SimTheme.CUT)
                .forEach(writer::append);
    }

    /** What an administrator does for a group that starts nowhere by itself. False when he has to wait. */
    private boolean setStarts() {
        return starts == null || starts.setWhatIsMissing();
    }

    /**
     * Where a group reads what comes from now on, or a log is not what it was, only a record tells that it is there.
     */
    private void nudge() {
        if (plan.theme.isNudged()) {
            partitions.stream()
                    .filter(id -> plan.theme == SimTheme.STARTS
                            ? !sim.broker().committed(SimPlan.GROUP).containsKey(id)
                            : !isCommitted(id))
                    .forEach(writer::append);
            sim.clock().schedule(Duration.ofSeconds(5), this::nudge);
        }
    }

    private void finish() {
        nudge();
        if (plan.mayLeavePartitions()) {
            course.pass(STRANDED);
            if (!partitions.stream().allMatch(this::isCommitted)) {
                start();
            }
        }
        course.await("every record is committed", this::isAllCommitted);
        // Where it is committed ahead, a member that gives a partition up commits less: its next owner is to begin it.
        course.await("everything is given back", () -> isAllCommitted() && isAllGivenBack());
        check.nothingIsMissing();
        course.rest(
                () -> living().stream()
                        .mapToLong(process -> process.owner.turns())
                        .sum(),
                plan.mostIdleTurnsPerSecond() * living().size());
        course.await("health is good", () -> living().stream().allMatch(this::isWell));
    }

    /** Starts a member where none is left: the last one had a reason to stop. */
    private boolean isAllCommitted() {
        if (living().isEmpty() && setStarts()) {
            start();
        }
        // A committed offset may be one of the log before it was cut.
        return partitions.stream().allMatch(this::isCommitted)
                && (plan.theme != SimTheme.CUT || check.whatIsMissing().isEmpty());
    }

    private boolean isAllGivenBack() {
        return living().stream()
                .allMatch(process -> process.parts.core().scheduler().running() == 0
                        && process.parts.core().assignment().all().stream()
                                .allMatch(partition -> partition.track.ledger.records() == 0
                                        && partition.track.ledger.bytes() == 0
                                        && partition.track.busy() == 0
                                        && !isToBeDispatched(partition)));
    }

    /** Whether a poll was committed whose records its member does not hold yet. */
    private boolean isToBeDispatched(Partition partition) {
        OffsetAndMetadata stored = sim.broker().committed(SimPlan.GROUP).get(partition.id);
        return plan.isAhead() && stored != null && partition.position < stored.offset();
    }

    /** A topic that is gone may be told, spilled records that the log has lost, and nothing else. */
    private boolean isWell(SimProcess process) {
        return process.health().reasons().stream()
                .allMatch(reason -> (plan.theme.losesRecords() && reason.contains("waited in the log"))
                        || plan.topics.stream()
                                .anyMatch(topic ->
                                        !sim.broker().exists(new TopicPartition(topic, 0)) && reason.contains(topic)));
    }

    private void close() {
        living().forEach(process -> process.close(Duration.ofSeconds(5)));
        course.await("every process ends", () -> living().isEmpty());
        processes.forEach(process -> check.breach(process.controls.whyUnanswered(), process));
        course.await("every thread ends", () -> sim.scheduler().liveTasks() == 0);
        course.pass(Duration.ofSeconds(6)); // What a crash has left open times out.
        outputs.check();
        check.throwIfBroken();
    }

    boolean isWriterInTransaction() {
        return writer.isInTransaction();
    }

    private boolean isCommitted(TopicPartition id) {
        OffsetAndMetadata committed = sim.broker().committed(SimPlan.GROUP).get(id);
        return committed != null && committed.offset() == sim.broker().endOffset(id);
    }

    List<SimProcess> living() {
        return processes.stream().filter(process -> !process.isEnded()).toList();
    }

    private String left() {
        StringBuilder left = new StringBuilder();
        processes.forEach(process -> left.append("\n  ")
                .append(SimDescription.of(process))
                .append(' ')
                .append(process.health()));
        partitions.forEach(id -> left.append("\n  ")
                .append(id)
                .append(" committed ")
                .append(sim.broker().committed(SimPlan.GROUP).get(id))
                .append(" end ")
                .append(sim.broker().endOffset(id)));
        return left.toString();
    }

    /** A number for what an attempt emits, for no other. */
    long nextEmission() {
        return ++emissions;
    }

    SimProgress progress() {
        return progress;
    }

    SimOutputs outputs() {
        return outputs;
    }

    /** Whether faults are over and handlers are quick. */
    boolean isCalm() {
        return course.isCalm();
    }
}
