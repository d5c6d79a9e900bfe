package dev.laneway.engine;

import dev.laneway.Options;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** The parts of a member that records pass, wired as {@link MemberCore} does, without an engine to turn them. */
final class Machine {
    final Host host;
    final Options options;
    final HandlerSpec handling;
    final HealthConditions conditions;
    final EventCounts counts = new EventCounts();
    final WakeSignal wake;
    final Inbox inbox;
    final UtilisationMeter meter;
    final Attempt attempt;
    final Outbox outbox;
    final Scheduler scheduler;
    final AttemptSettlement settlement;
    final List<Track> tracks = new ArrayList<>();

    Machine(
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
            return search -> new Worker(self, search, attempt, batches, made[0], meter, inbox);
        });
        this.settlement = made[0];
    }

    /** A track that the scheduler serves beside those made before. */
    Track track(TopicPartition id, long start, DecodedMetadata.@Nullable Map restored) {
        int batchSize = handling instanceof HandlerSpec.Batch<?, ?> batch ? batch.size() : 0;
        Track track = new Track(id, tracks.size() + 1L, start, restored, options, batchSize, scheduler, wake, counts);
        tracks.add(track);
        scheduler.serve(tracks);
        return track;
    }

    Track track() {
        return track(Records.ORDERS_0, 0, null);
    }

    /** As {@link #track}, as the owner holds it. */
    Partition partition(TopicPartition id, long start) {
        Track track = track(id, start, null);
        return new Partition(id, track, new TrackDiagnostics(track, host), start);
    }

    /** Handles a track's next records to their end, by one worker. */
    void handle(Track track, int records) {
        CursorRun run = claim(track);
        for (int left = records - 1; left >= 0; left--) {
            track.finish(run, left == 0);
        }
    }

    /** Starts a track's next record, which becomes a lane of its own and does not end. */
    Lane startLane(Track track) {
        return track.detach(claim(track));
    }

    /** A run along the track's cursor that a test moves by hand; there must be something to run. */
    static CursorRun claim(Track track) {
        if (track.claim(Thread.currentThread()) instanceof CursorRun run) {
            return run;
        }
        throw new AssertionError("there is nothing to run");
    }
}
