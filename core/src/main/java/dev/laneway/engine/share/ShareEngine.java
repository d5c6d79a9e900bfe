package dev.laneway.engine.share;

import dev.laneway.engine.BrokerContact;
import dev.laneway.engine.MemberCore;
import dev.laneway.engine.MemberEngine;
import dev.laneway.engine.MemberTurns;
import dev.laneway.engine.Shutdown;
import dev.laneway.engine.handle.NoOutlet;
import dev.laneway.engine.runtime.ListenerCall;
import dev.laneway.engine.track.Event;
import dev.laneway.engine.track.Lane;
import dev.laneway.engine.track.Partition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.jspecify.annotations.Nullable;

/**
 * One member of a share group. Its owner calls {@link #step} until that returns false, as with {@code Engine}, of which
 * it uses everything but what has to do with partitions of one's own: tracks, workers, settlement, timers, the way to
 * the end.
 *
 * <p>A turn, in this order: events, timers, acknowledgements and renewals, poll.
 */
public final class ShareEngine implements MemberEngine {
    /** How long brokers keep a fetch that finds nothing, unless the user says otherwise: then heartbeats are heard. */
    private static final long FETCH_WAIT_NANOS = 5_000_000_000L;

    private static final ListenerCall NO_LISTENER = new ListenerCall("no listener's");

    private final ShareWiring parts;
    private final MemberCore core;
    private final ShareClient client;
    private final Shutdown shutdown;
    private final MemberTurns turns;
    /** Given up with work in flight. */
    private final List<Partition> leftovers = new ArrayList<>();
    /** The lanes that wait for their next attempt, and until when. */
    private final IdentityHashMap<Lane, Long> waiting = new IdentityHashMap<>();

    private boolean stopped;
    private volatile boolean paused;

    public ShareEngine(ShareWiring parts) {
        this.parts = parts;
        this.core = parts.core();
        this.client = new ShareClient(parts, leftovers);
        this.shutdown = new Shutdown(core, () -> stopped = true, NoOutlet.OUTLET, () -> !leftovers.isEmpty());
        this.turns = new MemberTurns(
                core,
                shutdown,
                () -> leftovers,
                new BrokerContact(core.host(), core.conditions(), client::metrics, FETCH_WAIT_NANOS, true),
                this::mayFetch);
    }

    @Override
    public void start() {
        turns.start();
        turns.diagnose();
    }

    @Override
    public boolean step() {
        long now = turns.begin();
        turns.serve(this::on);
        leftovers.removeIf(one -> one.held.busy() == 0);
        boolean over = shutdown.isOver(now);
        long wait = client.turn(now, MemberTurns.LONGEST_WAIT_NANOS, !stopped);
        if (over) {
            return false;
        }
        if (shutdown.isDraining()) {
            core.scheduler().workArrived();
        }
        wait = Math.min(wait, turns.untilNext(now));
        if (paused) {
            client.leave();
        }
        if (mayFetch()) {
            client.take(wait);
        } else {
            core.wake().park(wait);
        }
        return true;
    }

    private boolean mayFetch() {
        return client.isEmpty() && !stopped && !paused;
    }

    private void on(Event event, long now) {
        switch (event) {
            case Event.Retry(Lane lane, long delayNanos) -> {
                waiting.put(lane, now + delayNanos);
                turns.later(now + delayNanos, lane.track, () -> {
                    waiting.remove(lane);
                    lane.track.lanes.wake(lane);
                });
            }
            case Event.Redeliver redeliver -> turns.redeliver(redeliver, now);
            case Event.Failed(Throwable cause) -> {
                core.lifecycle().fail(cause);
                finish(core.options().limits().closeLimit(), now);
            }
            case Event.PauseAll() -> {
                if (stopped) { // Nothing is waited for that would not start again.
                    client.startOnlyLast();
                } else {
                    client.pause();
                }
                paused = true; // Told when it is so.
            }
            case Event.ResumeAll() -> {
                paused = false;
                client.resume();
            }
            case Event.Drain(Duration limit, var answer) -> shutdown.drain(limit, answer, now);
            case Event.Close(Duration limit, long askedNanos) -> finish(limit, askedNanos);
            case Event.Pause _, Event.Resume _, Event.Seek _ ->
                throw new IllegalStateException(event + " must be refused before");
            case Event.Recreated _ -> throw new IllegalStateException(event + " is for offsets of one's own");
            case Event.Abandon _, Event.Located _ -> throw new IllegalStateException(event + " is for streams only");
        }
    }

    /**
     * Ends when what is held is done: a record that is given back has one delivery less. Where nothing may start, what
     * has no further delivery is started all the same.
     */
    private void finish(Duration limit, long now) {
        if (paused || core.lifecycle().failure() != null) {
            client.startOnlyLast();
        }
        shutdown.finish(limit, () -> client.isFinished(waiting, shutdown.finishUntilNanos()), now);
        client.hastenLast();
    }

    @Override
    public void end(@Nullable Throwable crash) {
        turns.end(crash, left -> {
            turns.guarded("giving records back at the end", () -> client.giveBack(left));
            turns.guarded("closing the consumer", () -> client.close(left));
            turns.guarded("asking no more", () -> parts.deliveryLimit().close());
        });
    }

    @Override
    public void closeUnstarted() {
        client.close(Duration.ZERO);
    }

    // ---------------------------------------------------------------- what it tells

    @Override
    public MemberTurns turns() {
        return turns;
    }

    @Override
    public ListenerCall listenerCall() {
        return NO_LISTENER;
    }

    @Override
    public List<String> troubles() {
        return turns.troubles(client.trouble(), paused);
    }

    @Override
    public Map<MetricName, ? extends Metric> clientMetrics() {
        return client.metrics();
    }

    @Override
    public boolean ownsPartitions() {
        return false;
    }
}
