package dev.laneway.engine.sim;

import dev.laneway.testkit.sim.Faults;
import dev.laneway.testkit.sim.Faults.Action;
import dev.laneway.testkit.sim.SimBroker;
import dev.laneway.testkit.sim.SimOp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.CoordinatorLoadInProgressException;
import org.apache.kafka.common.errors.CoordinatorNotAvailableException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.LeaderNotAvailableException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TransactionAbortableException;

/** What happens to a run, by its theme and its seed, until it is calm. */
final class SimFate {
    private static final int HOW_OFTEN = 4;

    private final SimWorld world;
    private final SplittableRandom random;
    private final SimPlan plan;
    private final Faults faults;
    private final SimBroker broker;
    /** Whether all members end, and nobody follows before they have. */
    private boolean isRestarting;

    SimFate(SimWorld world) {
        this.world = world;
        this.random = world.random.split();
        this.plan = world.plan;
        this.faults = world.sim.faults();
        this.broker = world.sim.broker();
    }

    void begin() {
        for (int i = 1; i < plan.members; i++) {
            world.start();
        }
        // Sessions of the consumer protocol are the broker's.
        broker.consumerGroupTimes(Duration.ofSeconds(10), Duration.ofSeconds(1));
        every(400, this::replace);
        switch (plan.theme) {
            case STEADY -> {}
            case GRACEFUL -> every(1_000, this::comeAndGo);
            case STORM -> storm();
            case FAILING -> produceFailures();
            case AHEAD -> ahead();
            case BATCHES -> every(2_000, this::comeAndGo);
            case LOG -> changeLogs();
            case CONTROL -> control();
            case EXACTLY_ONCE -> transactions();
            case APART -> apart();
            case STARTS -> starts();
            case RECREATED -> recreate();
            case CUT -> cut();
            case STREAMS, SHARE -> throw new IllegalStateException(plan.theme + " has a world of its own");
        }
    }

    /** At random distances, up to this many times as rare as can be. */
    private void every(int leastMillis, Runnable action) {
        faults.repeatedly(Duration.ofMillis(random.nextInt(leastMillis, HOW_OFTEN * leastMillis)), action);
    }

    /** Some runs have it, others do not. */
    private void perhaps(Runnable fault) {
        if (random.nextInt(3) == 0) {
            fault.run();
        }
    }

    private void randomly(SimOp op, double most, Action action) {
        double probability = random.nextDouble(most);
        perhaps(() -> faults.randomly(op, probability, action));
    }

    // ---------------------------------------------------------------- processes

    private void replace() {
        if (world.living().size() < plan.members && !isRestarting) {
            world.start();
        }
    }

    private void comeAndGo() {
        List<SimProcess> living = world.living();
        if (living.size() > 1 && random.nextBoolean()) {
            living.get(random.nextInt(living.size())).close(Duration.ofSeconds(5));
        } else if (living.size() < plan.theme.members && !isRestarting) {
            world.start();
        }
    }

    private void kill() {
        List<SimProcess> living = world.living();
        if (!living.isEmpty()) {
            living.get(random.nextInt(living.size())).kill();
        }
    }

    // ---------------------------------------------------------------- themes

    private void storm() {
        perhaps(() -> every(1_500, this::kill));
        perhaps(() -> every(1_000, this::comeAndGo));
        perhaps(() -> faults.randomEvictions(SimPlan.GROUP, millis(500, 4_000)));
        perhaps(() -> faults.randomRebalances(SimPlan.GROUP, millis(50, 2_000)));
        if (!plan.hasDelays()) { // An hour back, and all would wait for an hour.
            perhaps(() -> faults.randomClockJumps(millis(200, 2_000), Duration.ofHours(1)));
        }
        perhaps(() -> every(800, () -> broker.moveCoordinator(millis(50, 1_500))));
        perhaps(() -> faults.randomOutages(millis(1_500, 6_000), millis(50, 2_500)));
        perhaps(() -> every(500, () -> broker.moveLeader(partition())));
        commitFaults();
        randomly(SimOp.FETCH, 0.05, Action.loseResponse());
        randomly(SimOp.HEARTBEAT, 0.2, Action.loseRequest());
        randomly(SimOp.JOIN, 0.1, Action.fail(() -> new CoordinatorNotAvailableException("simulated")));
        randomly(SimOp.SYNC, 0.1, Action.delay(millis(10, 2_000)));
        randomly(SimOp.OFFSET_FETCH, 0.1, Action.fail(() -> new CoordinatorLoadInProgressException("simulated")));
        randomly(SimOp.LIST_OFFSETS, 0.1, Action.loseRequest());
    }

