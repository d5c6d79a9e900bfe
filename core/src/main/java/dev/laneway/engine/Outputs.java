package dev.laneway.engine;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Exactly-once: what the done records of a track emit and no transaction has written yet, in the order in which they
 * ended. The first of it may be on its way in a transaction; if that is aborted it stays, and goes with the next one.
 * It counts against the budget of bytes. Every method takes the track's monitor, but for {@link #add}, which must be
 * called with it.
 *
 * <p>Brokers that take little metadata get a map that is cut: it does not name all that is done. What such records emit
 * stays here until a commit names them, else they would be handled again after a crash and emit it twice.
 */
final class Outputs {
    private final Track track;
    private List<Delivery> pending = new ArrayList<>();
    private int onTheirWay;

    Outputs(Track track) {
        this.track = track;
    }

    /** A record emits this, and is done before the monitor is left. */
    void add(Delivery delivery) {
        pending.add(delivery);
        track.ledger.changeBytes(bytes(delivery));
    }

    /**
     * For a transaction: what may be committed, and what the records emit that it covers. Null when that is nothing
     * new.
     */
    Transaction.@Nullable Part send(int metadataLimit, @Nullable Progress committed) {
        synchronized (track) {
            Progress progress = track.progress(metadataLimit);
            if (track.lanes.isDropped() || (pending.isEmpty() && progress.equals(committed))) {
                return null;
            }
            if (onTheirWay > 0) {
                throw new IllegalStateException("outputs of " + track.partition + " are on their way already");
            }
            int named = putNamedFirst(progress);
            if (named == 0 && progress.equals(committed)) {
                return null;
            }
            onTheirWay = named;
            return new Transaction.Part(progress, List.copyOf(pending.subList(0, named)));
        }
    }

    /**
     * Puts first what belongs to records that this commit says are done; how many that are. A cut map ends early, so of
     * one key's records the later ones stay behind, and their order is kept.
     */
    private int putNamedFirst(Progress progress) {
        Decoded decoded = OffsetMap.decode(progress.offset(), progress.metadata());
        List<Delivery> named = new ArrayList<>(pending.size());
        List<Delivery> later = new ArrayList<>();
        for (Delivery delivery : pending) {
            long offset = delivery.record.offset();
            boolean done = offset < progress.offset() || (decoded instanceof Decoded.Map map && map.isDone(offset));
            (done ? named : later).add(delivery);
        }
        int count = named.size();
        if (!later.isEmpty()) {
            named.addAll(later);
            pending = named;
        }
        return count;
    }

    /** What {@link #send} gave is written. */
    void written() {
        synchronized (track) {
            if (onTheirWay > 0) {
                List<Delivery> done = pending.subList(0, onTheirWay);
                track.ledger.changeBytes(
                        -done.stream().mapToLong(Outputs::bytes).sum());
                pending = new ArrayList<>(pending.subList(onTheirWay, pending.size()));
                onTheirWay = 0;
            }
        }
    }

    /** What {@link #send} gave is not written, and is part of the next transaction. */
    void unwritten() {
        synchronized (track) {
            onTheirWay = 0;
        }
    }

    /** Between two transactions: this one can never be written, and the other one takes its place. */
    void replace(Delivery refused, Delivery instead) {
        synchronized (track) {
            int at = pending.indexOf(refused);
            if (at >= 0) {
                pending.set(at, instead);
                track.ledger.changeBytes(bytes(instead) - bytes(refused));
            }
        }
    }

    /** The track was given up: its next owner handles the records again that were not committed. */
    void clear() {
        synchronized (track) {
            pending = new ArrayList<>();
            onTheirWay = 0;
        }
    }

    private static long bytes(Delivery delivery) {
        long bytes = 0;
        for (ProducerRecord<byte[], byte[]> output : delivery.outputs) {
            bytes += output.key() == null ? 0 : output.key().length;
            bytes += output.value() == null ? 0 : output.value().length;
        }
        return bytes;
    }
}
