package dev.laneway.engine.track;

import dev.laneway.engine.offsets.DecodedMetadata;
import dev.laneway.engine.offsets.OffsetMap;
import dev.laneway.engine.offsets.Progress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Exactly-once: what the done records of a partition emit and no transaction has written yet, in the order in which
 * they ended. The first of it may be on its way in a transaction; if that is aborted it stays, and goes with the next
 * one. It counts against the budget of bytes. Every method takes the guard of what is held, but for {@link #add}, which
 * must be called with it.
 *
 * <p>Brokers that take little metadata get a map that is cut: it does not name all that is done. What such records emit
 * stays here until a commit names them, else they would be handled again after a crash and emit it twice.
 */
public final class PendingOutputs {
    private final AssignedRecords held;
    private List<RecordEmission> pending = new ArrayList<>();
    private int onTheirWay;

    PendingOutputs(AssignedRecords held) {
        this.held = held;
    }

    /** A record emits this, and is done before the guard is left. */
    public void add(RecordEmission emission) {
        pending.add(emission);
        held.ledger.changeBytes(emission.bytes());
    }

    /**
     * For a transaction: what may be committed, and what the records emit that it covers. Null when that is nothing
     * new.
     */
    public @Nullable TransactionPart send(int metadataLimit, @Nullable Progress committed) {
        try (var _ = held.guard.enter()) {
            Progress progress = held.progress(metadataLimit);
            if (held.isDropped() || (pending.isEmpty() && progress.equals(committed))) {
                return null;
            }
            if (onTheirWay > 0) {
                throw new IllegalStateException("outputs of " + held.partition + " are on their way already");
            }
            int named = putNamedFirst(progress);
            if (named == 0 && progress.equals(committed)) {
                return null;
            }
            onTheirWay = named;
            return new TransactionPart(progress, List.copyOf(pending.subList(0, named)));
        }
    }

    /**
     * Puts first what belongs to records that this commit says are done; how many that are. A cut map ends early, so of
     * one key's records the later ones stay behind, and their order is kept.
     */
    private int putNamedFirst(Progress progress) {
        DecodedMetadata decoded = OffsetMap.decode(held.partition, progress.offset(), progress.metadata());
        List<RecordEmission> named = new ArrayList<>(pending.size());
        List<RecordEmission> later = new ArrayList<>();
        for (RecordEmission emission : pending) {
            long offset = emission.offset();
            boolean done =
                    offset < progress.offset() || (decoded instanceof DecodedMetadata.Map map && map.isDone(offset));
            (done ? named : later).add(emission);
        }
        int count = named.size();
        if (!later.isEmpty()) {
            named.addAll(later);
            pending = named;
        }
        return count;
    }

    /** What {@link #send} gave is written. */
    public void written() {
        List<RecordEmission> ended = List.of();
        try (var _ = held.guard.enter()) {
            if (onTheirWay > 0) {
                List<RecordEmission> done = pending.subList(0, onTheirWay);
                ended = List.copyOf(done);
                held.ledger.changeBytes(
                        -done.stream().mapToLong(RecordEmission::bytes).sum());
                pending = new ArrayList<>(pending.subList(onTheirWay, pending.size()));
                onTheirWay = 0;
            }
        }
        ended.forEach(emission -> emission.ended(true));
    }

    /** What {@link #send} gave is not written, and is part of the next transaction. */
    public void unwritten() {
        try (var _ = held.guard.enter()) {
            onTheirWay = 0;
        }
    }

    /** Between two transactions: this one can never be written, and the other one takes its place. */
    public void replace(RecordEmission refused, RecordEmission instead) {
        try (var _ = held.guard.enter()) {
            int at = pending.indexOf(refused);
            if (at >= 0) {
                pending.set(at, instead);
                held.ledger.changeBytes(instead.bytes() - refused.bytes());
            }
        }
    }

    /** Whether anything waits for a transaction. */
    public boolean isEmpty() {
        try (var _ = held.guard.enter()) {
            return pending.isEmpty();
        }
    }

    /** What waits for a transaction, in bytes of keys and values. */
    public long bytes() {
        try (var _ = held.guard.enter()) {
            return pending.stream().mapToLong(RecordEmission::bytes).sum();
        }
    }

    /** The partition was given up: its next owner handles the records again that were not committed. */
    void clear() {
        List<RecordEmission> dropped;
        try (var _ = held.guard.enter()) {
            dropped = pending;
            pending = new ArrayList<>();
            onTheirWay = 0;
        }
        dropped.forEach(emission -> emission.ended(false));
    }
}
