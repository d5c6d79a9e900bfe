package dev.laneway.engine;

import dev.laneway.CommitMode;
import dev.laneway.Options;
import dev.laneway.Ordering;
import dev.laneway.engine.commit.BrokerRetries;
import dev.laneway.engine.config.KafkaConfig;
import dev.laneway.engine.config.RecordBudget;
import dev.laneway.engine.config.TopicSelection;
import dev.laneway.engine.handle.Attempt;
import dev.laneway.engine.handle.AttemptSettlement;
import dev.laneway.engine.handle.BatchAttempt;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.engine.handle.Outbox;
import dev.laneway.engine.handle.Scheduler;
import dev.laneway.engine.handle.UnreadableRecords;
import dev.laneway.engine.handle.Worker;
import dev.laneway.engine.offsets.DecodedMetadata;
import dev.laneway.engine.refill.LogRefill;
import dev.laneway.engine.runtime.EventCounts;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.runtime.MemberLifecycle;
import dev.laneway.engine.runtime.ObserverCalls;
import dev.laneway.engine.runtime.Timers;
import dev.laneway.engine.runtime.UtilisationMeter;
import dev.laneway.engine.runtime.WakeSignal;
import dev.laneway.engine.track.Assignment;
import dev.laneway.engine.track.Inbox;
import dev.laneway.engine.track.LaneSpill;
import dev.laneway.engine.track.SpilledRecords;
import dev.laneway.engine.track.Track;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What every member is made of, whichever kind of group it belongs to, wired once, here: the workers and what they
 * need, and how they reach the owner. Immutable.
 *
 * @param batchSize of the handler; 0 where it takes one record at a time
 * @param refill reads spilled records again; null where nothing is spilled
 * @param epochs the latest epoch that an assignment has got
 */
public record MemberCore(
        String name,
        Host host,
        Options options,
        Assignment assignment,
        WakeSignal wake,
        Inbox inbox,
        Timers timers,
        MemberLifecycle lifecycle,
        HealthConditions conditions,
        EventCounts counts,
        Scheduler scheduler,
        RecordReserve reserve,
        BrokerRetries pollRetries,
        StallDetector stallDetector,
        Outbox outbox,
        SnapshotReporter reporter,
        int batchSize,
        @Nullable LogRefill refill,
        AtomicLong epochs) {

    /**
     * What differs between members. Immutable.
     *
     * @param stallLimit after which age an unfinished record is a stall
     */
    public record Plan(
            MemberShare share,
            TopicSelection subscription,
            KafkaConfig kafka,
            Duration stallLimit,
            RecordBudget records) {}

    /**
     * Wires what is common to all members.
     *
     * @param refills makes the client that reads spilled records again; null where none can be
     * @param wakeup ends the client's poll, from any thread
     * @param fetchLag how far the log of a partition goes beyond what was fetched, as far as the client knows
     */
    public static MemberCore of(
            Host host,
            Options options,
            Plan plan,
            HandlerSpec handling,
            Runnable wakeup,
            @Nullable Supplier<? extends Consumer<byte[], byte[]>> refills,
            Supplier<? extends Producer<byte[], byte[]>> producers,
            Function<TopicPartition, OptionalLong> fetchLag) {
        Assignment assignment = new Assignment();
        WakeSignal wake = new WakeSignal(host, wakeup);
        Inbox inbox = new Inbox(wake);
        HealthConditions conditions =
                new HealthConditions(host, options.limits().healthLimit());
        ObserverCalls observers = ObserverCalls.of(host, options, plan.share().name(), conditions);
        MemberLifecycle lifecycle = new MemberLifecycle(observers);
        EventCounts counts = new EventCounts(observers);
        UtilisationMeter meter = new UtilisationMeter(host, plan.share().concurrency());
        Outbox outbox = new Outbox(producers, plan.kafka().group());
        Scheduler scheduler = scheduler(host, options, plan, handling, conditions, counts, meter, inbox, outbox);
        RecordReserve reserve = new RecordReserve(plan.records(), scheduler::hasIdleWorkers);
        StallDetector stallDetector =
                new StallDetector(assignment, meter, options, plan.stallLimit(), counts, conditions);
        return new MemberCore(
                plan.share().name(),
                host,
                options,
                assignment,
                wake,
                inbox,
                new Timers(),
                lifecycle,
                conditions,
                counts,
                scheduler,
                reserve,
                new BrokerRetries(
                        "a poll",
                        options.limits().retryAuthorization(),
                        plan.subscription(),
                        plan.kafka().metadataAge(),
                        host),
                stallDetector,
                outbox,
                new SnapshotReporter(
                        fetchLag,
                        assignment,
                        stallDetector,
                        scheduler,
                        counts,
                        meter,
                        lifecycle,
                        reserve,
                        options.bufferBytes()),
                handling instanceof HandlerSpec.Batch<?, ?> batch ? batch.size() : 0,
                refills == null || !spills(options, handling)
                        ? null
                        : new LogRefill(host, wake, refills, conditions, counts, options),
                new AtomicLong());
    }

    /**
     * Whether records can wait in the log: behind a busy key, or by themselves for the next attempt or their time. Not
     * where they are committed ahead.
     */
    private static boolean spills(Options options, HandlerSpec handling) {
        return options.ordering() != Ordering.PARTITION
                && !(options.commit() instanceof CommitMode.Ahead)
                && !(handling instanceof HandlerSpec.Streaming);
    }

    private static Scheduler scheduler(
            Host host,
            Options options,
            Plan plan,
            HandlerSpec handling,
            HealthConditions conditions,
            EventCounts counts,
            UtilisationMeter meter,
            Inbox inbox,
            Outbox outbox) {
        UnreadableRecords unreadable = new UnreadableRecords(conditions);
        Attempt attempt = new Attempt(host, options, plan.share().name(), handling, unreadable);
        BatchAttempt<?, ?> batches =
                handling instanceof HandlerSpec.Batch<?, ?> batch ? new BatchAttempt<>(batch, unreadable) : null;
        // The scheduler makes workers, and a worker's settlement gives work back to the scheduler.
        return new Scheduler(host, options.ordering(), plan.share().concurrency(), counts, meter, self -> {
            AttemptSettlement settlement =
                    new AttemptSettlement(host, options, attempt, unreadable, outbox, inbox, self, counts, meter);
            ScopedValue.Carrier bound = Worker.bound(self);
            return search ->
                    new Worker(bound, self, search, attempt, batches, settlement, meter, inbox, counts.observers);
        });
    }

    /** For an assignment, in which what an earlier one still does counts no more. */
    long nextEpoch() {
        return epochs.incrementAndGet();
    }

    /**
     * What workers take records from.
     *
     * @param done what an earlier owner has done behind the start; null where that is nothing
     */
    public Track track(TopicPartition id, long start, DecodedMetadata.@Nullable Map done) {
        Function<Track, LaneSpill> spilling = refill == null
                ? _ -> LaneSpill.NONE
                : track -> new SpilledRecords(track, refill, options.laneKey(), done, reserve.most());
        return new Track(
                id, nextEpoch(), start, done, options, batchSize, scheduler, wake, counts, host::epochMillis, spilling);
    }
}
