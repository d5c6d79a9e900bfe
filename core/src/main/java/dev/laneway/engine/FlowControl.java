package dev.laneway.engine;

import dev.laneway.PauseReason;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.track.AssignedRecords;
import dev.laneway.engine.track.Assignment;
import dev.laneway.engine.track.Chunk;
import dev.laneway.engine.track.DelayedRecords;
import dev.laneway.engine.track.Partition;
import dev.laneway.engine.track.PartitionStates;
import dev.laneway.engine.track.RefillRoom;
import dev.laneway.engine.track.Track;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Who may fetch? Keeps what is held within its budgets by pausing and resuming partitions. The owner only.
 *
 * <p>Once a turn it looks at what each partition holds; {@link FetchAdmission} decides from that who has room for more;
 * two more reasons may stop one that has: its map of done records, and {@link IdlePartitionPausing}. Where there is no
 * room for one that would take more, what others hold and cannot start, or nobody reads, is given back to the log: see
 * {@link UnreadRecords}. At last the consumer is told what has changed.
 *
 * <p>What the client has fetched for a paused partition is kept by it (KAFKA-7548), so pausing fetches nothing twice.
 */
final class FlowControl {
    /** Nothing may be fetched: polls only keep the membership, and bring rebalances and the answers to commits. */
    private static final long ALL_PAUSED_NANOS = 50_000_000;
    /** What other partitions fetch is this late at most; less would cost more than it gains. */
    private static final long SOME_PAUSED_NANOS = 2_000_000;
    /** What a record takes in a fetch beside key and value, at least. */
    private static final int RECORD_OVERHEAD_BYTES = 7;

    /** So long before the time of its next record a partition is fetched again. */
    private static final long FETCHED_BEFORE_MILLIS = 2_000;

    /** In one of so many turns, by chance, the partition that goes first stays the same. */
    private static final int KEEPING_TURNS = 4;

    private final Host host;
    private final Consumer<byte[], byte[]> consumer;
    private final RecordReserve reserve;
    private final long bufferBytes;
    private final int maxPollRecords;
    private final long maxPartitionFetchBytes;
    private final long fetchMaxBytes;
    private final MapRoom mapRoom;
    private final boolean spinsWhenPaused;
    private final PartitionStates<FetchState> states;
    private final IdlePartitionPausing idlePausing;
    private final UnreadRecords unread;
    private final List<TopicPartition> toPause = new ArrayList<>();
    private final List<TopicPartition> toResume = new ArrayList<>();
    private @Nullable SpillControl spilling;
    /** Whether no partition ever waits for what another one holds. */
    private boolean independent;

