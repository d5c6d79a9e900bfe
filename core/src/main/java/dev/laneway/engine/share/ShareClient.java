package dev.laneway.engine.share;

import dev.laneway.BrokerException;
import dev.laneway.CommitMode;
import dev.laneway.engine.MemberCore;
import dev.laneway.engine.commit.BrokerRetries;
import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.runtime.LogLimiter;
import dev.laneway.engine.runtime.TracedRecords;
import dev.laneway.engine.runtime.WakeSignal;
import dev.laneway.engine.track.Event;
import dev.laneway.engine.track.Lane;
import dev.laneway.engine.track.Partition;
import dev.laneway.engine.track.Track;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One share consumer and what it holds: takes records, acknowledges those that are done, renews the locks of the
 * others. The owner only, but for {@link #trouble}.
 *
 * <p>The client (4.3.1) returns nothing new before it was told of every record of its latest poll, and while it renews
 * a lock. So it takes a hand full, and the next when that is over.
 */
final class ShareClient {
    private static final Logger log = LoggerFactory.getLogger(ShareClient.class);
    private static final long MILLISECOND_NANOS = 1_000_000;
    /** Of the lock's duration: two renewals may fail before it ends. */
    private static final int RENEWALS_PER_LOCK = 3;

    private static final int DEFAULT_LOCK_MS = 30_000;
    /** How soon renewals are looked for that had no answer when they should have. */
    private static final long RENEWAL_AGAIN_NANOS = 100 * MILLISECOND_NANOS;

    private record Loss(TopicPartition id, Set<Long> offsets, Exception failure) {}

    /** What keeps acknowledgements from succeeding, and how long that counts if nothing more is said of it. */
    private record Trouble(String what, long untilNanos) {}

    private final ShareConsumer<byte[], byte[]> client;
    private final ShareWiring parts;
    private final MemberCore core;
    private final Host host;
    private final LogLimiter warnings;
    private final ArchivedRecords archived;
    private final List<AcquiredRecords> hand = new ArrayList<>();
    private final List<Loss> losses = new ArrayList<>();
    private final List<Partition> leftovers;
    private volatile @Nullable Trouble trouble;
    private boolean subscribed;
    /** Whether nothing that is held starts for now. */
    private boolean paused;
    /** Whether of what is held only that starts which is not delivered again. */
    private boolean onlyLast;
    /** Whether the client was told of records and did not send it yet. */
    private boolean unsent;

    private long sentNanos;
    private long lockNanos;
    private long renewedNanos;
    private long renewAtNanos;

    /** @param leftovers gets what was given up while handlers were at work on it */
    ShareClient(ShareWiring parts, List<Partition> leftovers) {
        this.parts = parts;
        this.core = parts.core();
        this.client = parts.client();
        this.host = core.host();
        this.warnings = new LogLimiter(host);
        this.archived = new ArchivedRecords(core.counts(), core.conditions(), parts.deliveryLimit());
        this.leftovers = leftovers;
        client.setAcknowledgementCommitCallback(this::answered);
    }

    // ---------------------------------------------------------------- taking

    /** Whether it holds nothing. */
    boolean isEmpty() {
        return hand.isEmpty();
    }

    /** Polls, with an empty hand; what was acknowledged goes along. */
    void take(long waitNanos) {
        if (!subscribed) {
            client.subscribe(parts.topics());
            subscribed = true;
        }
        long before = host.nanoTime();
        WakeSignal wake = core.wake();
        boolean mayWait = wake.beforePoll();
        ConsumerRecords<byte[], byte[]> records = ConsumerRecords.empty();
        try {
            records = client.poll(mayWait ? Duration.ofNanos(Math.max(MILLISECOND_NANOS, waitNanos)) : Duration.ZERO);
            core.pollRetries().polled();
            unsent = false;
        } catch (WakeupException signalled) {
            log.trace("the poll was ended by a signal");
        } catch (RuntimeException failure) {
            core.pollRetries().failed(failure).ifPresent(fatal -> core.inbox().add(new Event.Failed(fatal)));
            wake.afterPoll();
            settleLosses(); // Before the pause: nothing of them may start.
            wake.park(BrokerRetries.PAUSE_NANOS);
        } finally {
            wake.afterPoll();
        }
        settleLosses();
        place(records, before);
    }

    private void place(ConsumerRecords<byte[], byte[]> records, long beforeNanos) {
        List<AcquiredRecords> fresh = new ArrayList<>();
        for (TopicPartition id : records.partitions()) {
            List<ConsumerRecord<byte[], byte[]>> unknown = unknown(id, TracedRecords.of(records, id));
            if (!unknown.isEmpty()) {
                fresh.addAll(handfuls(id, unknown));
                core.counts().fetched(id, unknown);
            }
        }
        if (fresh.isEmpty()) {
            return;
        }
        sentNanos = host.nanoTime();
        renewed(beforeNanos);
        hand.addAll(fresh);
        fresh.forEach(this::restrain);
        core.assignment().addBeside(partitions(fresh));
        core.scheduler().serve(core.assignment().tracks());
    }

    /** Records that are not delivered again have a track of their own: they run where others may not. */
    private List<AcquiredRecords> handfuls(TopicPartition id, List<ConsumerRecord<byte[], byte[]>> records) {
        List<ConsumerRecord<byte[], byte[]>> last =
                records.stream().filter(this::isLast).toList();
        if (last.isEmpty()) {
            return List.of(parts.handful(id, records, false));
        }
        log.info(
                "{} records of {} are delivered for the last time, from offset {}",
                last.size(),
                id,
                last.getFirst().offset());
        AcquiredRecords urgent = parts.handful(id, last, true);
        return last.size() == records.size()
                ? List.of(urgent)
                : List.of(
                        urgent,
                        parts.handful(
                                id,
                                records.stream()
                                        .filter(record -> !isLast(record))
                                        .toList(),
                                false));
    }

    private boolean isLast(ConsumerRecord<?, ?> record) {
        return parts.deliveryLimit().isReached(record.deliveryCount().orElse((short) 1));
    }

    /** The records that are new, rather than returned with a new lock. */
    private List<ConsumerRecord<byte[], byte[]>> unknown(
            TopicPartition id, List<ConsumerRecord<byte[], byte[]>> returned) {
        if (hand.isEmpty()) {
            return returned;
        }
        return returned.stream()
                .filter(record ->
                        hand.stream().noneMatch(one -> one.partition.id.equals(id) && one.returned(record.offset())))
                .toList();
    }

    // ---------------------------------------------------------------- its part of a turn

    /**
     * Acknowledges and renews what is due. Returns how soon it must be asked again, {@code otherwise} if it need not.
     *
     * @param polls whether a poll follows when nothing is held
     */
    long turn(long now, long otherwise, boolean polls) {
        boolean due = now - sentNanos >= parts.intervalNanos();
        for (AcquiredRecords one : hand) {
            if (due || one.isDone()) {
                unsent |= one.acknowledge(client) > 0;
            }
        }
        forget(hand.stream().filter(AcquiredRecords::isOver).toList());
        if (hand.isEmpty()) {
            if (unsent && (!polls || core.options().commit() instanceof CommitMode.Sync)) {
                send(now);
            }
            return otherwise; // Else the next poll takes along what was acknowledged.
        }
        if (now - renewAtNanos >= 0) {
            renew(now);
        } else if (due) {
            send(now);
        }
        long waited = host.nanoTime(); // For the broker, perhaps.
        return Math.max(0, Math.min(renewAtNanos - waited, sentNanos + parts.intervalNanos() - waited));
    }

    private void send(long now) {
        sentNanos = now;
        if (!unsent) {
            return;
        }
        if (core.options().commit() instanceof CommitMode.Sync) {
            sendAndWait(core.options().limits().brokerLimit());
        } else {
            unsent = false;
            client.commitAsync();
        }
        settleLosses();
    }

    private void sendAndWait(Duration limit) {
        unsent = false;
        try {
            parts.calls().within("acknowledging", limit, client::commitSync);
        } catch (BrokerException silent) {
            // What was not acknowledged comes again. Locks end by themselves.
            troubled(String.valueOf(silent.getMessage()));
            log.warn("{}", silent.getMessage());
        }
    }

    /** Renews every lock, and has the records back before it returns, unless the broker is slow. */
    private void renew(long now) {
        for (AcquiredRecords one : hand) {
            one.acknowledge(client);
            if (one.renewing() > 0 && now - renewedNanos >= lockNanos) {
                List<Long> undone = one.undone();
                drop(one, one.lostAll(), undone, "their renewal had no answer");
            }
            one.renew(client);
        }
        sentNanos = now;
        renewed(now);
        sendAndWait(core.options().limits().brokerLimit());
        settleLosses();
        if (isRenewing()) { // Else other records would come, of which a member that ends could do nothing.
            take(0);
        }
        forget(hand.stream().filter(AcquiredRecords::isOver).toList());
        if (isRenewing()) {
            renewAtNanos = host.nanoTime() + RENEWAL_AGAIN_NANOS;
        }
    }

    private boolean isRenewing() {
        return hand.stream().anyMatch(one -> one.renewing() > 0);
    }

    private void renewed(long now) {
        lockNanos = lockNanos();
        renewedNanos = now;
        renewAtNanos = now + Math.min(lockNanos, parts.maxPollInterval().toNanos()) / RENEWALS_PER_LOCK;
    }

    private long lockNanos() {
        return client.acquisitionLockTimeoutMs().orElse(DEFAULT_LOCK_MS) * MILLISECOND_NANOS;
    }

    // ---------------------------------------------------------------- answers

    Map<MetricName, ? extends Metric> metrics() {
        return client.metrics();
    }

    /** The client calls this inside poll and the commits, and must not be called from it. */
    private void answered(Map<TopicIdPartition, Set<Long>> offsets, @Nullable Exception failure) {
        if (failure == null) {
            trouble = null;
            core.counts().commits.add(offsets.size());
        } else {
            core.counts().failedCommits.add(offsets.size());
            offsets.forEach((id, some) -> losses.add(new Loss(id.topicPartition(), some, failure)));
        }
    }

    private void settleLosses() {
        for (Loss loss : losses) {
            troubled("acknowledgements of " + loss.id() + " failed: " + loss.failure());
            long withheld = warnings.withheld();
            if (withheld >= 0) {
                log.warn(
                        "acknowledgements of {} records of {} failed, and whoever gets these next handles them again"
                                + " ({} more failures were not logged): {}",
                        loss.offsets().size(),
                        loss.id(),
                        withheld,
                        loss.failure().toString());
            }
            for (AcquiredRecords one : hand) {
                if (one.partition.id.equals(loss.id())) {
                    List<Long> undone = one.undone();
                    int lost = one.lost(loss.offsets());
                    if (lost > 0) {
                        drop(one, lost, undone, loss.failure().toString());
                    }
                }
            }
        }
        losses.clear();
    }

    /** Others may have these records by now: their handlers are interrupted, and what comes of them is late. */
    private void drop(AcquiredRecords lost, int records, List<Long> undone, String why) {
        log.warn("the locks of {} records of {} are lost: {}", records, lost.partition.id, why);
        archived.tell(lost, undone, "their locks were lost: " + why);
        dropTrack(lost);
        lost.acknowledge(client);
        lost.release(client);
        unsent = true;
    }

    private void dropTrack(AcquiredRecords one) {
        Track track = one.track;
        core.counts().dropped(one.partition.id, track.drop());
        core.timers().hasten(track);
        if (track.busy() > 0) {
            leftovers.add(one.partition);
        }
    }

    /** Until the locks in question have run out: then the group has the records again, and nothing is left of it. */
    private void troubled(String what) {
        trouble = new Trouble(what, host.nanoTime() + lockNanos());
    }

    /** What keeps acknowledgements from succeeding, in words; empty when all is well. Any thread. */
    Optional<String> trouble() {
        Trouble known = trouble;
        return known == null || host.nanoTime() - known.untilNanos >= 0 ? Optional.empty() : Optional.of(known.what);
    }

    // ---------------------------------------------------------------- giving back

    /** Starts no further record for now; what is held stays locked. */
    void pause() {
        paused = true;
        hand.forEach(this::restrain);
    }

    /** Ends {@link #pause}. */
    void resume() {
        paused = false;
        hand.forEach(one -> one.track.resume());
        core.scheduler().workArrived();
    }

    /** Starts no further record but those that are not delivered again. For good. */
    void startOnlyLast() {
        onlyLast = true;
        hand.forEach(this::restrain);
        core.scheduler().workArrived();
    }

    private void restrain(AcquiredRecords one) {
        if (onlyLast && !one.last) {
            one.track.close();
        } else if (onlyLast) {
            one.track.resume();
        } else if (paused) {
            one.track.pause();
        }
    }

    /** Makes the next attempt of each record that is not delivered again now, rather than when it is due. */
    void hastenLast() {
        hand.stream().filter(one -> one.last).forEach(one -> core.timers().hasten(one.track));
    }

    /**
     * Whether everything is done that may start, but for records whose next attempt comes too late.
     *
     * @param waiting until when records wait for their next attempt
     */
    boolean isFinished(Map<Lane, Long> waiting, long untilNanos) {
        return hand.stream()
                .allMatch(one -> one.track.busy() == 0
                        && ((onlyLast && !one.last)
                                || one.track.ledger.records()
                                        <= one.track.ledger.stranded() + tooLate(one, waiting, untilNanos)));
    }

    private static long tooLate(AcquiredRecords one, Map<Lane, Long> waiting, long untilNanos) {
        return waiting.entrySet().stream()
                .filter(entry -> entry.getKey().track.equals(one.track) && entry.getValue() - untilNanos >= 0)
                .count();
    }

    /** Acknowledges what is done, and releases the rest for others; handlers that still run are interrupted. */
    void giveBack(Duration limit) {
        for (AcquiredRecords one : hand) {
            archived.tell(one, one.undone(), "the member ended before they were done");
            dropTrack(one);
            unsent |= one.acknowledge(client) + one.release(client) > 0;
        }
        forget(List.copyOf(hand));
        if (unsent) {
            sendAndWait(limit);
        }
        losses.clear(); // Nothing is held that could be lost.
    }

    private void forget(List<AcquiredRecords> over) {
        if (!over.isEmpty()) {
            hand.removeAll(over);
            core.assignment().remove(partitions(over));
            core.scheduler().serve(core.assignment().tracks());
        }
    }

    private static List<Partition> partitions(List<AcquiredRecords> some) {
        return some.stream().map(one -> one.partition).toList();
    }

    /** Leaves the group until it takes records again: partitions that nobody polls would wait for it. */
    void leave() {
        if (subscribed && hand.isEmpty()) {
            if (unsent) {
                sendAndWait(core.options().limits().brokerLimit()); // No poll takes it along.
            }
            client.unsubscribe();
            subscribed = false;
        }
    }

    /** Leaves the group for good. What was not given back is released by the broker. */
    void close(Duration limit) {
        client.close(limit);
    }
}
