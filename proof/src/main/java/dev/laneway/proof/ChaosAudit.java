package dev.laneway.proof;

import dev.laneway.ops.CommitMap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks the journals of all members against the input. {@link #replay} reads the journal of one process after the
 * other, {@link #finish} compares them. Not thread-safe.
 *
 * <p>A duplicate is a record whose handler came to its good end once more. It is explained when its earlier owner
 *
 * <ul>
 *   <li>was killed, or
 *   <li>lost the partition, as a member does whose session ends while it is stopped or cannot reach its coordinator, or
 *   <li>waited for the handler's end and the copy's acknowledgement until the drain limit (or, when it closed, the
 *       close limit), and the record was not done when it made its last commit, or
 *   <li>could not make its last commit while a fault was in force,
 * </ul>
 *
 * and neither its last confirmed commit nor the commit that the later owner began with names the record. With
 * exactly-once members tell nothing of their commits: a record may be handled again by another owner, and the output
 * says whether it was right.
 */
final class ChaosAudit implements Runs {
    private final ChaosPlan.Mode mode;
    private final SourceLog source;
    private final List<Fault> faults;
    private final Findings findings;
    private final List<Tenure> tenures = new ArrayList<>();
    private final Map<String, Integer> tenureCounts = new HashMap<>();
    private final Map<Why, Long> explained = new EnumMap<>(Why.class);
    /** By partition and offset: where the handler came to its good end. */
    private final Tenure[][] firstRuns;

    private final Map<Long, List<Tenure>> moreRuns = new HashMap<>();
    private long commits;
    private long runs;

    /** What explains a duplicate. */
    enum Why {
        KILLED,
        LOST,
        DRAIN_LIMIT,
        FAILED_COMMIT,
        /** Of exactly-once: its owner gave the partition up before the transaction was committed. */
        ABORTED
    }

    ChaosAudit(ChaosPlan.Mode mode, SourceLog source, List<Fault> faults, Findings findings) {
        this.mode = mode;
        this.source = source;
        this.faults = List.copyOf(faults);
        this.findings = findings;
        this.firstRuns = new Tenure[source.partitions()][];
        for (int partition = 0; partition < firstRuns.length; partition++) {
            firstRuns[partition] = new Tenure[source.end(partition)];
        }
    }

    /** Reads the journal of a process, if it has written one. */
    void replay(ChaosMembers.Life life) {
        LifeReplay replay = new LifeReplay(life, source, findings, this::ran);
        life.read(replay::take);
        replay.finish();
        for (Tenure tenure : replay.tenures()) {
            tenures.add(tenure);
            tenureCounts.merge(tenure.member + " " + tenure.partition, 1, Integer::sum);
        }
        commits += replay.commits();
    }

    private void ran(Tenure tenure, long offset) {
        runs++;
        Tenure[] first = firstRuns[tenure.partition];
        int at = Math.toIntExact(offset);
        if (first[at] == null) {
            first[at] = tenure;
        } else {
            moreRuns.computeIfAbsent(id(tenure.partition, offset), more -> new ArrayList<>())
                    .add(tenure);
        }
    }

    private static long id(int partition, long offset) {
        return ((long) partition << 40) | offset;
    }

    @Override
    public int runs(int partition, long offset, String member) {
        return (int) tenures(partition, offset).stream()
                .filter(tenure -> tenure.member.equals(member))
                .count();
    }

    /** A member that has lost the partition and got it again starts again at the committed offset. */
    @Override
    public boolean hasOrder(int partition, String member) {
        return tenureCounts.getOrDefault(member + " " + partition, 0) < 2;
    }

    @Override
    public boolean isGivenUp(int partition, long offset) {
        return false;
    }

    private List<Tenure> tenures(int partition, long offset) {
        List<Tenure> all = new ArrayList<>();
        Tenure first = firstRuns[partition][Math.toIntExact(offset)];
        if (first != null) {
            all.add(first);
        }
        all.addAll(moreRuns.getOrDefault(id(partition, offset), List.of()));
        return all;
    }

    /** Compares the journals of all processes. */
    void finish() {
        Map<Integer, List<Tenure>> byPartition = new HashMap<>();
        tenures.sort(Comparator.comparingLong((Tenure tenure) -> tenure.fromMicros));
        tenures.forEach(tenure -> byPartition
                .computeIfAbsent(tenure.partition, first -> new ArrayList<>())
                .add(tenure));
        byPartition.values().forEach(this::checkSuccession);
        for (Map.Entry<Long, List<Tenure>> more : moreRuns.entrySet()) {
            int partition = (int) (more.getKey() >>> 40);
            long offset = more.getKey() & ((1L << 40) - 1);
            List<Tenure> all = tenures(partition, offset);
            all.sort(Comparator.comparingLong((Tenure tenure) -> tenure.fromMicros));
            for (int i = 1; i < all.size(); i++) {
                explain(all.get(i - 1), all.get(i), offset);
            }
        }
    }

    private void explain(Tenure earlier, Tenure later, long offset) {
        Why why = earlier == later || later.beganWith(offset) || names(earlier.confirmed, offset)
                ? null
                : why(earlier, offset);
        if (why == null) {
            findings.add(
                    Findings.Kind.UNEXPLAINED_DUPLICATES,
                    earlier.partition + "@" + offset + " by " + earlier + " and " + later);
        } else {
            explained.merge(why, 1L, Long::sum);
        }
    }

    private static boolean names(@Nullable CommitMap commit, long offset) {
        return commit != null && commit.names(offset);
    }

    private @Nullable Why why(Tenure earlier, long offset) {
        return switch (earlier.end) {
            case KILLED, FAILED -> Why.KILLED;
            case LOST -> Why.LOST;
            case REVOKED -> mode == ChaosPlan.Mode.EXACTLY_ONCE ? Why.ABORTED : whyRevoked(earlier, offset);
            case OPEN -> null;
        };
    }

    private @Nullable Why whyRevoked(Tenure earlier, long offset) {
        if (earlier.outlivedTheLimit(offset)) {
            return Why.DRAIN_LIMIT;
        }
        if (lastCommitFailed(earlier)) {
            return Why.FAILED_COMMIT;
        }
        return wasThrownOut(earlier) ? Why.LOST : null;
    }

    /**
     * Whether the group had thrown the member out and therefore refused its commits: the member learned of it only in a
     * rebalance, after the fault. The client itself may have refused the very last one, for that rebalance.
     */
    private boolean wasThrownOut(Tenure tenure) {
        return tenure.refusedMicros >= 0 && wasCutOff(tenure, tenure.refusedMicros);
    }

    /** Whether the last commit of a tenure failed, or was never answered, while a fault was in force. */
    private boolean lastCommitFailed(Tenure tenure) {
        return tenure.sent != null
                && !tenure.lastFailure.isEmpty()
                && faults.stream()
                        .anyMatch(fault ->
                                fault.hinders(tenure.number) && fault.overlaps(tenure.sentMicros, tenure.endMicros));
    }

    /** Whether the group may have gone on without the earlier owner, since it could not reach its coordinator. */
    private boolean wasCutOff(Tenure earlier, long atMicros) {
        long from = atMicros - 2 * ChaosPlan.SESSION.toNanos() / 1_000;
        return faults.stream()
                .anyMatch(fault ->
                        fault.kind().isUnnoticed() && fault.hinders(earlier.number) && fault.overlaps(from, atMicros));
    }

    /** Whether a member that was cut off learned of this assignment only after the group had taken it away again. */
    private boolean isOld(Tenure tenure) {
        return tenure.end == Tenure.End.LOST && wasCutOff(tenure, tenure.fromMicros);
    }

    /** Checks that owners follow one another, and that each begins with what the earlier ones had confirmed. */
    private void checkSuccession(List<Tenure> inOrder) {
        for (int i = 1; i < inOrder.size(); i++) {
            Tenure later = inOrder.get(i);
            for (Tenure earlier : inOrder.subList(0, i)) {
                if (earlier.end == Tenure.End.REVOKED
                        && earlier.endMicros > later.fromMicros
                        && !lastCommitFailed(earlier)
                        && !wasCutOff(earlier, later.fromMicros)
                        && !isOld(later)) {
                    findings.add(
                            Findings.Kind.TWO_OWNERS,
                            earlier + " ended " + (earlier.endMicros - later.fromMicros) + " us after " + later
                                    + " began");
                }
                if (earlier.endMicros <= later.fromMicros && earlier.start.offset() > later.start.offset()) {
                    findings.add(
                            Findings.Kind.COMMITS_BACK,
                            later + " began at " + later.start.offset() + " though " + earlier + " had begun at "
                                    + earlier.start.offset());
                }
                CommitMap confirmed = earlier.confirmed;
                if (confirmed != null
                        && earlier.endMicros <= later.fromMicros
                        && confirmed.offset() > later.start.offset()) {
                    findings.add(
                            Findings.Kind.COMMITS_BACK,
                            later + " began at " + later.start.offset() + " though " + earlier + " had confirmed "
                                    + confirmed.offset());
                }
            }
        }
    }

    @Override
    public Account account() {
        long lost =
                tenures.stream().filter(tenure -> tenure.end == Tenure.End.LOST).count();
        return new Account(tenures.size(), lost, commits, runs, 0, explained);
    }
}