    private boolean stopped;
    private long largestRecordBytes;
    private int mostPolled;
    /** Whether the records were full at the latest look. */
    private boolean full;
    /** How many records partitions held then that would take no more. */
    private long unwantedRecords;
    /** The index of the partition that has the first claim to room. */
    private int first;
    /** What was decided in the latest turn. */
    private FetchAdmission admission = FetchAdmission.NONE;
    /** Whether partitions at their end fetch nothing for the sake of others. */
    private boolean pausesIdle;
    /** How many partitions may not fetch. */
    private int paused;

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
            MapRoom mapRoom,
            boolean spinsWhenPaused) {
        this.host = host;
        this.consumer = consumer;
        this.reserve = reserve;
        this.bufferBytes = bufferBytes;
        this.maxPollRecords = maxPollRecords;
        this.maxPartitionFetchBytes = maxPartitionFetchBytes;
        this.fetchMaxBytes = fetchMaxBytes;
        this.mapRoom = mapRoom;
        this.spinsWhenPaused = spinsWhenPaused;
        this.states = new PartitionStates<>(assignment, FetchState::new);
        this.idlePausing = new IdlePartitionPausing(consumer, fetchWaitNanos);
        this.unread = new UnreadRecords(consumer);
    }

    /** Each partition has a subscriber of its own: one whose records nobody takes stops no other. */
    FlowControl independent() {
        independent = true;
        return this;
    }

    /** Records are spilled where that helps, and held again within this room. */
    FlowControl refilling(RefillRoom room, HealthConditions conditions) {
        spilling = new SpillControl(room, conditions);
        return this;
    }

    /** Fetches nothing any more, until the end. */
    void stop() {
        stopped = true;
    }

    // ---------------------------------------------------------------- what others ask

    /**
     * Whether turns must not be far apart: the budgets have kept a partition from fetching that would have, workers
     * were seen idle for want of records, or partitions at their end are paused for others. Where nobody waits for
     * records, and none may fetch, whoever takes some tells.
     */
    boolean mustLookSoon() {
        boolean refused = admission.refused();
        boolean waits = (spilling != null && spilling.hasSpilled())
                || (independent ? admission.wantedBytes() > 0 || (refused && admission.admittedBytes() > 0) : refused);
        return waits || reserve.isWatched() || pausesIdle;
    }

    /**
     * Whether outputs that wait for their transaction take the room of records to come. Looks at each partition, under
     * its guard: to be asked where there are transactions.
     */
    boolean isFullOfOutputs() {
        if (!admission.refused()) {
            return false;
        }
        long outputs = 0;
        for (FetchState state : states.all()) {
            outputs += state.partition.outputs().bytes();
        }
        return outputs > 0 && (admission.budget().heldRecords() == 0 || outputs >= bufferBytes / 2);
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
        return paused == states.all().size() ? ALL_PAUSED_NANOS : SOME_PAUSED_NANOS;
    }

    // ---------------------------------------------------------------- what polls have told

    /**
     * A poll has returned so many records. Where it could have returned more, the client kept none of any partition
     * that may fetch, and has fetched for them: it does so before a poll returns.
     */
    void polled(int records) {
        // A client that the caller has made may return fewer than it is known to.
        mostPolled = Math.max(mostPolled, records);
        boolean less = records == 0 || records < Math.min(maxPollRecords, mostPolled);
        if (less && !pausesIdle && !full && !admission.refused()) {
            idlePausing.fetched(host.nanoTime());
        }
    }

    /** It has returned this of a partition. */
    void returned(Partition partition, Chunk chunk) {
        saw(chunk.largestBytes);
        state(partition).returned(chunk);
    }

    /** Whether so many offsets after a chunk, if they are like it, have more bytes than a fetch may bring of them. */
    boolean exceedsFetch(Chunk chunk, long offsets) {
        return offsets > maxPartitionFetchBytes / (chunk.bytesLeft / chunk.size + RECORD_OVERHEAD_BYTES);
    }

    /** It has returned a record of this size. */
    void saw(long recordBytes) {
        reserve.fed();
        largestRecordBytes = Math.max(largestRecordBytes, recordBytes);
    }

    /** The consumer has sought another position in a partition. */
    void readsOnElsewhere(Partition partition) {
        state(partition).idle.forgetEnd();
    }

    FetchState state(Partition partition) {
        return states.of(partition);
    }

    // ---------------------------------------------------------------- a turn

    /**
     * Decides who may fetch, then pauses and resumes. Costs a few glances per partition when nothing changes. Loops of
     * each turn count: their iterators were a tenth of what the engine allocates for a record.
     */
    void apply() {
        List<FetchState> all = states.all();
        paused = 0;
        pausesIdle = false;
        if (all.isEmpty()) {
            reserve.turn(false);
            admission = FetchAdmission.NONE;
            return;
        }
        SpillControl spills = spilling;
        if (spills != null) {
            spills.beginTurn(host.nanoTime());
        }
        FetchBudget budget = look(all);
        admission = FetchAdmission.decide(all, budget, first % all.size());
        first = goesFirstNext(first % all.size());
        long now = host.nanoTime();
        boolean backlogWaits = checkRoom(all, now);
        makeRoom(all, now);
        if (spills != null) {
            spills.grant(budget, admission);
            spills.spill(all, admission, mapRoom, now);
        }
        pausesIdle = backlogWaits && idlePausing.pause(all, now);
        for (int i = 0; i < all.size(); i++) {
            carryOut(all.get(i));
        }
        tellConsumer();
    }

    /** Looks at what each partition holds, and reckons what all of them may. */
    private FetchBudget look(List<FetchState> all) {
        boolean grew = reserve.turn(admission.heldBack());
        full &= !grew; // What is paused need not fall to its low mark then.
        long most = reserve.records();
        long highMark = FetchBudget.highMark(most, all.size(), maxPollRecords);
        long lowMark = highMark / 2;
        long records = 0;
        long bytes = 0;
        long lacking = 0;
        long blocked = 0;
        long mostOfOne = 0;
        unwantedRecords = 0;
        for (int i = 0; i < all.size(); i++) {
            FetchState state = all.get(i);
            look(state, highMark);
            records += state.heldRecords;
            bytes += state.heldBytes;
            lacking += Math.max(0, lowMark - state.heldRecords);
            blocked += state.blockedRecords;
            unwantedRecords += state.isWanted ? 0 : state.heldRecords;
            mostOfOne = Math.max(mostOfOne, state.heldRecords);
        }
        // Less where busy keys or paused partitions hold much: else those could keep all others from going on.
        long quarter = Math.clamp((most - blocked - maxPollRecords) / 2, 0, most / 4);
        // One poll may return that many; a budget smaller than a poll passes one poll at a time.
        full = records > 0 && records + maxPollRecords > (full ? most - quarter : most);
        return new FetchBudget(
                all.size(),
                records,
                bytes,
                lacking,
                highMark,
                most,
                bufferBytes,
                maxPollRecords,
                // Before the first record is known, that is one answer to a fetch.
                largestRecordBytes > 0 ? largestRecordBytes * maxPollRecords : fetchMaxBytes,
                Math.max(maxPartitionFetchBytes, largestRecordBytes),
                mostOfOne > highMark + maxPollRecords, // A poll may pass the mark.
                grew,
                full || (spilling != null && spilling.goesFirst()),
                independent);
    }

    private void look(FetchState state, long highMark) {
        AssignedRecords held = state.partition.held;
        state.heldRecords = held.ledger.records();
        state.heldBytes = held.ledger.bytes();
        state.ruledOut = ruledOut(state.partition);
        boolean lanesMatter = full
                ? state.heldRecords > 0
                : state.heldRecords > highMark / 2 && (state.heldRecords >= highMark || !state.isOpen());
        if (state.ruledOut != null) {
            state.blockedRecords = state.heldRecords; // None of them can start.
        } else {
            state.blockedRecords = lanesMatter ? state.partition.recordsInLanes() : 0;
        }
        state.isWanted = state.ruledOut == null && (!independent || held.wantsMore());
        state.unread.look(state);
    }

    private @Nullable PauseReason ruledOut(Partition partition) {
        if (partition.pausedByUser) {
            return PauseReason.USER;
        }
        if (stopped) {
            return PauseReason.ENDING;
        }
        Track track = partition.track;
        long waitsUntil = track == null ? 0 : DelayedRecords.partitionWaitsUntil(track);
        if (waitsUntil > 0 && waitsUntil - host.epochMillis() > FETCHED_BEFORE_MILLIS) {
            return PauseReason.DELAYED;
        }
        return partition.held.isCancelled() ? PauseReason.CANCELLED : null;
    }

    /**
     * The client asks a broker for the partitions that are admitted at that moment, then waits for the answer, up to
     * {@code fetch.max.wait.ms}. Where that is a multiple of a round of turns, it would always ask for the same ones:
     * so chance keeps turns out of step with it.
     */
    private int goesFirstNext(int before) {
        return admission.refused() && host.random().nextInt(KEEPING_TURNS) == 0 ? before : admission.next();
    }

    /**
     * Notes who has room, and stops those of them whose map of done records could outgrow the commit's metadata.
     * Returns whether a backlog would wait for the fetches of idle partitions.
     */
    private boolean checkRoom(List<FetchState> all, long now) {
        mapRoom.beginTurn(now);
        boolean backlogWaits = false;
        for (int i = 0; i < all.size(); i++) { // One pass for both, for the sake of many partitions.
            FetchState state = all.get(i);
            backlogWaits |= idlePausing.noteRoom(state, now);
            if (state.decision == null && mapRoom.stops(state.partition)) {
                state.decision = PauseReason.METADATA_FULL;
            }
        }
        return backlogWaits;
    }

    /** Gives back what nobody takes where somebody waits for room. */
    private void makeRoom(List<FetchState> all, long now) {
        long wanted = admission.wantedBytes();
        if (wanted == 0 || unwantedRecords == 0) {
            unread.rest();
            return;
        }
        FetchBudget budget = admission.budget();
        boolean keepsSome = wanted <= bufferBytes / 2 && maxPollRecords <= budget.bufferRecords() / 2;
        long keepRecords = keepsSome ? budget.bufferRecords() / 2 : 0;
        long keepBytes = keepsSome ? bufferBytes / 2 : 0;
        unread.makeRoom(
                all,
                keepRecords / all.size(),
                keepBytes / all.size(),
                full ? budget.heldRecords() - keepRecords : 0,
                budget.heldBytes() - keepBytes,
                now);
    }

    // ---------------------------------------------------------------- what follows

    private void carryOut(FetchState state) {
        Partition partition = state.partition;
        PauseReason before = partition.pauseReason;
        PauseReason reason = state.decision;
        if (reason != null) {
            paused++;
            awaitRoom(state, reason);
        }
        if (before == null && reason != null) {
            toPause.add(partition.id);
        } else if (before != null && reason == null) {
            toResume.add(partition.id);
        }
        if (before != reason) { // Mostly not: a volatile write for each partition would cost.
            partition.pauseReason = reason;
        }
    }

    /** Lets whoever takes the records of a paused partition wake the owner when it may be resumed. */
    private void awaitRoom(FetchState state, PauseReason reason) {
        AssignedRecords held = state.partition.held;
        long own = held.ledger.records();
        if (own > 0 && endsWithRecords(reason)) {
            long mark = admission.lowMark() + state.blockedRecords;
            if (own <= mark || full) {
                // A quarter less is news enough, or the high mark: not every record needs a turn.
                mark = own - Math.max(1, own / 4);
                mark = own >= admission.highMark() ? Math.max(mark, admission.highMark() - 1) : mark;
            }
            held.signalBelow(mark);
        }
        if (own == 0 && independent && !state.isWanted) {
            held.signalWhenMoreIsWanted();
        }
    }

    /** Whether a pause for this reason may end when records are done. */
    private static boolean endsWithRecords(PauseReason reason) {
        return switch (reason) {
            case SHARE_FULL, RECORDS_FULL, BYTES_FULL, UNREAD, METADATA_FULL, CANCELLED -> true;
            case USER, ENDING, AT_END, DELAYED -> false;
        };
    }

    private void tellConsumer() {
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