    private void commitFaults() {
        randomly(SimOp.COMMIT, 0.2, Action.fail(() -> new CoordinatorLoadInProgressException("simulated")));
        randomly(SimOp.COMMIT, 0.1, Action.failAfterwards(() -> new CoordinatorNotAvailableException("simulated")));
        randomly(SimOp.COMMIT, 0.1, Action.loseResponse());
        randomly(SimOp.COMMIT, 0.1, Action.loseRequest());
        randomly(SimOp.COMMIT, 0.05, Action.swallow());
        randomly(SimOp.COMMIT, 0.05, Action.swallowResponse());
        randomly(SimOp.COMMIT, 0.2, Action.delay(millis(10, 3_000)));
    }

    private void produceFailures() {
        perhaps(() -> every(1_000, this::comeAndGo));
        randomly(SimOp.PRODUCE, 0.2, Action.fail(() -> new NotEnoughReplicasException("simulated")));
        randomly(SimOp.PRODUCE, 0.1, Action.loseRequest());
        randomly(SimOp.PRODUCE, 0.2, Action.delay(millis(10, 1_000)));
    }

    private void ahead() {
        perhaps(() -> every(1_500, this::kill));
        perhaps(() -> every(1_000, this::comeAndGo));
        perhaps(() -> faults.randomEvictions(SimPlan.GROUP, millis(500, 4_000)));
        perhaps(() -> faults.randomRebalances(SimPlan.GROUP, millis(100, 2_000)));
        commitFaults();
    }

    private void changeLogs() {
        perhaps(() -> every(1_000, this::comeAndGo));
        perhaps(() -> every(500, () -> {
            TopicPartition id = partition();
            long start = broker.startOffset(id);
            broker.deleteRecordsBefore(id, start + random.nextLong(broker.endOffset(id) - start + 1));
        }));
        perhaps(() -> every(500, () -> broker.compact(partition())));
        perhaps(() -> every(1_000, () -> broker.retain(partition().topic(), millis(0, 2_000))));
        perhaps(() -> every(1_500, this::kill));
    }

    private void control() {
        every(100, () -> {
            List<SimProcess> living = world.living();
            if (!living.isEmpty()) {
                living.get(random.nextInt(living.size())).controls.act(random, world);
            }
        });
        perhaps(() -> every(1_000, this::comeAndGo));
        perhaps(() -> faults.randomRebalances(SimPlan.GROUP, millis(100, 2_000)));
        world.course.atCalm(() -> world.living().forEach(process -> process.controls.resumeAll()));
    }

    private void transactions() {
        perhaps(() -> every(1_000, this::kill));
        perhaps(() -> every(1_000, this::comeAndGo));
        perhaps(() -> faults.randomEvictions(SimPlan.GROUP, millis(500, 4_000)));
        perhaps(() -> faults.randomRebalances(SimPlan.GROUP, millis(100, 2_000)));
        randomly(SimOp.PRODUCE, 0.1, Action.fail(() -> new NotEnoughReplicasException("simulated")));
        randomly(SimOp.PRODUCE, 0.05, Action.fail(() -> new RecordTooLargeException("simulated")));
        randomly(SimOp.PRODUCE, 0.05, Action.loseResponse());
        randomly(SimOp.TRANSACTION, 0.1, Action.fail(() -> new CoordinatorLoadInProgressException("simulated")));
        randomly(SimOp.TRANSACTION, 0.1, Action.delay(millis(10, 2_000)));
        randomly(SimOp.TRANSACTION, 0.1, Action.loseRequest());
        randomly(SimOp.TRANSACTION, 0.1, Action.loseResponse());
        perhaps(() -> every(800, () -> broker.moveCoordinator(millis(50, 1_500))));
        randomly(SimOp.TRANSACTION_OFFSETS, 0.1, Action.fail(() -> new TransactionAbortableException("simulated")));
        randomly(SimOp.TRANSACTION_OFFSETS, 0.1, Action.fail(() -> new InvalidPidMappingException("simulated")));
        randomly(SimOp.TRANSACTION_OFFSETS, 0.1, Action.loseResponse());
    }

