package dev.laneway.proof;

import dev.laneway.cli.workload.CopyHeaders;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Checks the output of a chaos run against its input and the journals: each record has a copy, none has more copies
 * than it was handled, and a member's copies of a key are in order; with exactly-once each record has one committed
 * copy, and those of a key are in order. Not thread-safe.
 */
final class CopiesAudit {
    private final boolean exactlyOnce;
    private final SourceLog source;
    private final Runs runs;
    private final Findings findings;
    /** By partition and offset: how many copies there are. */
    private final int[][] counts;
    /** By partition and offset: who made the first copy. */
    private final String[][] firstCopiers;
    /** The other copies, by record and member. */
    private final Map<String, Integer> more = new HashMap<>();
    /** By member and key: the record of its latest copy. */
    private final Map<String, Long> latest = new HashMap<>();

    private long copies;

    CopiesAudit(ChaosPlan.Mode mode, SourceLog source, Runs runs, Findings findings) {
        this.exactlyOnce = mode == ChaosPlan.Mode.EXACTLY_ONCE;
        this.source = source;
        this.runs = runs;
        this.findings = findings;
        this.counts = new int[source.partitions()][];
        this.firstCopiers = new String[source.partitions()][];
        for (int partition = 0; partition < counts.length; partition++) {
            counts[partition] = new int[source.end(partition)];
            firstCopiers[partition] = new String[source.end(partition)];
        }
    }

    /** Takes the next copy of its partition. */
    void add(ConsumerRecord<byte[], byte[]> copy) {
        add(
                Integer.parseInt(header(copy, CopyHeaders.PARTITION)),
                Long.parseLong(header(copy, CopyHeaders.OFFSET)),
                header(copy, CopyHeaders.MEMBER));
    }

    void add(int partition, long offset, String member) {
        copies++;
        counts[partition][Math.toIntExact(offset)]++;
        String record = partition + "@" + offset;
        if (exactlyOnce) {
            addTheOnly(partition, offset, record);
            return;
        }
        int times = times(partition, Math.toIntExact(offset), member.intern(), record);
        if (times > runs.runs(partition, offset, member)) {
            findings.add(
                    Findings.Kind.WRONG_COPIES,
                    record + " has copy " + times + " by " + member + ", which handled it less often");
        }
        Long before = latest.put(member + " " + source.key(partition, offset), offset);
        if (before != null && before > offset && runs.hasOrder(partition, member)) {
            findings.add(Findings.Kind.WRONG_COPIES, record + " by " + member + " after " + before + " of its key");
        }
    }

    /** With exactly-once, for copies of all members: there is one for each record, and those of a key are in order. */
    private void addTheOnly(int partition, long offset, String record) {
        int times = counts[partition][Math.toIntExact(offset)];
        if (times > 1) {
            findings.add(Findings.Kind.WRONG_COPIES, record + " has " + times + " committed copies");
        }
        Long before = latest.put(String.valueOf(source.key(partition, offset)), offset);
        if (before != null && before > offset) {
            findings.add(Findings.Kind.WRONG_COPIES, record + " is committed after " + before + " of its key");
        }
    }

    /** How many copies of a record this member has made, the present one included. */
    private int times(int partition, int offset, String member, String record) {
        String first = firstCopiers[partition][offset];
        if (first == null) {
            firstCopiers[partition][offset] = member;
            return 1;
        }
        int others = more.merge(record + " " + member, 1, Integer::sum);
        return first.equals(member) ? others + 1 : others;
    }

    private static String header(ConsumerRecord<byte[], byte[]> copy, String name) {
        return new String(copy.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }

    /** Looks for records without a copy. */
    void finish() {
        for (int partition = 0; partition < counts.length; partition++) {
            for (int offset = 0; offset < counts[partition].length; offset++) {
                if (counts[partition][offset] == 0 && !runs.isGivenUp(partition, offset)) {
                    findings.add(Findings.Kind.LOST, partition + "@" + offset);
                }
            }
        }
    }

    long copies() {
        return copies;
    }
}
