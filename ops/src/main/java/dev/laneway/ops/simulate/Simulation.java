package dev.laneway.ops.simulate;

import dev.laneway.assign.LoadPlan;
import dev.laneway.ops.plan.Mode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Runs a scenario. A member fetches the next record of its partitions in turn while its reserve has room; a worker
 * takes the lane that has been ready longest; a lane has one record handled at a time, unless order does not matter.
 * Used by one thread.
 */
public final class Simulation {
    private static final double NANOS = 1e9;
    /** A key leaves the last of its records to the log once it has a quarter of a full reserve. */
    private static final int SPILL_SHARE = 4;
    /** What stands in the log alone is remembered here, so there is a limit: then the member fetches no more. */
    private static final long MOST_SPILLED = 20_000_000;

    private final Scenario scenario;
    private final DetailedController controller;
    private final Mode mode;
    private final KeyTable keysBefore;
    private final Arrivals.Rates rates;
    private final Arrivals[] log;
    private final Lanes lanes;
    private final Assignments assignments;
    private final boolean[] wakes;
    private final long[] heldOfPartition;
    private final List<SimulatedMember> members = new ArrayList<>();
    private final EventQueue events = new EventQueue();
    private final SplittableRandom keyRandom;
    private final SplittableRandom serviceRandom;
    private final boolean drawsKeys;
    private final int stuckKey;
    private final SimulationCounts counts;
    private final GroupView view;
    private final @Nullable PartitionLoads loads;

    private long now;
    private int concurrency;
    private int joined;
    private int requested;
    private final Deque<Join> joins = new ArrayDeque<>();
    private int runningAll;

    /** Members that have been asked for, and when so many have joined. */
    private record Join(long at, int members) {}

    private Simulation(Scenario scenario, DetailedController controller) {
        this.scenario = scenario;
        this.controller = controller;
        Group group = scenario.group();
        mode = group.mode();
        int partitions = group.partitions();
        SplittableRandom random = new SplittableRandom(scenario.span().seed());
        keyRandom = random.split();
        serviceRandom = random.split();
        Keys keys = scenario.keys();
        keysBefore = new KeyTable(keys, partitions, 0);
        KeyTable after = keys.shifts() ? new KeyTable(keys, partitions, keys.turn(partitions)) : keysBefore;
        rates = Arrivals.Rates.of(scenario, keysBefore, after);
        log = new Arrivals[partitions];
        Arrivals[] counted = new Arrivals[partitions];
        for (int partition = 0; partition < partitions; partition++) {
            long seed = random.nextLong();
            long waiting = waiting(partition);
            log[partition] = new Arrivals(rates, partition, seed, waiting);
            counted[partition] = new Arrivals(rates, partition, seed, waiting);
        }
        boolean sticks = scenario.disturbances().stream().anyMatch(Disturbance.StuckKey.class::isInstance);
        drawsKeys = mode == Mode.KEY || sticks;
        stuckKey = sticks ? 0 : -1;
        lanes = new Lanes(mode == Mode.KEY ? keys.count() : partitions);
        assignments = new Assignments(partitions, group.members());
        wakes = new boolean[partitions];
        heldOfPartition = new long[partitions];
        concurrency = group.workers();
        joined = group.members();
        requested = joined;
        counts = new SimulationCounts(scenario.span(), counted);
        view = new GroupView(assignments, counts, members, partitions, () -> now);
        boolean isByLoad = group.assignor() == Assignor.LOAD;
        loads = isByLoad ? new PartitionLoads(partitions, view::appended, view::done) : null;
        if (isByLoad) {
            shareOutByLoad();
        }
        for (int number = 0; number < joined; number++) {
            members.add(new SimulatedMember(number));
        }
    }

    /** As if the group had run before, with the shares that partitions have at the start. */
    private void shareOutByLoad() {
        int[] nobody = new int[log.length];
        Arrays.fill(nobody, -1);
        double[] shares = new double[log.length];
        Arrays.setAll(shares, keysBefore::share);
        int[] owners = LoadPlan.plan(shares, nobody, joined);
        assignments.given(owners, joined).forEach(move -> assignments.give(move.partition(), move.to()));
    }

    /**
     * Runs a scenario to its end, with a group that keeps its size.
     *
     * @throws IllegalArgumentException if more than two billion records come, or a rate is no number
     */
    public static SimulationResult run(Scenario scenario) {
        return run(scenario, Controller.NONE);
    }

    /**
     * Runs a scenario to its end. The same scenario and controller give the same result. What the controller throws
     * ends the run.
     *
     * @throws IllegalArgumentException if more than two billion records come, or a rate is no number
     */
    public static SimulationResult run(Scenario scenario, Controller controller) {
        return run(scenario, (tick, _) -> controller.decide(tick));
    }

    /**
     * Runs a scenario to its end with a controller that looks at single members and partitions. Else as
     * {@link #run(Scenario, Controller)}.
     *
     * @throws IllegalArgumentException if more than two billion records come, or a rate is no number
     */
    public static SimulationResult run(Scenario scenario, DetailedController controller) {
        return new Simulation(scenario, controller).run();
    }