    private void apart() {
        if (random.nextBoolean()) {
            // Nobody has to find out where a partition starts that has no leader.
            faults.after(Duration.ofSeconds(3), () -> every(1_500, this::loseLeader));
        } else {
            // Nobody leaves: a group may wait for one that is gone for as long as its session lasts.
            perhaps(() -> faults.randomRebalances(SimPlan.GROUP, millis(500, 4_000)));
            perhaps(() -> every(1_500, this::growTopic));
            perhaps(this::pauseSome);
        }
    }

    /** The user pauses most partitions when they hold all that may be held, until faults are over. */
    private void pauseSome() {
        List<TopicPartition> paused = new ArrayList<>(world.partitions);
        do {
            paused.remove(random.nextInt(paused.size()));
        } while (paused.size() > 1 && random.nextInt(4) == 0);
        faults.after(millis(500, 3_000), () -> {
            paused.forEach(world.progress()::trouble);
            for (int i = 0; i < plan.bufferRecords; i++) {
                paused.forEach(world.writer::append);
            }
            world.living().forEach(process -> pauseWhenFull(process, paused));
        });
        world.course.atCalm(() -> world.living().forEach(process -> process.controls.resumeAll()));
    }

    private void pauseWhenFull(SimProcess process, List<TopicPartition> paused) {
        if (process.engine.turns().snapshot().held() + plan.maxPollRecords > plan.bufferRecords) {
            paused.forEach(process.controls::pause);
        } else {
            faults.after(Duration.ofMillis(10), () -> pauseWhenFull(process, paused));
        }
    }

    private void recreate() {
        every(1_500, this::deleteTopic);
        // Nobody leaves, as in apart.
        perhaps(() -> faults.randomRebalances(SimPlan.GROUP, millis(500, 4_000)));
        perhaps(() -> every(1_500, this::growTopic));
        perhaps(() -> every(500, () -> broker.moveLeader(partition())));
        randomly(SimOp.COMMIT, 0.2, Action.delay(millis(10, 1_000)));
    }

    /** The first topic stays. */
    private void deleteTopic() {
        String topic = plan.topics.get(random.nextInt(1, plan.topics.size()));
        if (world.logs.isDeleted(topic)) {
            return;
        }
        int partitions = random.nextBoolean() ? broker.partitions(topic) : random.nextInt(1, 5);
        boolean soon = random.nextInt(4) == 0;
        world.partitions.stream().filter(id -> id.topic().equals(topic)).forEach(world.progress()::trouble);
        world.logs.delete(topic);
        faults.after(millis(soon ? 1 : 500, soon ? 300 : 5_000), () -> createAgain(topic, partitions, soon));
        world.course.atCalm(() -> createNow(topic, partitions));
    }

    private void createAgain(String topic, int partitions, boolean soon) {
        if (soon || world.logs.isGivenUp(topic)) {
            createNow(topic, partitions);
        } else {
            faults.after(Duration.ofMillis(100), () -> createAgain(topic, partitions, false));
        }
    }

    private void createNow(String topic, int partitions) {
        if (world.logs.isDeleted(topic)) {
            // Kafka's sticky assignors (4.3.1) throw where members had more partitions of a topic than there are.
            boolean mayShrink = !plan.protocol.isSticky() || world.logs.isGivenUp(topic);
            world.logs.createAgain(topic, mayShrink ? partitions : 6);
            for (int number = 0; number < 6; number++) {
                world.progress().isOver(new TopicPartition(topic, number));
            }
        }
    }

    private void cut() {
        every(700, this::cutLog);
        perhaps(() -> every(1_500, this::kill));
        perhaps(() -> every(1_000, this::comeAndGo));
        perhaps(() -> faults.randomEvictions(SimPlan.GROUP, millis(500, 4_000)));
        perhaps(() -> faults.randomRebalances(SimPlan.GROUP, millis(50, 2_000)));
        perhaps(() -> every(500, () -> broker.moveLeader(partition())));
        randomly(SimOp.COMMIT, 0.2, Action.delay(millis(10, 3_000)));
        randomly(SimOp.FETCH, 0.05, Action.loseResponse());
    }

