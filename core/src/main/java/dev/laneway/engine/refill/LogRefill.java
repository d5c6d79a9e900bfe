package dev.laneway.engine.refill;

import dev.laneway.Health;
import dev.laneway.LaneKey;
import dev.laneway.Options;
import dev.laneway.engine.runtime.EventCounts;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.runtime.TracedRecords;
import dev.laneway.engine.runtime.WakeSignal;
import dev.laneway.engine.track.HeldRecord;
import dev.laneway.engine.track.RefillQueue;
import dev.laneway.engine.track.RefillRoom;
import dev.laneway.engine.track.RefillTarget;
import dev.laneway.engine.track.RefillTarget.Reading;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads spilled records again, one partition after the other, in one background task that ends when nothing is wanted.
 * It has a client of its own, which is in no group. A pass over the log serves all lanes of a partition that want
 * records; one that has no room is waited for as long as it goes on and keeps nobody else waiting for long. Tracks may
 * ask on any thread.
 */
public final class LogRefill implements RefillQueue, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LogRefill.class);
    private static final Duration POLL = Duration.ofMillis(100);
    /** So long health tells of records that are gone. */
    private static final Duration LOST_TOLD = Duration.ofMinutes(10);

    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(1);
    private static final long NAP_NANOS = 1_000_000;
    private static final long IDLE_NAP_NANOS = 20_000_000;
    private static final long RETRY_NANOS = 1_000_000_000;
    /** So long the client stays open when nothing is wanted. */
    private static final long IDLE_NANOS = 5_000_000_000L;
    /** So long a lane without room may stand still before the pass goes on without it. */
    private static final long PATIENCE_NANOS = 200_000_000;
    /**
     * The same, where other lanes wait for the pass. Where other partitions do, all lanes of a pass have it together.
     */
    private static final long SHORT_PATIENCE_NANOS = 20_000_000;
    /** Offsets that are rather passed than read, where the next lane wants what lies behind them. */
    private static final long LEAP = 10_000;

    private final Host host;
    private final Supplier<? extends Consumer<byte[], byte[]>> clients;
    private final HealthConditions conditions;
    private final EventCounts counts;
    private final Options options;
    /** Those with lanes that want records, in the order in which they asked. Guards itself, and {@link #isRunning}. */
    private final Set<RefillTarget> wanted = new LinkedHashSet<>();

    private final RefillRoom room;
    private final RefillProgress progress;
    private boolean isRunning;
    /** How long the present pass has stood still. */
    private long waitedNanos;

    private volatile boolean closed;
    private volatile @Nullable Consumer<byte[], byte[]> reading;

    public LogRefill(
            Host host,
            WakeSignal wake,
            Supplier<? extends Consumer<byte[], byte[]>> clients,
            HealthConditions conditions,
            EventCounts counts,
            Options options) {
        this.counts = counts;
        this.host = host;
        this.room = new RefillRoom(wake::signal);
        this.clients = clients;
        this.conditions = conditions;
        this.options = options;
        this.progress = new RefillProgress(host, conditions);
    }

    @Override
    public RefillRoom room() {
        return room;
    }

    @Override
    public void wanted(RefillTarget target) {
        synchronized (wanted) {
            wanted.add(target);
            if (isRunning || closed) {
                return;
            }
            isRunning = true;
        }
        host.background(this::run);
    }

    /** Reads nothing any more. */
    @Override
    public void close() {
        closed = true;
        Consumer<byte[], byte[]> client = reading;
        if (client != null) {
            client.wakeup();
        }
    }

    private void run() {
        Consumer<byte[], byte[]> client = null;
        long idleSinceNanos = host.nanoTime();
        while (true) {
            RefillTarget target = next();
            if (target != null && !closed) {
                try {
                    if (target.from() >= 0) { // Else its partition was given up: that needs no client.
                        client = client == null ? open() : client;
                        read(client, target);
                    }
                    progress.rests(target);
                    conditions.end(subject(target.partition()));
                } catch (WakeupException ended) {
                    log.trace("the refill was ended by a close");
                } catch (Throwable failure) {
                    // Errors too, as of a caller's clients: else nobody would read again, and nobody would know.
                    client = failed(client, target, failure);
                }
                idleSinceNanos = host.nanoTime();
            } else if (closed || client == null || host.nanoTime() - idleSinceNanos >= IDLE_NANOS) {
                close(client);
                client = null;
                if (hasEnded()) {
                    return;
                }
            } else {
                host.sleep(IDLE_NAP_NANOS);
            }
        }
    }

    private @Nullable RefillTarget next() {
        synchronized (wanted) {
            Iterator<RefillTarget> first = wanted.iterator();
            if (!first.hasNext()) {
                return null;
            }
            RefillTarget target = first.next();
            first.remove();
            return target;
        }
    }

    private boolean othersWait() {
        synchronized (wanted) {
            return !wanted.isEmpty();
        }
    }

    private boolean hasEnded() {
        synchronized (wanted) {
            isRunning = !closed && !wanted.isEmpty();
            return !isRunning;
        }
    }

    private Consumer<byte[], byte[]> open() {
        Consumer<byte[], byte[]> client = clients.get();
        reading = client;
        if (closed) {
            client.wakeup();
        }
        return client;
    }

    private void close(@Nullable Consumer<byte[], byte[]> client) {
        reading = null;
        if (client == null) {
            return;
        }
        try {
            client.close(CloseOptions.timeout(CLOSE_LIMIT));
        } catch (RuntimeException failure) {
            log.debug("closing the client that reads spilled records failed", failure);
        }
    }

    private @Nullable Consumer<byte[], byte[]> failed(
            @Nullable Consumer<byte[], byte[]> client, RefillTarget target, Throwable failure) {
        conditions.begin(
                subject(target.partition()),
                Health.Status.DEGRADED,
                "spilled records of " + target.partition() + " cannot be read again, and wait: " + failure
                        + "; check that the brokers can be reached and that this application may read the topic");
        log.warn("reading spilled records of {} failed and is tried again: {}", target.partition(), failure.toString());
        close(client);
        wanted(target);
        host.sleep(RETRY_NANOS);
        return null;
    }

    private static HealthConditions.Subject subject(TopicPartition id) {
        return new HealthConditions.Subject(Health.Cause.REREADING_FAILS, "refill", id);
    }

    private void read(Consumer<byte[], byte[]> client, RefillTarget target) {
        RefillTarget spilled = target;
        client.assign(List.of(target.partition()));
        for (long from = spilled.from(); from >= 0 && !closed; from = spilled.from()) {
            try {
                pass(client, target.partition(), spilled, from);
                boolean some = spilled.comeBack();
                if (othersWait()) {
                    wanted(target); // They take turns.
                    return;
                }
                if (some) {
                    host.sleep(IDLE_NAP_NANOS); // There was no room for them.
                }
            } catch (OffsetOutOfRangeException gone) {
                long start = begin(client, target.partition());
                if (start <= from) {
                    throw gone; // The log ends before that, until it grows or the owner learns that it was cut.
                }
                spilled.refill(from, List.of(), start);
                tellLost(target.partition(), spilled);
            }
        }
    }

    /** Reads on until no lane that can be served wants more. */
    private void pass(Consumer<byte[], byte[]> client, TopicPartition id, RefillTarget spilled, long start) {
        client.seek(id, start);
        waitedNanos = 0;
        long position = start;
        while (!closed) {
            ConsumerRecords<byte[], byte[]> polled = client.poll(POLL);
            OffsetAndMetadata next = polled.nextOffsets().get(id);
            long from = spilled.from();
            if (from < 0) {
                return;
            }
            if (next == null) {
                continue;
            }
            List<ConsumerRecord<byte[], byte[]>> records = TracedRecords.of(polled, id);
            if (records.isEmpty() || records.getFirst().offset() == position || begin(client, id) <= position) {
                progress.goesOn(spilled);
                Reading reading = serve(spilled, position, records, next.offset());
                tellLost(id, spilled);
                if (reading == Reading.IS_OVER) {
                    return;
                }
                position = next.offset();
            } else {
                throw new OffsetOutOfRangeException(Map.of(id, position)); // The client went on elsewhere.
            }
            from = spilled.from();
            if (from > position + LEAP) {
                client.seek(id, from);
                position = from;
            }
        }
    }

    private Reading serve(RefillTarget spilled, long from, List<ConsumerRecord<byte[], byte[]>> fetched, long to) {
        List<ConsumerRecord<byte[], byte[]>> records = HeldRecord.hold(fetched, options, host::epochMillis);
        Reading reading = spilled.refill(from, records, to);
        long since = host.nanoTime();
        long taken = spilled.taken();
        while ((reading == Reading.IS_FULL || reading == Reading.SOME_ARE_FULL) && !closed) {
            long now = host.nanoTime();
            if (taken != spilled.taken() && reading == Reading.IS_FULL && !othersWait()) {
                taken = spilled.taken();
                since = now;
            }
            if (now - since >= patienceNanos(reading)) {
                spilled.leaveFull();
                waitedNanos += now - since;
                since = now;
            } else {
                progress.goesOn(spilled);
                host.sleep(NAP_NANOS);
            }
            reading = spilled.refill(from, records, to);
        }
        return reading;
    }

    private long patienceNanos(Reading reading) {
        if (othersWait()) {
            return SHORT_PATIENCE_NANOS - waitedNanos;
        }
        return reading == Reading.IS_FULL ? PATIENCE_NANOS : SHORT_PATIENCE_NANOS;
    }

    private static long begin(Consumer<byte[], byte[]> client, TopicPartition id) {
        return client.beginningOffsets(List.of(id)).getOrDefault(id, 0L);
    }

    private void tellLost(TopicPartition id, RefillTarget spilled) {
        long lost = spilled.takeLost();
        if (lost > 0) {
            counts.lost.add(lost);
            conditions.begin(
                    new HealthConditions.Subject(Health.Cause.RETENTION_OVERTAKES, "lost", id),
                    Health.Status.DEGRADED,
                    lost + " records of " + id + " waited in the log behind a busy key and are gone: " + whyLost()
                            + "; keep the log for longer than a key may be busy",
                    LOST_TOLD);
            log.warn(
                    "{} spilled records of {} were not found in the log when they were to be handled: {}",
                    lost,
                    id,
                    whyLost());
        }
    }

    private String whyLost() {
        LaneKey laneKey = options.laneKey();
        return "retention or compaction has taken them"
                + (laneKey == null ? "" : ", or the extractor of laneKey " + laneKey.id() + " returns another key now");
    }
}
