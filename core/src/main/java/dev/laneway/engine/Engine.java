package dev.laneway.engine;

import dev.laneway.LanewayException;
import dev.laneway.StreamException;
import dev.laneway.engine.commit.Committer;
import dev.laneway.engine.config.TopicSelection;
import dev.laneway.engine.handle.Scheduler;
import dev.laneway.engine.refill.LogRefill;
import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.runtime.ListenerCall;
import dev.laneway.engine.runtime.Timers;
import dev.laneway.engine.track.Assignment;
import dev.laneway.engine.track.Event;
import dev.laneway.engine.track.Inbox;
import dev.laneway.engine.track.Lane;
import dev.laneway.engine.track.Partition;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.ObjLongConsumer;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One member of the group. Its owner calls {@link #step} until that returns false; a thread does so in production, a
 * simulation by hand. The owner alone touches the Kafka consumer and all state of partitions but what {@code Track}
 * shares with the workers.
 *
 * <p>A turn, in this order: events, timers, commit, flow control, poll (rebalances run in here), dispatch. Nothing in
 * it waits but the poll, the limits of a rebalance and, while runners must be watched, a short park.
 */
public final class Engine implements MemberEngine {
    private static final Logger log = LoggerFactory.getLogger(Engine.class);

    /**
     * The longest poll. The consumer of the consumer protocol sends a fetch that has failed as a whole, as when a topic
     * of it is deleted, in its next poll only (kafka-clients 4.3.1): until then all partitions are silent.
     */
    private static final long LONGEST_POLL_NANOS = 200_000_000;

    /** How long partitions that the byte budget admits keep others waiting. */
    private static final long ROTATION_NANOS = 10_000_000;

    private final MemberWiring parts;
    private final MemberCore core;
    private final Host host;
    private final Consumer<byte[], byte[]> consumer;
    private final Assignment assignment;
    private final FlowControl flow;
    private final Scheduler scheduler;
    private final Committer committer;
    private final Rebalance rebalance;
    private final Inbox inbox;
    private final Timers timers;
    private final RecordIntake intake;
    private final Shutdown shutdown;
    private final MemberTurns turns;
    /** {@link #on}, made once: each turn asks for it. */
    private final ObjLongConsumer<Event> servesNow = this::on;

    private final DelayedStarts delayed;
    private final Set<TopicPartition> pausedByUser = new HashSet<>();
    private volatile boolean allPausedByUser;
    private volatile boolean somePausedByUser;
    private final Deque<Event> deferred = new ArrayDeque<>();

    public Engine(MemberWiring parts) {
        this.parts = parts;
        this.core = parts.core();
        this.host = core.host();
        this.consumer = parts.consumer();
        this.assignment = core.assignment();
        this.flow = parts.flow();
        this.scheduler = core.scheduler();
        this.committer = parts.committer();
        this.inbox = core.inbox();
        this.timers = core.timers();
        this.rebalance = new Rebalance(this, parts);
        this.intake = new RecordIntake(parts, rebalance);
        this.shutdown = new Shutdown(
                core, flow::stop, parts.outlet(), () -> !rebalance.leftovers().isEmpty());
        this.delayed = new DelayedStarts(host, assignment, core.options().notBefore() != null, core.refill() != null);
        this.turns = new MemberTurns(core, shutdown, rebalance::leftovers, parts.contact(), this::mayFetch);
    }

    /** The first thing that the owner does: subscribe. */
    @Override
    public void start() {
        turns.start();
        if (!committer.open()) {
            return; // The first turn hears of the close.
        }
        switch (parts.subscription()) {
            case TopicSelection.Topics(var topics) -> consumer.subscribe(topics, rebalance);
            case TopicSelection.Matching(var pattern) -> consumer.subscribe(pattern, rebalance);
            case TopicSelection.Partitions(var partitions) -> {
                consumer.assign(partitions);
                rebalance.take(partitions);
            }
        }
        turns.diagnose();
    }

    /** One turn. False when it was the last one; then {@link #end} is due. */
    @Override
    public boolean step() {
        intake.awaitHandled();
        turns.begin();
        serve();
        long now = host.nanoTime();
        long wait = parts.commits().membership().isCurrent() ? committer.turn(now) : 0;
        if (shutdown.isOver(now)) {
            if (isCommitted(now)) {
                return false;
            }
            wait = Math.min(wait, Shutdown.REFUSED_COMMIT_NANOS);
        }
        if (shutdown.isDraining()) {
            scheduler.workArrived(); // Batches that will not fill any more may start.
        }
        rebalance.turn();
        if (!shutdown.isClosing() && !shutdown.isDraining()) {
            startMore();
            wait = parts.starts().untilDue(host.nanoTime(), wait);
        }
        wait = delayed.turn(wait);
        flow.apply();
        if (committer.hasOutputs() && flow.isFullOfOutputs()) {
            committer.hurry();
        }
        if (flow.mustLookSoon()) {
            wait = Math.min(wait, ROTATION_NANOS);
        }
        wait = Math.min(wait, turns.untilNext(now));
        wait = Math.min(wait, core.reporter().turn(now, wait));
        intake.dispatch(intake.poll(Math.min(wait, LONGEST_POLL_NANOS)));
        return true;
    }

    /**
     * Makes the last commit before the consumer leaves its group. While a rebalance goes on the client refuses it, so
     * that turns go on too, up to a limit: their polls bring the rebalance to its end. So it is after a failure that
     * only a poll can explain.
     */
    private boolean isCommitted(long now) {
        Duration left = shutdown.leftToCommit(now);
        parts.commits().limitLast(left);
        if ((!parts.commits().membership().isCurrent() || shutdown.isCommitRefused(now)) && !left.isZero()) {
            return false;
        }
        committer.flush(assignment.all());
        if (!parts.commits().isToBeMadeAgain()) {
            return true;
        }
        if (left.isZero()) {
            log.warn("the last commit was refused until its limit; the next owners repeat what is not in it");
            return true;
        }
        shutdown.commitRefused(host.nanoTime());
        return false;
    }

    /** Events and timers, in the turn. */
    private void serve() {
        while (!deferred.isEmpty()) {
            on(deferred.removeFirst(), host.nanoTime());
        }
        turns.serve(servesNow);
    }

    /**
     * Serves events and timers, but no poll, until the condition holds; false when the limit was reached first. For
     * waits inside a rebalance.
     */
    boolean serveUntil(BooleanSupplier condition, long limitNanos) {
        long since = host.nanoTime();
        while (!condition.getAsBoolean()) {
            long now = turns.turned();
            long left = limitNanos - (now - since);
            if (left <= 0) {
                return false;
            }
            turns.serve(this::deferOrServe);
            committer.waiting();
            if (!condition.getAsBoolean()) {
                core.wake().park(Math.min(left, timers.untilNext(now, MemberTurns.LONGEST_WAIT_NANOS)));
            }
        }
        return true;
    }

    private void deferOrServe(Event event, long now) {
        if (event instanceof Event.Seek || event instanceof Event.Located || event instanceof Event.Recreated) {
            deferred.addLast(event); // It changes the assignment, which is being changed right now.
        } else {
            on(event, now);
        }
    }

    /** A wait inside a rebalance is over. */
    void backInPoll() {
        intake.backInPoll();
    }

    private void on(Event event, long now) {
        switch (event) {
            case Event.Retry(Lane lane, long delayNanos) -> {
                delayed.retries(lane, delayNanos);
                turns.later(now + delayNanos, lane.track, () -> lane.track.lanes.wake(lane));
            }
            case Event.Redeliver redeliver -> turns.redeliver(redeliver, now);
            case Event.Failed(Throwable cause) -> {
                core.lifecycle().fail(cause);
                shutdown.close(core.options().limits().closeLimit(), now);
            }
            case Event.PauseAll() -> {
                pause(assignment.all());
                allPausedByUser = true; // Told when it is so.
            }
            case Event.Pause(var ids) -> {
                pausedByUser.addAll(ids);
                pause(assignment.of(ids));
                somePausedByUser = !pausedByUser.isEmpty();
            }
            case Event.ResumeAll() -> {
                allPausedByUser = false;
                pausedByUser.clear();
                somePausedByUser = false;
                resume(assignment.all());
            }
            case Event.Resume(var ids) -> {
                pausedByUser.removeAll(ids);
                somePausedByUser = !pausedByUser.isEmpty();
                if (!allPausedByUser) {
                    resume(assignment.of(ids));
                }
            }
            case Event.Recreated(Partition partition) -> intake.beginAnew(partition);
            case Event.Seek(TopicPartition id, long offset, var answer) -> seek(id, offset, answer);
            case Event.Located located -> located(located);
            case Event.Drain(Duration limit, var answer) -> shutdown.drain(limit, answer, now);
            case Event.Close(Duration limit, long askedNanos) -> shutdown.close(limit, askedNanos);
            case Event.Abandon() -> assignment.all().forEach(partition -> partition.held.abandon());
        }
    }

    private void startMore() {
        try {
            rebalance.startMore();
        } catch (LanewayException | KafkaException failure) {
            inbox.add(new Event.Failed(core.pollRetries().explained(failure)));
        }
    }

    private boolean mayFetch() {
        return assignment.all().stream().anyMatch(Partition::mayFetch);
    }

    // ---------------------------------------------------------------- control

    boolean isPausedByUser(TopicPartition id) {
        return allPausedByUser || pausedByUser.contains(id);
    }

    private void pause(List<Partition> partitions) {
        for (Partition partition : partitions) {
            partition.pausedByUser = true;
            partition.held.pause();
        }
    }

    private void resume(List<Partition> partitions) {
        for (Partition partition : partitions) {
            partition.pausedByUser = false;
            partition.held.resume();
        }
        scheduler.workArrived();
    }

    private void seek(TopicPartition id, long offset, CompletableFuture<Void> answer) {
        Partition old = assignment.get(id);
        boolean starting = parts.starts().forget(List.of(id));
        if (old == null && !starting) {
            answer.completeExceptionally(new IllegalStateException(id + " is not assigned, so it cannot seek"));
            return;
        }
        rebalance.giveUp(old == null ? List.of() : List.of(old));
        consumer.seek(id, offset);
        Partition moved = parts.starts().from(id, offset);
        rebalance.place(List.of(moved));
        committer.flush(List.of(moved));
        answer.complete(null);
    }

    private void located(Event.Located answer) {
        try {
            rebalance.located(answer);
        } catch (StreamException refused) {
            inbox.add(new Event.Failed(refused));
        }
    }

    /** Whether nothing may start any more. */
    public boolean isClosing() {
        return shutdown.isClosing();
    }

    /** These were given up: what waits for a time of theirs waits no longer. */
    void dropped(List<Partition> partitions) {
        partitions.forEach(partition -> timers.hasten(partition.held));
    }

    /** The poll that has brought partitions goes on and may return records of theirs: they must fit in, too. */
    void admit() {
        flow.apply();
    }

    /** Partitions have come or gone: workers serve those that there are. */
    void assignmentChanged() {
        scheduler.serve(assignment.tracks());
    }

    // ---------------------------------------------------------------- the end

    /** The last thing that the owner does, after the last turn or a failure of one: commit, leave, close everything. */
    @Override
    public void end(@Nullable Throwable crash) {
        turns.end(crash, left -> {
            parts.commits().limitLast(left);
            turns.guarded("committing at the end", () -> rebalance.giveUp(assignment.all(), 0, shutdown.waited()));
            turns.guarded("closing the refill", this::closeRefill);
            turns.guarded("closing the consumer", () -> consumer.close(CloseOptions.timeout(left)));
            turns.guarded("closing the committer", () -> committer.close(left));
            while (!deferred.isEmpty()) {
                inbox.add(deferred.removeFirst()); // Whoever asked is answered with the others.
            }
        });
    }

    private void closeRefill() {
        LogRefill refill = core.refill();
        if (refill != null) {
            refill.close();
        }
    }

    @Override
    public void closeUnstarted() {
        consumer.close();
    }

    // ---------------------------------------------------------------- what it tells

    @Override
    public MemberTurns turns() {
        return turns;
    }

    MemberWiring parts() {
        return parts;
    }

    @Override
    public ListenerCall listenerCall() {
        return parts.listenerCall();
    }

    @Override
    public List<String> troubles() {
        return turns.troubles(parts.commits().trouble(), allPausedByUser || somePausedByUser);
    }

    @Override
    public Map<MetricName, ? extends Metric> clientMetrics() {
        return consumer.metrics();
    }

    @Override
    public boolean ownsPartitions() {
        return true;
    }
}
