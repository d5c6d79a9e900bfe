package dev.laneway.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Who may fetch? Keeps what is held within its budgets by pausing and resuming partitions. The owner only.
 *
 * <p>Each partition has an equal share of the records. It is paused at a high mark, one poll below its share, and
 * resumed at half of that, so that a partition which wants data before the next poll is not paused. When the sum nears
 * the budget (more partitions than shares of a poll's size) all are paused until a quarter is free. Bytes are kept by
 * admitting only as many partitions as could return their largest chunk so far, the largest record so far, or
 * {@code max.partition.fetch.bytes}, within what is left; one always may when nothing is held, so that a record larger
 * than the budget passes alone. So the budget can be passed only by a poll with a record larger than any before.
 *
 * <p>Where partitions are read independently, those whose subscribers wait come first, and if there is no room for them
 * what nobody reads is given back to the log: see {@link UnreadRecords}.
 *
 * <p>What the client has fetched for a paused partition is kept by it (KAFKA-7548), so pausing fetches nothing twice.
 */
final class FlowControl {
    /** Nothing may be fetched: polls only keep the membership, and bring rebalances and the answers to commits. */
    private static final long ALL_PAUSED_NANOS = 50_000_000;
    /** What other partitions fetch is this late at most; less would cost more than it gains. */
    private static final long SOME_PAUSED_NANOS = 2_000_000;
    /** The fewest characters of metadata that hold a map worth guarding: some ten runs. */
    private static final int LEAST_MAP = 32;
    /** One turn in so many keeps those admitted that were, so that turns are in step with nothing. */
    private static final int KEEPING_TURNS = 4;

    private final Host host;
    private final Consumer<byte[], byte[]> consumer;
    private final Assignment assignment;
    private final RecordReserve reserve;
    private final long bufferBytes;
    private final int maxPollRecords;
    private final long maxPartitionFetchBytes;
    private final long fetchMaxBytes;
    private final IntSupplier mapLimit;
    /** The most characters that the records of one poll can take. */
    private final int pollsWorstMap;

    private final boolean spinsWhenPaused;
    private final IdlePartitionPausing abstention;
    private final UnreadRecords unread;
    private final List<TopicPartition> toPause = new ArrayList<>();
    private final List<TopicPartition> toResume = new ArrayList<>();
    /** Whether no partition ever waits for what another one holds. */
    private boolean independent;

    private long largestRecordBytes;
    private boolean full;
    /** Whether a partition fetches nothing for want of room for records. */
    private boolean heldBack;

    private boolean stopped;
    /** Whether partitions at their end fetch nothing for the sake of others. */
    private boolean abstains;

    private int paused;
    private int mostPolled;
    private int first;
    private boolean refused;
    /** What was held at the last look, in records. */
    private long heldRecords;
    /** What a partition that was admitted may take, and one whose subscriber waits and that was not; bytes. */
    private long admittedBytes;

    private long wantedBytes;

    /** @param mapLimit the most characters that the brokers are known to take as a commit's metadata */
    FlowControl(
            Host host,
            Consumer<byte[], byte[]> consumer,
            Assignment assignment,
            RecordReserve reserve,
            long bufferBytes,
            int maxPollRecords,
            long maxPartitionFetchBytes,
            long fetchMaxBytes,
            long fetchWaitNanos,
            IntSupplier mapLimit,
            boolean spinsWhenPaused) {
        this.host = host;
        this.consumer = consumer;
        this.assignment = assignment;
        this.reserve = reserve;
        this.bufferBytes = bufferBytes;
        this.maxPollRecords = maxPollRecords;
        this.maxPartitionFetchBytes = maxPartitionFetchBytes;
        this.fetchMaxBytes = fetchMaxBytes;
        this.mapLimit = mapLimit;
        this.pollsWorstMap = OffsetMap.worstCaseChars(maxPollRecords);
        this.spinsWhenPaused = spinsWhenPaused;
        this.abstention = new IdlePartitionPausing(consumer, fetchWaitNanos);
        this.unread = new UnreadRecords(consumer);
    }

    /** Each partition has a subscriber of its own: one whose records nobody takes stops no other. */
    FlowControl independent() {
        independent = true;
        return this;
    }

    /** Fetches nothing any more, until the end. */
    void stop() {
        stopped = true;
    }

    /**
     * Whether turns must not be far apart: the budgets have kept a partition from fetching that would have, workers
     * were seen idle for want of records, or partitions at their end abstain. Where nobody waits for records, and none
     * may fetch, whoever takes some tells.
     */
    boolean mustLookSoon() {
        boolean waits = independent ? wantedBytes > 0 || (refused && admittedBytes > 0) : refused;
        return waits || reserve.isWatched() || abstains;
    }

    /**
     * Whether outputs that wait for their transaction take the room of records to come. Looks at each partition, under
     * its guard: to be asked where there are transactions.
     */
    boolean isFullOfOutputs() {
        if (!refused) {
            return false;
        }
        long outputs = 0;
        for (Partition partition : assignment.all()) {
            outputs += partition.outputs().bytes();
        }
        return outputs > 0 && (heldRecords == 0 || outputs >= bufferBytes / 2);
    }

    /** A poll has returned a record of this size. */
    void saw(long recordBytes) {
        reserve.fed();
        largestRecordBytes = Math.max(largestRecordBytes, recordBytes);
    }

    /**
     * A poll has returned so many records. Where it could have returned more, the client kept none of any partition
     * that may fetch, and has fetched for them: it does so before a poll returns.
     */
    void polled(int records) {
        // A client that the caller has made may return fewer than it is known to.
        mostPolled = Math.max(mostPolled, records);
        boolean less = records == 0 || records < Math.min(maxPollRecords, mostPolled);
        if (less && !abstains && !full && !refused) {
            abstention.fetched(host.nanoTime());
        }
    }

    /** Pauses and resumes. Costs a glance per partition when nothing changes. */
    void apply() {
        List<Partition> partitions = assignment.all();
        int count = partitions.size();
        paused = 0;
        refused = false;
        abstains = false;
        if (count == 0) {
            heldBack = false;
            wantedBytes = 0;
            reserve.turn(false);
            return;
        }
        long held = 0;
        long bytes = 0;
        for (Partition partition : partitions) {
            held += partition.held.ledger.records();
            bytes += partition.held.ledger.bytes();
            partition.wanted = independent && partition.held.wantsMore();
        }
        heldRecords = held;
        boolean grew = reserve.turn(heldBack); // What is paused need not fall to its low mark then.
        full &= !grew;
        long bufferRecords = reserve.records();
        // One poll may return that many; a budget smaller than a poll passes one poll at a time.
        full = held > 0 && held + maxPollRecords > (full ? bufferRecords - bufferRecords / 4 : bufferRecords);
        long share = Math.max(1, bufferRecords / count);
        long high = share > 2L * maxPollRecords ? share - maxPollRecords : Math.max(1, share / 2);
        heldBack = false;
        admittedBytes = 0;
        wantedBytes = 0;
        first %= count;
        int from = first;
        // What one poll may return; before the first record is known, that is one answer to a fetch.
        long poll = largestRecordBytes > 0 ? largestRecordBytes * maxPollRecords : fetchMaxBytes;
        boolean roomy = bytes + poll <= bufferBytes;
        long now = host.nanoTime();
        boolean disturbed = false;
        boolean wantedFirst = independent && !roomy;
        for (int i = 0; i < (wantedFirst ? 2 * count : count); i++) {
            int at = (from + i) % count;
            Partition partition = partitions.get(at);
            if (wantedFirst && partition.wanted != i < count) {
                continue;
            }
            long own = partition.held.ledger.records();
            boolean wants = own < high && (own <= high / 2 || isOpen(partition) || grew);
            heldBack |= !(wants && !full) && !partition.pausedByUser;
            boolean admits = wants && isReadable(partition) && hasRoom(partition, at, bytes, roomy, count);
            if (!isReadable(partition)) {
                abstention.forget(partition);
            } else {
                disturbed |= abstention.isDisturbed(partition, admits, now);
            }
            partition.admitted = admits && !isMapNearLimit(partition.held);
        }
        makeRoom(partitions, held, bytes, now);
        apply(partitions, abstention.turn(disturbed, now), high, now);
        if (refused && host.random().nextInt(KEEPING_TURNS) == 0) {
            // The client asks a broker for those admitted at that moment, then waits for the answer, up to
            // fetch.max.wait.ms. Where that is a multiple of a round of turns, it would ask for the same ones always.
            first = from;
        }
        flush();
    }

    private boolean isReadable(Partition partition) {
        return !stopped && !partition.pausedByUser && !partition.held.isCancelled();
    }

    /** Whether the budgets have room for what a partition may fetch. */
    private boolean hasRoom(Partition partition, int at, long bytes, boolean roomy, int count) {
        if (independent && UnreadRecords.isGivenBack(partition)) {
            return false;
        }
        // A fetch returns one record at least, however large.
        long chunk = Math.max(Math.max(maxPartitionFetchBytes, largestRecordBytes), partition.largestChunkBytes);
        if (full) {
            wantedBytes = partition.wanted && wantedBytes == 0 ? chunk : wantedBytes;
            return false;
        }
        if (roomy) {
            return true;
        }
        long mine = partition.held.ledger.bytes();
        if (independent && mine > 0 && mine + chunk > bufferBytes / count) {
            return false;
        }
        long more = admittedBytes + chunk;
        boolean admits = bytes + admittedBytes == 0 || bytes + more <= bufferBytes;
        admittedBytes = admits ? more : admittedBytes;
        if (!admits) {
            wantedBytes = partition.wanted && wantedBytes == 0 ? chunk : wantedBytes;
            first = refused ? first : at; // It goes first next time, else one that needs much room would never go.
            refused = true;
        }
        return admits;
    }

    /** Gives back what nobody reads where somebody waits for room. */
    private void makeRoom(List<Partition> partitions, long held, long bytes, long now) {
        if (wantedBytes == 0) {
            unread.rest();
            return;
        }
        long bufferRecords = reserve.records();
        boolean keepsSome = wantedBytes <= bufferBytes / 2 && maxPollRecords <= bufferRecords / 2;
        unread.makeRoom(
                partitions,
                keepsSome ? bufferRecords / 2 / partitions.size() : 0,
                keepsSome ? bufferBytes / 2 / partitions.size() : 0,
                full ? held - (keepsSome ? bufferRecords / 2 : 0) : 0,
                bytes - (keepsSome ? bufferBytes / 2 : 0),
                now);
    }

    /** Whether it need not fall to its low mark. One that abstains is paused, and not for what it holds. */
    private static boolean isOpen(Partition partition) {
        return !partition.paused || partition.admitted;
    }

    private void apply(List<Partition> partitions, boolean abstain, long high, long now) {
        boolean othersFetch = false;
        for (Partition partition : partitions) {
            boolean abstaining = partition.admitted && abstain && abstention.isAtEnd(partition, now);
            abstains |= abstaining;
            if (partition.admitted && !abstaining) {
                othersFetch = true;
                resume(partition);
            } else {
                pause(partition, high);
                paused++;
            }
        }
        if (abstains && othersFetch) {
            abstention.othersFetch(now);
        }
    }

    /**
     * Whether the map of done records could outgrow the commit's metadata. What a poll may add counts, unless the
     * brokers allow so little that a poll alone could pass it: then what is held does, and a map may be cut. For a map
     * that says next to nothing no intake stops.
     */
    private boolean isMapNearLimit(AssignedRecords held) {
        int limit = mapLimit.getAsInt();
        if (limit < LEAST_MAP) {
            return false;
        }
        return held.mapIsNearLimit(pollsWorstMap <= limit / 4 * 3 ? maxPollRecords : 0, limit);
    }

    /**
     * How long the owner stays away from the consumer after a poll that did not wait; 0 when it may wait inside the
     * poll. The client of the consumer protocol (4.3.1) spins in a poll that waits while it keeps records of a paused
     * partition.
     */
    long awayNanos() {
        if (!spinsWhenPaused || paused == 0) {
            return 0;
        }
        return paused == assignment.all().size() ? ALL_PAUSED_NANOS : SOME_PAUSED_NANOS;
    }

    private void pause(Partition partition, long high) {
        long own = partition.held.ledger.records();
        if (own > 0 && !partition.admitted && !stopped && !partition.pausedByUser) {
            // Short of the low mark, a quarter less is news enough: not every record needs a turn.
            long news = own - Math.max(1, own / 4);
            partition.held.signalBelow(own > high / 2 && !full ? high / 2 : news);
        }
        if (own == 0 && independent && !partition.wanted) {
            partition.held.signalWhenMoreIsWanted();
        }
        if (!partition.paused) {
            partition.paused = true;
            toPause.add(partition.id);
        }
    }

    private void resume(Partition partition) {
        if (partition.paused) {
            partition.paused = false;
            toResume.add(partition.id);
        }
    }

    private void flush() {
        if (!toPause.isEmpty()) {
            consumer.pause(toPause);
            toPause.clear();
        }
        if (!toResume.isEmpty()) {
            consumer.resume(toResume);
            toResume.clear();
        }
    }
}