    private void cutLog() {
        TopicPartition id = partition();
        cutLog(id);
        if (random.nextBoolean()) { // Before anything is committed, perhaps.
            faults.after(millis(50, 1_500), () -> cutLog(id));
        }
    }

    private void cutLog(TopicPartition id) {
        if (world.isWriterInTransaction()) {
            return; // Its coordinator would still write the markers.
        }
        long start = broker.startOffset(id);
        long length = broker.endOffset(id) - start;
        long most = random.nextBoolean() ? length : Math.min(length, 20); // Often near the end, where readers are.
        world.logs.cut(id, start + length - random.nextLong(most + 1));
    }

    private void starts() {
        perhaps(() -> every(1_500, this::kill));
        perhaps(() -> every(1_000, this::comeAndGo));
        perhaps(() -> every(2_500, this::restart));
        perhaps(() -> faults.randomEvictions(SimPlan.GROUP, millis(500, 4_000)));
        perhaps(() -> faults.randomRebalances(SimPlan.GROUP, millis(50, 2_000)));
        perhaps(() -> every(1_000, this::growTopic));
        SimStarts starts = world.starts();
        if (starts != null && random.nextInt(4) > 0) {
            starts.disturb();
            disturbQuestions();
        }
    }

    private void disturbQuestions() {
        perhaps(() -> {
            if (random.nextBoolean()) {
                loseLeaderForStarts();
            }
            every(2_000, this::loseLeaderForStarts);
        });
        perhaps(() -> every(800, () -> broker.moveCoordinator(millis(50, 1_500))));
        randomly(SimOp.OFFSET_FETCH, 0.3, Action.fail(() -> new CoordinatorLoadInProgressException("simulated")));
        randomly(SimOp.OFFSET_FETCH, 0.2, Action.delay(millis(10, 2_000)));
        randomly(SimOp.OFFSET_FETCH, 0.1, Action.loseResponse());
        randomly(SimOp.LIST_OFFSETS, 0.3, Action.fail(() -> new LeaderNotAvailableException("simulated")));
        randomly(SimOp.LIST_OFFSETS, 0.3, Action.delay(millis(10, 2_000)));
        randomly(SimOp.LIST_OFFSETS, 0.1, Action.loseRequest());
        randomly(SimOp.COMMIT, 0.2, Action.fail(() -> new CoordinatorLoadInProgressException("simulated")));
        randomly(SimOp.COMMIT, 0.1, Action.loseResponse());
        randomly(SimOp.COMMIT, 0.2, Action.delay(millis(10, 3_000)));
    }

    /** All members end, and others follow; an administrator may set offsets in between. */
    private void restart() {
        world.living().forEach(process -> process.close(Duration.ofSeconds(2)));
        isRestarting = true;
        afterAll();
        world.course.atCalm(() -> isRestarting = false);
    }

    private void afterAll() {
        SimStarts starts = world.starts();
        if (starts != null && world.living().isEmpty() && starts.maySet()) {
            if (random.nextBoolean() && !plan.isExactlyOnce()) { // It may make records be done twice.
                starts.set(partition());
            }
            isRestarting = false;
        } else {
            faults.after(Duration.ofMillis(100), this::afterAll);
        }
    }

    private void loseLeaderForStarts() {
        TopicPartition id = partition();
        broker.loseLeader(id);
        Runnable back = () -> broker.electLeader(id);
        faults.after(millis(500, 12_000), back);
        world.course.atCalm(back);
    }

    private void loseLeader() {
        TopicPartition id = partition();
        broker.loseLeader(id);
        world.progress().trouble(id);
        Runnable back = () -> {
            broker.electLeader(id);
            world.progress().isOver(id);
        };
        faults.after(millis(500, 20_000), back);
        world.course.atCalm(back);
    }

    private void growTopic() {
        String topic = partition().topic();
        int partitions = broker.partitions(topic);
        if (partitions < 6) {
            broker.addPartitions(topic, partitions + 1);
            world.added(new TopicPartition(topic, partitions));
        }
    }

    private TopicPartition partition() {
        return world.partitions.get(random.nextInt(world.partitions.size()));
    }

    private Duration millis(int least, int most) {
        return Duration.ofMillis(random.nextInt(least, most));
    }
}
