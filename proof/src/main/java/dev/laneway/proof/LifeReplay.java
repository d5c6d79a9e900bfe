package dev.laneway.proof;

import dev.laneway.ops.CommitMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/** Checks the journal of one process, note by note. Not thread-safe. */
final class LifeReplay {
    /** The failures of a commit whose sender is no longer a member. */
    private static final Set<String> NO_MEMBER = Set.of("CommitFailedException", "StaleMemberEpochException");

    private final ChaosMembers.Life life;
    private final SourceLog source;
    private final Findings findings;
    private final ObjLongConsumer<Tenure> ran;
    private final Map<Integer, Note.Read> reads = new HashMap<>();
    /** Assigned, and their committed offsets are not read yet. */
    private final Set<Integer> starting = new HashSet<>();

    private final Map<Integer, List<Tenure>> byPartition = new HashMap<>();
    private final Map<Long, List<Sent>> unanswered = new HashMap<>();
    private final List<Tenure> tenures = new ArrayList<>();
    private long commits;

    private record Sent(Tenure tenure, CommitMap commit, long micros) {}

    /** @param ran called for each handler that ended well */
    LifeReplay(ChaosMembers.Life life, SourceLog source, Findings findings, ObjLongConsumer<Tenure> ran) {
        this.life = life;
        this.source = source;
        this.findings = findings;
        this.ran = ran;
    }

    void take(Note note) {
        switch (note) {
            case Note.Read read -> read(read);
            case Note.Assigned assigned -> assigned(assigned);
            case Note.Revoking(long micros, int partition) -> {
                Tenure tenure = latest(partition);
                // It may have been assigned again without having started: then there is nothing to give up.
                if (tenure != null && tenure.end == Tenure.End.OPEN) {
                    tenure.revokingMicros = micros;
                }
            }
            case Note.Closing(long micros) -> tenures.forEach(tenure -> tenure.closingMicros = micros);
            case Note.Revoked(long micros, int partition) -> ended(partition, Tenure.End.REVOKED, micros);
            case Note.Lost(long micros, int partition) -> ended(partition, Tenure.End.LOST, micros);
            case Note.Started started -> started(started);
            case Note.Ended end -> ended(end);
            case Note.Copied copied -> copied(copied);
            case Note.Passed _, Note.Accepted _, Note.Refused _ -> {} // For other audits.
            case Note.Committing commit -> committing(commit);
            case Note.Answered answer -> answered(answer);
        }
    }

    /** Ends the assignments that were open when the process ended. */
    void finish() {
        Tenure.End end = switch (life.ending()) {
            case KILLED -> Tenure.End.KILLED;
            case FAILED -> Tenure.End.FAILED;
            case STOPPED -> Tenure.End.OPEN;
        };
        for (Tenure tenure : tenures) {
            if (tenure.end == Tenure.End.OPEN) {
                tenure.end(end, life.endedMicros());
            }
        }
    }

    List<Tenure> tenures() {
        return tenures;
    }

    long commits() {
        return commits;
    }

    /** A partition starts when its committed offset is known, which may be after its assignment. */
    private void read(Note.Read read) {
        if (starting.remove(read.partition())) {
            begin(read);
        } else {
            reads.put(read.partition(), read);
        }
    }

    private void assigned(Note.Assigned assigned) {
        Note.Read read = reads.remove(assigned.partition());
        if (read == null) {
            starting.add(assigned.partition());
        } else {
            begin(read);
        }
    }

    private void begin(Note.Read read) {
        // Without a commit the partition is read from its beginning.
        CommitMap start = map(read.partition(), Math.max(0, read.offset()), read.map());
        Tenure tenure = new Tenure(
                life.name(),
                life.member(),
                read.partition(),
                read.micros(),
                start == null ? new CommitMap(read.offset(), List.of()) : start);
        tenures.add(tenure);
        byPartition
                .computeIfAbsent(read.partition(), first -> new ArrayList<>())
                .add(tenure);
    }

    private @Nullable CommitMap map(int partition, long offset, String metadata) {
        try {
            return source.withoutSpilled(partition, CommitMap.read(source.id(partition), offset, metadata));
        } catch (IllegalArgumentException wrong) {
            findings.add(
                    Findings.Kind.WRONG_COMMITS,
                    "the metadata at " + partition + "@" + offset + " in "
                            + life.journal().getFileName() + ": " + wrong.getMessage());
            return null;
        }
    }

