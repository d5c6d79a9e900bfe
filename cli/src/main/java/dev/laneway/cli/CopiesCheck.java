package dev.laneway.cli;

import dev.laneway.Ordering;
import dev.laneway.cli.workload.Payload;
import java.util.BitSet;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Checks the copies of loaded records (see {@link Payload}), as a reader of committed records gets them: each record
 * once, and the records of a key in their order. Used by one thread.
 */
final class CopiesCheck {
    private final Ordering ordering;
    private final long records;
    private final BitSet seen;
    private final int[] next;
    private long duplicates;
    private long violations;

    CopiesCheck(Ordering ordering, long records, int keys) {
        this.ordering = ordering;
        this.records = records;
        this.seen = new BitSet(Math.toIntExact(records));
        this.next = new int[keys];
    }

    /** Takes the next copy of its partition. */
    void add(ConsumerRecord<byte[], byte[]> copy) {
        add(Payload.of(copy.value()));
    }

    void add(Payload payload) {
        int index = Math.toIntExact(payload.index());
        if (seen.get(index)) {
            duplicates++;
            return;
        }
        seen.set(index);
        if (ordering != Ordering.UNORDERED && payload.sequence() < next[payload.key()]) {
            violations++;
        }
        next[payload.key()] = Math.max(next[payload.key()], payload.sequence() + 1);
    }

    /** Copies of records that had one already. */
    long duplicates() {
        return duplicates;
    }

    /** Copies behind the copy of a later record of their key; 0 if unordered. */
    long violations() {
        return violations;
    }

    /** Records without a copy. */
    long lost() {
        return records - seen.cardinality();
    }

    /** Copies that a reader of committed records gets. */
    long visible() {
        return seen.cardinality() + duplicates;
    }
}
