package dev.laneway.proof;

import dev.laneway.cli.workload.Payload;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Checks the deletion of a topic: all that the topic holds in the end was handled, and no partition of the other topic
 * stood still meanwhile, unless there was another fault too. Not thread-safe.
 */
final class PassingAudit {
    /** Longer than a few rebalances that wait for slow handlers, on a busy machine. */
    private static final long LONGEST_STANDSTILL_MICROS = 30_000_000;

    private static final long BEFORE_MICROS = 15_000_000;
    private static final long AFTER_MICROS = 45_000_000;
    /** How many records a partition must have had in the time before to count as busy. */
    private static final int BUSY = 20;

    private final List<Fault> faults;
    private final long loadedMicros;
    private final Findings findings;
    private final BitSet handled = new BitSet();
    /** For the topic that stays: when handlers ended well. */
    private final Map<Integer, List<Long>> ends = new HashMap<>();

    private long records;

    /** @param loadedMicros until when records were produced */
    PassingAudit(List<Fault> faults, long loadedMicros, Findings findings) {
        this.faults = List.copyOf(faults);
        this.loadedMicros = loadedMicros;
        this.findings = findings;
    }

    /** Reads the journal of a process. */
    void replay(ChaosMembers.Life life) {
        life.read(this::take);
    }

    void take(Note note) {
        if (note instanceof Note.Passed passed) {
            handled.set(Math.toIntExact(passed.index()));
        } else if (note instanceof Note.Ended end && end.how() == Note.Ended.How.DONE) {
            ends.computeIfAbsent(end.partition(), first -> new ArrayList<>()).add(end.micros());
        }
    }

    /** Takes a record that the topic holds in the end. */
    void add(ConsumerRecord<byte[], byte[]> record) {
        add(record.partition(), record.offset(), Payload.of(record.value()));
    }

    void add(int partition, long offset, Payload payload) {
        records++;
        if (!handled.get(Math.toIntExact(payload.index()))) {
            findings.add(Findings.Kind.LOST, ChaosPlan.PASSING + "-" + partition + "@" + offset);
        }
    }

    /** Looks for standstills. */
    void finish() {
        for (Fault fault : faults) {
            if (fault.kind() == Fault.Kind.DELETE_TOPIC && isAlone(fault)) {
                long until = Math.min(loadedMicros, fault.toMicros() + AFTER_MICROS);
                ends.forEach((partition, times) -> check(fault, until, partition, times));
            }
        }
    }

    /** Whether nothing else was done at that time. */
    private boolean isAlone(Fault deletion) {
        return faults.stream()
                .noneMatch(other -> other.kind() != Fault.Kind.DELETE_TOPIC
                        && other.overlaps(deletion.fromMicros() - BEFORE_MICROS, deletion.toMicros() + AFTER_MICROS));
    }

    private void check(Fault fault, long until, int partition, List<Long> times) {
        long[] sorted = times.stream().mapToLong(Long::longValue).sorted().toArray();
        int at = atOrAfter(sorted, fault.fromMicros());
        if (at - atOrAfter(sorted, fault.fromMicros() - BEFORE_MICROS) < BUSY) {
            return;
        }
        long before = fault.fromMicros();
        while (before < until) {
            long next = at < sorted.length ? Math.min(sorted[at], until) : until;
            if (next - before > LONGEST_STANDSTILL_MICROS) {
                findings.add(
                        Findings.Kind.STANDSTILLS,
                        "partition " + partition + " for " + (next - before) / 1_000 + " ms, from "
                                + (before - fault.fromMicros()) / 1_000 + " ms after the deletion on");
            }
            before = next;
            at++;
        }
    }

    private static int atOrAfter(long[] sorted, long micros) {
        int found = Arrays.binarySearch(sorted, micros);
        return found < 0 ? -found - 1 : found;
    }

    /** How many records the topic held in the end. */
    long records() {
        return records;
    }
}
