package dev.laneway.engine;

import dev.laneway.BrokerException;
import dev.laneway.Snapshot;
import dev.laneway.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One member of a share group. Its owner calls {@link #step} until that returns false, as with {@link Engine}, of which
 * it uses everything but what has to do with partitions of one's own: tracks, workers, settlement, timers, the way to
 * the end.
 *
 * <p>A turn, in this order: events, timers, acknowledgements and renewals, poll.
 */
final class ShareEngine implements OwnerLoop {
    private static final Logger log = LoggerFactory.getLogger(ShareEngine.class);
    private static final long LONGEST_WAIT_NANOS = 1_000_000_000;
    /** How long brokers keep a fetch that finds nothing, unless the user says otherwise: then heartbeats are heard. */
    private static final long FETCH_WAIT_NANOS = 5_000_000_000L;

    private final ShareWiring parts;
    private final Host host;
    private final Scheduler scheduler;
    private final WakeSignal wake;
    private final Inbox inbox;
    private final MemberLifecycle lifecycle;
    private final Timers timers;
    private final RunnerCheck look;
    private final Shutdown shutdown;
    /** Given up with work in flight. */
    private final List<Partition> leftovers = new ArrayList<>();
    /** The lanes that wait for their next attempt, and until when. */
    private final IdentityHashMap<Lane, Long> waiting = new IdentityHashMap<>();

    private final ShareClient taker;
    private final BrokerContact contact;
    private boolean stopped;
    private volatile boolean paused;
    private volatile long turnedAtNanos;

    ShareEngine(ShareWiring parts) {
        this.parts = parts;
        this.host = parts.host();
        this.scheduler = parts.scheduler();
        this.wake = parts.wake();
        this.inbox = parts.inbox();
        this.lifecycle = parts.lifecycle();
        this.timers = parts.timers();
        this.turnedAtNanos = host.nanoTime();
        this.look = new RunnerCheck(scheduler, parts.counts());
        this.taker = new ShareClient(parts.clients().get(), parts, leftovers);
        this.contact = new BrokerContact(host, parts.conditions(), taker::metrics, FETCH_WAIT_NANOS, true);
        this.shutdown = new Shutdown(
                parts.assignment(),
                () -> stopped = true,
                timers,
                lifecycle,
                NoOutlet.OUTLET,
                () -> !leftovers.isEmpty());
    }

    @Override
    public void start() {
        lifecycle.to(State.RUNNING);
        turnedAtNanos = host.nanoTime();
        oversee();
    }

    @Override
    public boolean step() {
        long now = host.nanoTime();
        turnedAtNanos = now;
        wake.awake();
        serve(now);
        leftovers.removeIf(one -> one.held.busy() == 0);
        boolean over = shutdown.isOver(now);
        long asked = taker.turn(now, LONGEST_WAIT_NANOS, !stopped);
        long wait = Math.min(asked, timers.untilNext(host.nanoTime(), LONGEST_WAIT_NANOS));
        if (over) {
            return false;
        }
        if (shutdown.isDraining()) {
            scheduler.workArrived();
        }
        wait = Math.min(wait, look.turn(now, LONGEST_WAIT_NANOS));
        if (paused) {
            taker.leave();
        }
        if (taker.isEmpty() && !stopped && !paused) {
            taker.take(wait);
        } else {
            wake.park(wait);
        }
        return true;
    }

    private void serve(long now) {
        for (Event event = inbox.poll(); event != null; event = inbox.poll()) {
            on(event, now);
        }
        timers.fire(now);
    }

    private void on(Event event, long now) {
        switch (event) {
            case Event.Retry(Lane lane, long delayNanos) -> {
                waiting.put(lane, now + delayNanos);
                later(now + delayNanos, lane.track, () -> {
                    waiting.remove(lane);
                    lane.track.lanes.wake(lane);
                });
            }
            case Event.Redeliver(OutgoingRecords delivery, long delayNanos) ->
                later(now + delayNanos, delivery.track, () -> redeliver(delivery));
            case Event.Failed(Throwable cause) -> {
                lifecycle.fail(cause);
                finish(parts.options().closeLimit(), now);
            }
            case Event.PauseAll() -> {
                if (stopped) { // Nothing is waited for that would not start again.
                    taker.startOnlyLast();
                } else {
                    taker.pause();
                }
                paused = true; // Told when it is so.
            }
            case Event.ResumeAll() -> {
                paused = false;
                taker.resume();
            }
            case Event.Drain(Duration limit, var answer) -> shutdown.drain(limit, answer, now);
            case Event.Close(Duration limit, long askedNanos) -> finish(limit, askedNanos);
            case Event.Pause pause -> throw new IllegalStateException(pause + " must be refused before");
            case Event.Resume resume -> throw new IllegalStateException(resume + " must be refused before");
            case Event.Seek seek -> throw new IllegalStateException(seek + " must be refused before");
            case Event.Abandon abandon -> throw new IllegalStateException(abandon + " is for streams only");
            case Event.Located located -> throw new IllegalStateException(located + " is for streams only");
        }
    }

    /**
     * Ends when what is held is done: a record that is given back has one delivery less. Where nothing may start, what
     * has no further delivery is started all the same.
     */
    private void finish(Duration limit, long now) {
        if (paused || lifecycle.failure() != null) {
            taker.startOnlyLast();
        }
        shutdown.finish(limit, () -> taker.isFinished(waiting, shutdown.finishUntilNanos()), now);
        taker.hastenLast();
    }

    /** Not later but now when the track has been dropped meanwhile: nothing may keep its records any more. */
    private void later(long dueNanos, Track track, Runnable action) {
        if (track.lanes.isDropped()) {
            action.run();
        } else {
            timers.add(dueNanos, track, action);
        }
    }

    private void redeliver(OutgoingRecords delivery) {
        if (delivery.track.lanes.isDropped()) {
            delivery.track.lanes.strandDelivery(); // Whoever gets the record next handles it again.
        } else {
            scheduler.ready(delivery);
        }
    }

    private void oversee() {
        long now = host.nanoTime();
        parts.overseer().look(now, leftovers);
        parts.outbox().look(now);
        contact.look(
                taker.isEmpty() && !stopped && !paused,
                parts.patience().trouble().isPresent());
        scheduler.workArrived(); // An attempt that was ended has freed its cursor.
        timers.add(now + parts.overseer().intervalNanos(), this::oversee);
    }

    // ---------------------------------------------------------------- the end

    @Override
    public void end(@Nullable Throwable crash) {
        if (crash != null) {
            lifecycle.fail(parts.patience().explained(crash));
        }
        Duration left = shutdown.left(host.nanoTime());
        shutdown.close(Duration.ZERO, host.nanoTime());
        guarded("giving records back at the end", () -> taker.giveBack(left));
        guarded("closing the consumer", () -> taker.close(left));
        guarded("asking no more", () -> parts.deliveryLimit().close());
        guarded("closing the producer", () -> parts.outbox().close(left));
        guarded("closing the workers", host::close);
        guarded("answering", shutdown::ended);
        refuseEvents();
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
        for (Event event = inbox.poll(); event != null; event = inbox.poll()) {
            switch (event) {
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

    /** What does not work as it should, in words; any thread. */
    List<String> troubles() {
        List<String> troubles = new ArrayList<>();
        taker.trouble().ifPresent(troubles::add);
        Optional<String> polls = parts.patience().trouble();
        polls.ifPresent(troubles::add);
        if (paused) {
            troubles.add(Member.PAUSED);
        }
        return troubles;
    }

    /** Nanoseconds since the owner's last turn; any thread. */
    long sinceTurnNanos() {
        return host.nanoTime() - turnedAtNanos;
    }

    /** The client that was made, when no owner runs yet. */
    void closeUnstarted() {
        taker.close(Duration.ZERO);
    }
}
