package dev.laneway.engine;

import dev.laneway.BrokerException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exactly-once: writes progress and outputs in one transaction after another. What records emit waits in their track's
 * {@link Outputs} from the moment they are done, so that no worker waits for a transaction and a transaction stops no
 * worker. An aborted one is written again, with whatever is done by then; what belongs to a partition that was given up
 * meanwhile is gone with its track, and its next owner handles those records again. The owner only.
 *
 * <pre>
 *            due, and there is news                    Committed: forget the outputs
 *   IDLE  ---------------------------&gt;  ON ITS WAY  ------------------------------------&gt;  IDLE
 *                                          |  Aborted: keep them; a pause  --------------&gt;  IDLE
 *                                          |  Refused: what the failure policy says  ----&gt;  IDLE
 *                                          |  Lost: the consumer stops  ------------------&gt;  (end)
 * </pre>
 */
final class TransactionalCommitter implements Committer {
    private static final Logger log = LoggerFactory.getLogger(TransactionalCommitter.class);
    /** How soon an aborted transaction is written again. */
    private static final long PAUSE_NANOS = 100_000_000;

    private final Host host;
    private final Wake wake;
    private final Consumer<byte[], byte[]> consumer;
    private final Commits commits;
    private final Calls calls;
    private final Counts counts;
    private final Undeliverable undeliverable;
    private final List<Courier> couriers;
    private final long[] dueNanos;
    private final long intervalNanos;
    private boolean lost;

    TransactionalCommitter(
            Host host,
            Wake wake,
            Consumer<byte[], byte[]> consumer,
            Commits commits,
            Calls calls,
            Counts counts,
            Undeliverable undeliverable,
            List<Courier> couriers,
            Duration interval) {
        this.host = host;
        this.wake = wake;
        this.consumer = consumer;
        this.commits = commits;
        this.calls = calls;
        this.counts = counts;
        this.undeliverable = undeliverable;
        this.couriers = List.copyOf(couriers);
        this.dueNanos = new long[couriers.size()];
        this.intervalNanos = interval.toNanos();
    }

    @Override
    public void make() {
        couriers.forEach(Courier::make);
    }

    @Override
    public void open() {
        long now = host.nanoTime();
        for (int i = 0; i < dueNanos.length; i++) {
            Courier courier = couriers.get(i);
            calls.within("opening the transactional producer", left -> {
                courier.open();
                return true;
            });
            dueNanos[i] = now + intervalNanos;
        }
    }

    @Override
    public long turn(long nowNanos) {
        long wait = intervalNanos;
        for (int i = 0; i < dueNanos.length; i++) {
            settle(i, nowNanos);
            if (couriers.get(i).sent() == null) {
                if (nowNanos - dueNanos[i] >= 0) {
                    dueNanos[i] = nowNanos + intervalNanos;
                    begin(i, commits.assignment().all());
                }
                wait = Math.min(wait, dueNanos[i] - nowNanos);
            }
        }
        return wait;
    }

    @Override
    public boolean beforeDispatch(Map<TopicPartition, OffsetAndMetadata> positions) {
        return true;
    }

    /**
     * Writes what these partitions have done. A transaction that was begun before ends first; if it does not within the
     * limit, the partitions' next owner waits for its end when it reads their offsets, so nothing is done twice.
     */
    @Override
    public void flush(List<Partition> partitions) {
        long untilNanos = host.nanoTime() + commits.lastLimit().toNanos();
        for (int i = 0; i < dueNanos.length; i++) {
            await(i, untilNanos);
            // The group may have moved on once more: then the first try is aborted, and so would be any other.
            if (couriers.get(i).sent() == null && begin(i, partitions)) {
                await(i, untilNanos);
            }
        }
    }

    @Override
    public void close(Duration limit) {
        couriers.forEach(courier -> courier.close(limit));
    }

    private void await(int index, long untilNanos) {
        Courier courier = couriers.get(index);
        while (courier.sent() != null && !courier.hasEnded()) {
            long left = untilNanos - host.nanoTime();
            if (left <= 0) {
                log.warn("a transaction did not end within the limit; the next owner of its partitions waits for it");
                return;
            }
            wake.park(left);
        }
        wake.signal(); // What others have told meanwhile is for the next turn, and it should be soon.
        settle(index, host.nanoTime());
    }

    /** Sends what is new of these partitions, as far as they are this courier's. */
    private boolean begin(int index, List<Partition> partitions) {
        if (lost) {
            return false;
        }
        Map<Partition, Transaction.Part> parts = new LinkedHashMap<>(); // Ordered, so that a seed replays.
        for (Partition partition : partitions) {
            if (Math.floorMod(partition.id.hashCode(), dueNanos.length) == index) {
                Transaction.Part part = partition.outputs().send(commits.metadataLimit(), partition.committed);
                if (part != null) {
                    parts.put(partition, part);
                }
            }
        }
        if (parts.isEmpty()) {
            return false;
        }
        couriers.get(index).send(new Transaction(parts, consumer.groupMetadata()));
        return true;
    }

    /** Acts on the end of a transaction, if it has ended. */
    private void settle(int index, long nowNanos) {
        Transaction transaction = couriers.get(index).sent();
        Transaction.Ending ending = couriers.get(index).take();
        if (transaction == null || ending == null) {
            return;
        }
        switch (ending) {
            case Transaction.Committed committed -> {
                commits.confirmed(transaction.progress());
                transaction.parts().forEach((partition, part) -> {
                    count(part.outputs());
                    partition.outputs().written();
                });
            }
            case Transaction.Aborted(Exception cause) -> {
                abandon(transaction);
                dueNanos[index] = nowNanos + PAUSE_NANOS;
                commits.aborted(cause);
            }
            case Transaction.Refused(Delivery culprit, Exception cause) -> {
                abandon(transaction);
                counts.failedCommits.increment();
                Delivery instead = undeliverable.instead(culprit, cause);
                lost |= instead == null;
                if (instead != null) {
                    culprit.track.outputs.replace(culprit, instead);
                }
            }
            case Transaction.Lost(Exception cause) -> {
                lost = true;
                abandon(transaction);
                counts.failedCommits.increment();
                commits.stop(new BrokerException(
                        Courier.isFenced(cause)
                                ? "the transactional producer was fenced: give each process a transactionalId of its"
                                        + " own, and keep transactions shorter than transaction.timeout.ms"
                                : "the transactional producer failed: mend the cause and restart, "
                                        + cause.getMessage(),
                        cause));
            }
        }
    }

    private static void abandon(Transaction transaction) {
        transaction.parts().keySet().forEach(partition -> partition.outputs().unwritten());
    }

    private void count(List<Delivery> outputs) {
        for (Delivery delivery : outputs) {
            if (delivery.deadLetter) {
                counts.deadLettered.increment();
            } else if (!delivery.outputs.isEmpty()) {
                counts.emitted.increment();
            }
        }
    }
}