    private @Nullable Tenure latest(int partition) {
        List<Tenure> all = byPartition.get(partition);
        return all == null ? null : all.getLast();
    }

    private void ended(int partition, Tenure.End how, long micros) {
        reads.remove(partition);
        if (starting.remove(partition)) {
            return; // It never began.
        }
        Tenure tenure = latest(partition);
        if (tenure != null && tenure.end == Tenure.End.OPEN) {
            tenure.end(how, micros);
        }
    }

    private void started(Note.Started started) {
        int partition = started.partition();
        long offset = started.offset();
        Tenure tenure = latest(partition);
        String what = partition + "@" + offset + " at " + life.name();
        // A partition is lost at any moment: a worker may have been about to start.
        if (tenure == null || tenure.end == Tenure.End.REVOKED) {
            findings.add(Findings.Kind.STARTS_WITHOUT_OWNERSHIP, what);
            return;
        }
        if (tenure.beganWith(offset)) {
            findings.add(Findings.Kind.STARTS_OF_DONE_RECORDS, what + ", begun at " + tenure.start.offset());
            return;
        }
        tenure.started(offset, started.micros());
        int key = source.key(partition, offset);
        Long other = tenure.running.put(key, offset);
        int before = source.predecessor(partition, offset);
        if (other != null) {
            findings.add(Findings.Kind.ORDER_VIOLATIONS, what + " while " + other + " of its key runs");
        } else if (before >= 0 && !tenure.beganWith(before) && !tenure.hasEnded(before)) {
            findings.add(Findings.Kind.ORDER_VIOLATIONS, what + " before " + before + " of its key");
        }
    }

    private void ended(Note.Ended end) {
        int key = source.key(end.partition(), end.offset());
        for (Tenure tenure : byPartition.getOrDefault(end.partition(), List.of())) {
            Long running = tenure.running.get(key);
            if (running != null && running == end.offset()) {
                tenure.running.remove(key);
                if (end.how() == Note.Ended.How.DONE) {
                    tenure.ended(end.offset(), end.micros());
                    ran.accept(tenure, end.offset());
                }
                return;
            }
        }
    }

    private void copied(Note.Copied copied) {
        for (Tenure tenure : byPartition.getOrDefault(copied.partition(), List.of())) {
            if (tenure.awaitsCopy(copied.offset(), copied.startedMicros())) {
                tenure.copied(copied.offset(), copied.micros());
                return;
            }
        }
    }

    private void committing(Note.Committing commit) {
        commits++;
        String what = commit.partition() + "@" + commit.offset() + " by " + life.name();
        Tenure tenure = latest(commit.partition());
        if (tenure == null || tenure.end != Tenure.End.OPEN) {
            findings.add(Findings.Kind.WRONG_COMMITS, what + ", whose partition it is not");
            return;
        }
        CommitMap map = map(commit.partition(), commit.offset(), commit.map());
        if (map == null) {
            return;
        }
        long undone = tenure.falselyNamed(map);
        if (undone >= 0) {
            findings.add(Findings.Kind.WRONG_COMMITS, what + " names " + undone + ", which is not done");
        }
        CommitMap before = tenure.sent == null ? tenure.start : tenure.sent;
        if (map.offset() < before.offset()) {
            findings.add(Findings.Kind.COMMITS_BACK, what + " after " + before.offset());
        }
        tenure.sent = map;
        tenure.sentTicket = commit.ticket();
        tenure.sentMicros = commit.micros();
        tenure.lastFailure = "no answer";
        unanswered
                .computeIfAbsent(commit.ticket(), first -> new ArrayList<>())
                .add(new Sent(tenure, map, commit.micros()));
    }

    private void answered(Note.Answered answer) {
        for (Sent sent : unanswered.getOrDefault(answer.ticket(), List.of())) {
            if (answer.isConfirmed()) {
                sent.tenure().confirmed = sent.commit();
                sent.tenure().refusedMicros = -1;
            } else if (NO_MEMBER.contains(answer.failure())) {
                sent.tenure().refusedMicros = sent.micros();
            }
            if (sent.tenure().sentTicket == answer.ticket()) {
                sent.tenure().lastFailure = answer.failure();
            }
        }
        unanswered.remove(answer.ticket());
    }
}
