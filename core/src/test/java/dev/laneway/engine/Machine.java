package dev.laneway.engine;

import dev.laneway.Options;
import dev.laneway.Ordering;
import dev.laneway.engine.handle.Attempt;
import dev.laneway.engine.handle.AttemptSettlement;
import dev.laneway.engine.handle.BatchAttempt;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.engine.handle.Outbox;
import dev.laneway.engine.handle.Scheduler;
import dev.laneway.engine.handle.UnreadableRecords;
import dev.laneway.engine.handle.Worker;
import dev.laneway.engine.offsets.DecodedMetadata;
import dev.laneway.engine.runtime.EventCounts;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.runtime.UtilisationMeter;
import dev.laneway.engine.runtime.WakeSignal;
import dev.laneway.engine.track.CursorRun;
import dev.laneway.engine.track.Inbox;
import dev.laneway.engine.track.Lane;
import dev.laneway.engine.track.LaneSpill;
import dev.laneway.engine.track.Partition;
import dev.laneway.engine.track.Track;
import dev.laneway.engine.track.TrackDiagnostics;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.internals.AutoOffsetResetStrategy;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** The parts of a member that records pass, wired as {@link MemberCore} does, without an engine to turn them. */
public final class Machine {
    public final Host host;
    final Options options;
    public final HandlerSpec handling;
    public final HealthConditions conditions;
    public final EventCounts counts = new EventCounts();
    public final WakeSignal wake;
    public final Inbox inbox;
    final UtilisationMeter meter;
    final Attempt attempt;
    final Outbox outbox;
    public final Scheduler scheduler;
    final AttemptSettlement settlement;
    final List<Track> tracks = new ArrayList<>();

    public Machine(
            Host host,
            Options options,
            HandlerSpec handling,
            Consumer<byte[], byte[]> consumer,
            @Nullable Producer<byte[], byte[]> producer) {
        this.host = host;
        this.conditions = new HealthConditions(host);
        this.options = options;
        this.handling = handling;
        this.wake = new WakeSignal(host, consumer::wakeup);
        this.inbox = new Inbox(wake);
        this.meter = new UtilisationMeter(host, options.concurrency());
        UnreadableRecords unreadable = new UnreadableRecords(conditions);
        this.attempt = new Attempt(host, options, "member", handling, unreadable);
        this.outbox = new Outbox(
                () -> {
                    if (producer == null) {
                        throw new IllegalStateException("this test has no producer");
                    }
                    return producer;
                },
                "group");
        AttemptSettlement[] made = new AttemptSettlement[1];
        BatchAttempt<?, ?> batches =
                handling instanceof HandlerSpec.Batch<?, ?> batch ? new BatchAttempt<>(batch, unreadable) : null;
        this.scheduler = new Scheduler(host, options.ordering(), options.concurrency(), counts, meter, self -> {
            made[0] = new AttemptSettlement(host, options, attempt, unreadable, outbox, inbox, self, counts, meter);
            return search ->
                    new Worker(Worker.bound(self), self, search, attempt, batches, made[0], meter, inbox, null);
        });
        this.settlement = made[0];
    }

    /** One by key whose handler does nothing, with a consumer that reads nothing and no producer. */
    public static Machine plain(Host host) {
        return new Machine(
                host,
                Scene.options(Ordering.KEY, 1_000),
                Scene.plain(new Handled(Ordering.KEY)),
                new MockConsumer<>(AutoOffsetResetStrategy.EARLIEST.name()),
                null);
    }

    /** A track that the scheduler serves beside those made before. */
    public Track track(TopicPartition id, long start, DecodedMetadata.@Nullable Map restored) {
        return track(id, start, restored, _ -> LaneSpill.NONE);
    }

    /** The same, which leaves records to the log. */
    public Track track(
            TopicPartition id,
            long start,
            DecodedMetadata.@Nullable Map restored,
            Function<Track, LaneSpill> spilling) {
        int batchSize = handling instanceof HandlerSpec.Batch<?, ?> batch ? batch.size() : 0;
        long epoch = tracks.size() + 1L;
        Track track = new Track(
                id, epoch, start, restored, options, batchSize, scheduler, wake, counts, host::epochMillis, spilling);
        tracks.add(track);
        scheduler.serve(tracks);
        return track;
    }

    public Track track() {
        return track(Records.ORDERS_0, 0, null);
    }

    /** As {@link #track}, as the owner holds it. */
    public Partition partition(TopicPartition id, long start) {
        Track track = track(id, start, null);
        return new Partition(id, track, new TrackDiagnostics(track, host), start);
    }

    /** Handles a track's next records to their end, by one worker. */
    public void handle(Track track, int records) {
        CursorRun run = claim(track);
        for (int left = records - 1; left >= 0; left--) {
            track.finish(run, left == 0);
        }
    }

    /** Starts a track's next record, which becomes a lane of its own and does not end. */
    public Lane startLane(Track track) {
        return track.detach(claim(track));
    }

    /** A run along the track's cursor that a test moves by hand; there must be something to run. */
    public static CursorRun claim(Track track) {
        if (track.claim(Thread.currentThread()) instanceof CursorRun run) {
            return run;
        }
        throw new AssertionError("there is nothing to run");
    }
}