    /** The backlog of a partition: its share of the whole. */
    private long waiting(int partition) {
        return Math.round((double) scenario.backlog() * keysBefore.share(partition));
    }

    private SimulationResult run() {
        for (int partition = 0; partition < log.length; partition++) {
            open(partition);
        }
        long end = Math.round(scenario.span().seconds() * NANOS);
        long tick = Math.round(scenario.span().tickSeconds() * NANOS);
        long nextTick = Math.min(tick, end);
        while (true) {
            long joinAt = joins.isEmpty() ? Long.MAX_VALUE : joins.getFirst().at;
            long next = Math.min(events.nextTime(), Math.min(nextTick, joinAt));
            counts.pass(now, next, runningAll, (long) workers() * joined, requested);
            now = next;
            if (next == nextTick) {
                look();
                if (next == end) {
                    return counts.result(now);
                }
                nextTick = Math.min(nextTick + tick, end);
            } else if (next == joinAt) {
                int target = Math.min(joins.removeFirst().members, requested);
                if (target > joined) {
                    rebalance(target);
                }
            } else {
                happen(events.take());
            }
        }
    }

    private int workers() {
        return mode == Mode.PLAIN ? 1 : concurrency;
    }

    /** Numbers from 0 on are records that end; negative ones are partitions whose next record comes, or that open. */
    private void happen(int event) {
        if (event >= 0) {
            done(event);
            return;
        }
        int partition = -1 - event;
        if (partition >= log.length) {
            open(partition - log.length);
            return;
        }
        wakes[partition] = false;
        if (assignments.isOpen(partition, now)) {
            offer(partition);
        }
    }

    // ---------------------------------------------------------------- fetching

    /** A partition may be read again, and what is held of it handled. */
    private void open(int partition) {
        if (!assignments.isOpen(partition, now)) {
            return; // It was closed once more meanwhile.
        }
        SimulatedMember owner = members.get(assignments.owner(partition));
        if (mode == Mode.KEY) {
            for (int key = partition; key < scenario.keys().count(); key += log.length) {
                offerLane(owner, key);
            }
        } else {
            int waiting = isOrdered() ? 1 : lanes.held(partition);
            for (int i = 0; i < waiting; i++) {
                offerLane(owner, partition);
            }
        }
        offer(partition);
        work(owner);
    }

    private void offerLane(SimulatedMember owner, int lane) {
        if (lanes.hasWaiting(lane) && !(isOrdered() && lanes.isBusy(lane))) {
            owner.ready.add(lane);
        }
    }

    private boolean isOrdered() {
        return mode != Mode.UNORDERED;
    }

    private void offer(int partition) {
        SimulatedMember owner = members.get(assignments.owner(partition));
        owner.available.add(partition);
        fetch(owner);
        work(owner);
    }

    private void fetch(SimulatedMember member) {
        while (!member.available.isEmpty() && hasRoom(member)) {
            int partition = member.available.take();
            if (assignments.owner(partition) != member.number || !assignments.isOpen(partition, now)) {
                continue;
            }
            Arrivals arrivals = log[partition];
            long arrival = arrivals.next();
            if (arrival <= now) {
                take(member, partition, arrival);
                arrivals.advance();
                member.available.add(partition);
            } else if (!wakes[partition] && arrival != Arrivals.NEVER) {
                wakes[partition] = true;
                events.add(arrival, -1 - partition);
            }
        }
    }

    private boolean hasRoom(SimulatedMember member) {
        int reserve = scenario.group().reserve();
        if (member.held < reserve) {
            return true;
        }
        if (!scenario.group().spills() || mode != Mode.KEY || member.longest < 0 || member.spilled >= MOST_SPILLED) {
            return false;
        }
        int kept = Math.max(1, reserve / SPILL_SHARE);
        int partition = keysBefore.partition(member.longest);
        if (assignments.owner(partition) != member.number) {
            return false;
        }
        int room = lanes.spill(member.longest, kept);
        member.held -= room;
        member.spilled += room;
        heldOfPartition[partition] -= room;
        return member.held < reserve;
    }

    private void take(SimulatedMember member, int partition, long arrival) {
        int key = drawsKeys ? rates.at(arrival).draw(partition, keyRandom) : 0;
        int lane = mode == Mode.KEY ? key : partition;
        boolean isReady = !isOrdered() || (!lanes.hasWaiting(lane) && !lanes.isBusy(lane));
        if (lanes.append(lane, key, arrival)) {
            member.held++;
            heldOfPartition[partition]++;
            if (member.longest < 0 || lanes.counted(lane) > lanes.counted(member.longest)) {
                member.longest = lane;
            }
        } else {
            member.spilled++;
        }
        if (isReady) {
            member.ready.add(lane);
        }
    }

    // ---------------------------------------------------------------- handling

