package dev.laneway.engine;

import dev.laneway.BrokerException;
import dev.laneway.LanewayException;
import dev.laneway.Snapshot;
import dev.laneway.State;
import dev.laneway.StreamException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One member of the group. Its owner calls {@link #step} until that returns false; a thread does so in production, a
 * simulation by hand. The owner alone touches the Kafka consumer and all state of partitions but what {@link Track}
 * shares with the workers.
 *
 * <p>A turn, in this order: events, timers, commit, flow control, poll (rebalances run in here), dispatch. Nothing in
 * it waits but the poll, the limits of a rebalance and, while runners must be watched, a short park.
 */
final class Engine implements OwnerLoop {
    private static final Logger log = LoggerFactory.getLogger(Engine.class);

    /** A bound on how late anything is that nobody signals. */
    private static final long LONGEST_WAIT_NANOS = 1_000_000_000;

    /**
     * The longest poll. The consumer of the consumer protocol sends a fetch that has failed as a whole, as when a topic
     * of it is deleted, in its next poll only (kafka-clients 4.3.1): until then all partitions are silent.
     */
    private static final long LONGEST_POLL_NANOS = 200_000_000;

    /** How long partitions that the byte budget admits keep others waiting. */
    private static final long ROTATION_NANOS = 10_000_000;

    private final MemberWiring parts;
    private final Host host;
    private final Consumer<byte[], byte[]> consumer;
    private final Assignment assignment;
    private final FlowControl flow;
    private final Scheduler scheduler;
    private final Committer committer;
    private final Rebalance rebalance;
    private final StallDetector overseer;
    private final Inbox inbox;
    private final WakeSignal wake;
    private final MemberLifecycle lifecycle;
    private final BrokerRetries patience;
    private final Timers timers = new Timers();
    private final Set<TopicPartition> pausedByUser = new HashSet<>();
    private volatile boolean allPausedByUser;
    private volatile boolean somePausedByUser;
    private final RunnerCheck look;
    private final RecordIntake intake;
    private final Shutdown shutdown;
    private final Deque<Event> deferred = new ArrayDeque<>();
    private volatile long turnedAtNanos;

    Engine(MemberWiring parts) {
        this.parts = parts;
        this.host = parts.host();
        this.consumer = parts.consumer();
        this.assignment = parts.assignment();
        this.flow = parts.flow();
        this.scheduler = parts.scheduler();
        this.committer = parts.committer();
        this.overseer = parts.overseer();
        this.inbox = parts.inbox();
        this.wake = parts.wake();
        this.lifecycle = parts.lifecycle();
        this.patience = parts.patience();
        this.turnedAtNanos = host.nanoTime();
        this.look = new RunnerCheck(scheduler, parts.counts());
        this.rebalance = new Rebalance(
                this,
                consumer,
                parts.calls(),
                assignment,
                parts.starts(),
                parts.elsewhere(),
                committer,
                parts.counts(),
                parts.listener(),
                parts.listenerCall(),
                parts.conditions(),
                parts.drainLimitNanos());
        this.intake = new RecordIntake(parts, rebalance, timers, patience);
        this.shutdown = new Shutdown(
                assignment,
                flow::stop,
                timers,
                lifecycle,
                parts.outlet(),
                () -> !rebalance.leftovers().isEmpty());
    }

    /** The first thing that the owner does: subscribe. */
    @Override
    public void start() {
        lifecycle.to(State.RUNNING);
        turnedAtNanos = host.nanoTime();
        committer.open();
        switch (parts.subscription()) {
            case TopicSelection.Topics(var topics) -> consumer.subscribe(topics, rebalance);
            case TopicSelection.Matching(var pattern) -> consumer.subscribe(pattern, rebalance);
            case TopicSelection.Partitions(var partitions) -> {
                consumer.assign(partitions);
                rebalance.take(partitions);
            }
        }
        oversee();
    }

    /** One turn. False when it was the last one; then {@link #end} is due. */
    @Override
    public boolean step() {
        intake.awaitHandled();
        long now = host.nanoTime();
        turnedAtNanos = now;
        wake.awake();
        serve();
        now = host.nanoTime();
        boolean told = parts.commits().membership().isCurrent();
        long wait = Math.min(told ? committer.turn(now) : 0, timers.untilNext(now, LONGEST_WAIT_NANOS));
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
        flow.apply();
        if (committer.hasOutputs() && flow.isFullOfOutputs()) {
            committer.hurry();
        }
        if (flow.mustLookSoon()) {
            wait = Math.min(wait, ROTATION_NANOS);
        }
        wait = Math.min(wait, look.turn(now, LONGEST_WAIT_NANOS));
        wait = Math.min(wait, parts.reporter().turn(now, LONGEST_WAIT_NANOS));
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

    /** Events and timers, in the turn. An event may take its time, so that the next one asks for the time anew. */
    private void serve() {
        while (!deferred.isEmpty()) {
            on(deferred.removeFirst(), host.nanoTime());
        }
        for (Event event = inbox.poll(); event != null; event = inbox.poll()) {
            on(event, host.nanoTime());
        }
        timers.fire(host.nanoTime());
    }

    /**
     * Serves events and timers, but no poll, until the condition holds; false when the limit was reached first. For
     * waits inside a rebalance.
     */
    boolean serveUntil(BooleanSupplier condition, long limitNanos) {
        long since = host.nanoTime();
        while (!condition.getAsBoolean()) {
            long now = host.nanoTime();
            turnedAtNanos = now;
            long left = limitNanos - (now - since);
            if (left <= 0) {
                return false;
            }
            for (Event event = inbox.poll(); event != null; event = inbox.poll()) {
                if (event instanceof Event.Seek || event instanceof Event.Located) {
                    deferred.addLast(event); // It changes the assignment, which is being changed right now.
                } else {
                    on(event, now);
                }
            }
            timers.fire(now);
            committer.waiting();
            if (!condition.getAsBoolean()) {
                wake.park(Math.min(left, timers.untilNext(now, LONGEST_WAIT_NANOS)));
            }
        }
        return true;
    }

    /** A wait inside a rebalance is over. */
    void backInPoll() {
        intake.backInPoll();
    }

    private void on(Event event, long now) {
        switch (event) {
            case Event.Retry(Lane lane, long delayNanos) ->
                later(now + delayNanos, lane.track, () -> lane.track.lanes.wake(lane));
            case Event.Redeliver(OutgoingRecords delivery, long delayNanos) ->
                later(now + delayNanos, delivery.track, () -> redeliver(delivery));
            case Event.Failed(Throwable cause) -> {
                lifecycle.fail(cause);
                shutdown.close(parts.options().closeLimit(), now);
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
            case Event.Seek(TopicPartition id, long offset, var answer) -> seek(id, offset, answer);
            case Event.Located located -> located(located);
            case Event.Drain(Duration limit, var answer) -> shutdown.drain(limit, answer, now);
            case Event.Close(Duration limit, long askedNanos) -> shutdown.close(limit, askedNanos);
            case Event.Abandon() -> assignment.all().forEach(partition -> partition.held.abandon());
        }
    }

    /** Not later but now when the track has been dropped meanwhile: nothing may keep its records any more. */
    private void later(long dueNanos, Track track, Runnable action) {
        if (track.lanes.isDropped()) {
            action.run();
        } else {
            timers.add(dueNanos, track, action);
        }
    }

    private void startMore() {
        try {
            rebalance.startMore();
        } catch (LanewayException | KafkaException failure) {
            inbox.add(new Event.Failed(patience.explained(failure)));
        }
    }

    // ---------------------------------------------------------------- looks

    private void oversee() {
        long now = host.nanoTime();
        overseer.look(now, rebalance.leftovers());
        parts.outbox().look(now);
        boolean mayFetch = assignment.all().stream().anyMatch(Partition::mayFetch);
        parts.contact().look(mayFetch, patience.trouble().isPresent());
        scheduler.workArrived(); // An attempt that was ended has freed its cursor.
        timers.add(now + overseer.intervalNanos(), this::oversee);
    }

    // ---------------------------------------------------------------- control

    boolean isPausedByUser(TopicPartition id) {
        return allPausedByUser || pausedByUser.contains(id);
    }

    /** Whether the user has paused anything; any thread. */
    boolean isPausedByUser() {
        return allPausedByUser || somePausedByUser;
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

    private void redeliver(OutgoingRecords delivery) {
        if (delivery.track.lanes.isDropped()) {
            delivery.track.lanes.strandDelivery(); // Its next owner handles the record again.
        } else {
            scheduler.ready(delivery);
        }
    }

    /** Whether nothing may start any more. */
    boolean isClosing() {
        return shutdown.isClosing();
    }

    /** These were given up: what waits for a time of theirs waits no longer. */
    void dropped(List<Partition> partitions) {
        partitions.forEach(partition -> timers.hasten(partition.held));
    }

    /** What is due later; for tests of the bound on memory. */
    Timers timers() {
        return timers;
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
        if (crash != null) {
            lifecycle.fail(patience.explained(crash));
        }
        Duration left = shutdown.left(host.nanoTime());
        parts.commits().limitLast(left);
        shutdown.close(Duration.ZERO, host.nanoTime());
        lifecycle.endsIdle(shutdown.isIdle());
        guarded("committing at the end", () -> rebalance.giveUp(assignment.all(), 0, shutdown.waited()));
        guarded("closing the consumer", () -> consumer.close(CloseOptions.timeout(left)));
        guarded("closing the committer", () -> committer.close(left));
        guarded("closing the producer", () -> parts.outbox().close(left));
        guarded("closing the workers", host::close);
        guarded("answering", shutdown::ended);
        refuseEvents(); // A last commit that was refused comes as one, and is a failure too.
        lifecycle.to(lifecycle.failure() == null ? State.CLOSED : State.FAILED);
        refuseEvents();
    }

    private void guarded(String what, Runnable action) {
        try {
            action.run();
        } catch (Throwable failure) {
            lifecycle.fail(new BrokerException(what + " failed", failure));
        }
    }

    /** Answers whoever still waits for an answer. */
    private void refuseEvents() {
        while (!deferred.isEmpty()) {
            inbox.add(deferred.removeFirst());
        }
        for (Event event = inbox.poll(); event != null; event = inbox.poll()) {
            switch (event) {
                case Event.Seek seek ->
                    seek.answer().completeExceptionally(new IllegalStateException("the consumer has ended"));
                case Event.Drain drain -> drain.answer().complete(false);
                case Event.Failed(BrokerException refused) -> lifecycle.fail(refused);
                default -> log.debug("{} came after the end", event);
            }
        }
    }

    // ---------------------------------------------------------------- what it tells

    /** Everything; any thread. */
    Snapshot snapshot() {
        return parts.reporter().snapshot(host.nanoTime(), turnedAtNanos);
    }

    /** What keeps polls from succeeding, in words; any thread. */
    Optional<String> trouble() {
        return patience.trouble();
    }

    /** Nanoseconds since the owner's last turn; any thread. */
    long sinceTurnNanos() {
        return host.nanoTime() - turnedAtNanos;
    }
}
