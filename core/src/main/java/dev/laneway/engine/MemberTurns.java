package dev.laneway.engine;

import dev.laneway.BrokerException;
import dev.laneway.Health;
import dev.laneway.Snapshot;
import dev.laneway.State;
import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.runtime.MemberLifecycle;
import dev.laneway.engine.runtime.Timers;
import dev.laneway.engine.track.Event;
import dev.laneway.engine.track.OutgoingRecords;
import dev.laneway.engine.track.Partition;
import dev.laneway.engine.track.Track;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the turns of all members have in common, whichever kind of group they belong to: events and timers, what waits
 * for its time, the looks from time to time, and the end. The owner only, but for what it tells.
 */
public final class MemberTurns {
    /** A bound on how late anything is that nobody signals. */
    public static final long LONGEST_WAIT_NANOS = 1_000_000_000;

    private static final Logger log = LoggerFactory.getLogger(MemberTurns.class);

    private static final String PAUSED = "no further record starts: call resume()";

    private final MemberCore core;
    private final Host host;
    private final Timers timers;
    private final MemberLifecycle lifecycle;
    private final Shutdown shutdown;
    private final Supplier<List<Partition>> leftovers;
    private final BrokerContact contact;
    private final BooleanSupplier mayFetch;
    private final RunnerCheck runners;
    private volatile long turnedAtNanos;

    /**
     * @param leftovers what was given up while handlers were at work on it
     * @param mayFetch whether the client has anything that it may fetch
     */
    public MemberTurns(
            MemberCore core,
            Shutdown shutdown,
            Supplier<List<Partition>> leftovers,
            BrokerContact contact,
            BooleanSupplier mayFetch) {
        this.core = core;
        this.host = core.host();
        this.timers = core.timers();
        this.lifecycle = core.lifecycle();
        this.shutdown = shutdown;
        this.leftovers = leftovers;
        this.contact = contact;
        this.mayFetch = mayFetch;
        this.runners = new RunnerCheck(core.scheduler(), core.counts());
        this.turnedAtNanos = host.nanoTime();
    }

    /** Before the first turn. */
    public void start() {
        lifecycle.to(State.RUNNING);
        turned();
    }

    /** A turn begins; returns when. */
    public long begin() {
        long now = turned();
        core.wake().awake();
        return now;
    }

    /** The owner is at work; returns the time. */
    long turned() {
        long now = host.nanoTime();
        turnedAtNanos = now;
        return now;
    }

    /**
     * Serves events, then timers. An event may take its time, so that the next one asks for the time anew.
     *
     * @param served called with each event and the time
     */
    public void serve(ObjLongConsumer<Event> served) {
        for (Event event = core.inbox().poll();
                event != null;
                event = core.inbox().poll()) {
            served.accept(event, host.nanoTime());
        }
        timers.fire(host.nanoTime());
    }

    /** Looks at the runners, if it is time; returns how long the turn may wait at most. */
    public long untilNext(long nowNanos) {
        return Math.min(
                timers.untilNext(host.nanoTime(), LONGEST_WAIT_NANOS), runners.turn(nowNanos, LONGEST_WAIT_NANOS));
    }

    // ---------------------------------------------------------------- what waits for its time

    /** Not later but now when the track has been dropped meanwhile: nothing may keep its records any more. */
    public void later(long dueNanos, Track track, Runnable action) {
        if (track.lanes.isDropped()) {
            action.run();
        } else {
            timers.add(dueNanos, track, action);
        }
    }

    /** Outputs or a dead letter are sent again when it is time to. */
    public void redeliver(Event.Redeliver event, long nowNanos) {
        OutgoingRecords delivery = event.delivery();
        later(nowNanos + event.delayNanos(), delivery.track, () -> {
            if (delivery.track.lanes.isDropped()) {
                delivery.track.lanes.deliveries.strand(); // Whoever gets the record next handles it again.
            } else {
                core.scheduler().ready(delivery);
            }
        });
    }

    /** Looks for stalls, silent brokers and attempts over their limit, now and from time to time. */
    public void diagnose() {
        long now = host.nanoTime();
        core.stallDetector().look(now, leftovers.get());
        core.counts().tellCounted();
        core.outbox().look(now);
        contact.look(mayFetch.getAsBoolean(), core.pollRetries().trouble().isPresent());
        core.scheduler().workArrived(); // An attempt that was ended has freed its cursor.
        timers.add(now + core.stallDetector().intervalNanos(), this::diagnose);
    }

    // ---------------------------------------------------------------- the end

    /**
     * The last thing that the owner does, after the last turn or a failure of one.
     *
     * @param leave gives up what is held and leaves the group; each of its steps may take this long
     */
    public void end(@Nullable Throwable crash, Consumer<Duration> leave) {
        if (crash != null) {
            lifecycle.fail(core.pollRetries().explained(crash));
        }
        Duration left = shutdown.left(host.nanoTime());
        shutdown.close(Duration.ZERO, host.nanoTime());
        lifecycle.endsIdle(shutdown.isIdle());
        leave.accept(left);
        guarded("closing the producer", () -> core.outbox().close(left));
        guarded("closing the workers", host::close);
        guarded("answering", shutdown::ended);
        refuseEvents(); // A last commit that was refused comes as one, and is a failure too.
        core.counts().tellCounted();
        lifecycle.to(lifecycle.failure() == null ? State.CLOSED : State.FAILED);
        refuseEvents();
    }

    /** A step of the end, after which the others follow even if it fails. */
    public void guarded(String what, Runnable action) {
        try {
            action.run();
        } catch (Throwable failure) {
            lifecycle.fail(new BrokerException(what + " failed", failure));
        }
    }

    /** Answers whoever still waits for an answer. */
    private void refuseEvents() {
        for (Event event = core.inbox().poll();
                event != null;
                event = core.inbox().poll()) {
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

    MemberCore core() {
        return core;
    }

    /** Everything; any thread. */
    public Snapshot snapshot() {
        return core.reporter().snapshot(host.nanoTime(), turnedAtNanos);
    }

    /** What does not work as it should although it goes on, in words, beside what the client tells; any thread. */
    public List<String> troubles(Optional<String> ofClient, boolean isPaused) {
        Stream<String> calls = Stream.of(ofClient, core.pollRetries().trouble())
                .flatMap(Optional::stream)
                .map(Health.Cause.CALLS_FAIL::reason);
        return Stream.concat(calls, isPaused ? Stream.of(Health.Cause.PAUSED.reason(PAUSED)) : Stream.empty())
                .toList();
    }

    /** Nanoseconds since the owner's latest turn; any thread. */
    long sinceTurnNanos() {
        return host.nanoTime() - turnedAtNanos;
    }
}