    private int partitionOf(int lane) {
        return mode == Mode.KEY ? keysBefore.partition(lane) : lane;
    }

    private void work(SimulatedMember member) {
        while (member.number < joined && member.running < workers() && !member.ready.isEmpty()) {
            int lane = member.ready.take();
            int partition = partitionOf(lane);
            boolean isMine = assignments.owner(partition) == member.number && assignments.isOpen(partition, now);
            if (!isMine || !lanes.hasWaiting(lane) || (isOrdered() && lanes.isBusy(lane))) {
                continue;
            }
            int record = lanes.start(lane, member.number);
            member.run(1, now);
            runningAll++;
            events.add(now + Math.max(1, (long) (service(record) * NANOS)), record);
        }
    }

    /** How long a record takes that begins now. */
    private double service(int record) {
        double seconds = (double) now / NANOS;
        double time = scenario.service().sample(serviceRandom);
        double stuck = 0;
        for (Disturbance each : scenario.disturbances()) {
            if (seconds < each.from() || seconds >= each.until()) {
                continue;
            }
            switch (each) {
                case Disturbance.Slowdown slowdown -> time *= slowdown.factor();
                case Disturbance.StuckKey key -> stuck = lanes.key(record) == stuckKey ? key.until() - seconds : stuck;
            }
        }
        int downstream = scenario.downstream();
        if (downstream > 0 && runningAll > downstream) {
            time *= (double) runningAll / downstream;
        }
        return time + stuck;
    }

    private void done(int record) {
        counts.done(now, now - lanes.arrival(record));
        int lane = lanes.lane(record);
        int partition = partitionOf(lane);
        SimulatedMember worker = members.get(lanes.member(record));
        SimulatedMember owner = members.get(assignments.owner(partition));
        worker.run(-1, now);
        view.recordDone(partition);
        runningAll--;
        if (lanes.end(record)) {
            owner.held--;
            heldOfPartition[partition]--;
        } else {
            owner.spilled--;
        }
        if (isOrdered() && lanes.hasWaiting(lane) && assignments.isOpen(partition, now)) {
            owner.ready.add(lane);
        }
        fetch(owner);
        work(owner);
        if (worker != owner) {
            work(worker);
        }
    }

    // ---------------------------------------------------------------- rescaling

    private void look() {
        long oldest = now;
        for (int partition = 0; partition < log.length; partition++) {
            oldest = Math.min(oldest, log[partition].next());
        }
        Tick tick = counts.tick(now, oldest, joined, requested, concurrency, assignments.isAnyClosed(now));
        if (loads != null) {
            loads.note(now);
        }
        Controller.Decision decision = controller.decide(tick, view);
        if (mode != Mode.PLAIN && decision.concurrency() != concurrency) {
            concurrency = decision.concurrency();
            members.forEach(this::work);
        }
        if (decision.members() != requested) {
            counts.rescaled();
            if (decision.members() > requested) {
                long at = now + Math.round(scenario.rescaling().startSeconds() * NANOS);
                joins.addLast(new Join(at, decision.members()));
            }
            requested = decision.members();
            if (requested < joined) {
                rebalance(requested);
            }
        } else if (controller.isReassigning()) {
            counts.rescaled();
            rebalance(joined);
        }
    }

    /** Records that are being handled end where they are; those that wait go with their partition. */
    private void rebalance(int target) {
        while (members.size() < target) {
            members.add(new SimulatedMember(members.size()));
        }
        Rescaling cost = scenario.rescaling();
        long pauseEnd = now + Math.round(cost.pauseSeconds() * NANOS);
        long restore = Math.round(cost.stateBytes() / log.length / cost.restoreRate() * NANOS);
        long[] restoredAt = new long[target];
        for (Assignments.Move move : moves(target)) {
            SimulatedMember from = members.get(assignments.owner(move.partition()));
            SimulatedMember to = members.get(move.to());
            restoredAt[move.to()] = Math.max(restoredAt[move.to()], pauseEnd) + restore;
            assignments.give(move.partition(), move.to());
            from.held -= heldOfPartition[move.partition()];
            to.held += heldOfPartition[move.partition()];
            close(move.partition(), restoredAt[move.to()]);
        }
        for (int partition = 0; partition < log.length && cost.stopsAll(); partition++) {
            close(partition, pauseEnd);
        }
        joined = target;
        members.forEach(member -> {
            member.longest = -1;
            fetch(member);
            work(member);
        });
    }

    /** What changes hands: as the controller says, else as the group's assignor does. */
    private List<Assignments.Move> moves(int target) {
        int[] owners = controller.owners(target);
        if (owners == null && loads != null) {
            owners = LoadPlan.plan(loads.loads(), assignments.owners(), target);
        }
        return owners == null ? assignments.balance(target) : assignments.given(owners, target);
    }

    private void close(int partition, long until) {
        assignments.close(partition, until);
        events.add(assignments.openFrom(partition), -1 - log.length - partition);
    }
}
