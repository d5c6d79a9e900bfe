package dev.laneway.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.cli.workload.Payload;
import dev.laneway.engine.offsets.OffsetMap;
import dev.laneway.engine.offsets.OffsetWindow;
import dev.laneway.engine.offsets.SpilledKey;
import dev.laneway.engine.offsets.SpilledKeys;
import dev.laneway.ops.CommitMap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The audit of a chaos run, on journals written by hand: what is right passes, and each thing that is wrong is found.
 */
class ChaosAuditTest extends AuditFixture {
    @Test
    @DisplayName("A member that handles everything in order, commits and leaves gives no findings")
    void findsNothing() {
        life(
                ChaosMembers.Ending.STOPPED,
                "R 1 0 -1 ",
                "A 2 0",
                "S 3 0 1 1",
                "S 3 0 0 1",
                "E 4 0 1 D",
                "S 5 0 3 1",
                "E 6 0 3 F",
                "S 7 0 3 2",
                "E 8 0 3 D",
                "K 9 0 1 3",
                "K 9 0 3 7",
                "E 9 0 0 D",
                "K 9 0 0 3",
                "C 10 1 0 2 ",
                "Y 11 1 ",
                "V 12 0");
        audit.finish();
        assertThat(findings.examples()).isEmpty();
        assertThat(audit.account().runs()).isEqualTo(3);
        assertThat(audit.account().commits()).isEqualTo(1);
        assertThat(audit.account().assignments()).isEqualTo(1);
    }

    @Test
    @DisplayName("A record that starts before its predecessor in its key, or beside it, violates the order")
    void findsDisorder() {
        life(ChaosMembers.Ending.KILLED, "R 1 0 -1 ", "A 2 0", "S 3 0 2 1", "E 4 0 2 D", "S 5 0 1 1", "S 6 0 3 1");
        assertFound(Findings.Kind.ORDER_VIOLATIONS, 2);
    }

    @Test
    @DisplayName("A failed or interrupted attempt does not count as done for the next record of its key")
    void failedIsNotDone() {
        life(ChaosMembers.Ending.KILLED, "R 1 0 -1 ", "A 2 0", "S 3 0 0 1", "E 4 0 0 I", "S 5 0 2 1");
        assertFound(Findings.Kind.ORDER_VIOLATIONS, 1);
    }

    @Test
    @DisplayName(
            "A commit that names a record whose handler has not ended, or whose copy is not acknowledged, is wrong")
    void findsWrongCommits() {
        life(
                ChaosMembers.Ending.KILLED,
                "R 1 0 -1 ",
                "A 2 0",
                "S 3 0 0 1",
                "C 4 1 0 1 ",
                "E 5 0 0 D",
                "C 6 2 0 1 ",
                "K 7 0 0 3",
                "C 8 3 0 1 ");
        assertFound(Findings.Kind.WRONG_COMMITS, 2);
    }

    @Test
    @DisplayName(
            "A copy belongs to the attempt that made it, though an earlier owner in the same process made one, too")
    void knowsWhoseCopyItIs() {
        life(
                ChaosMembers.Ending.KILLED,
                "R 1 0 -1 ",
                "A 2 0",
                "S 3 0 0 1",
                "E 4 0 0 D",
                "L 5 0",
                "R 6 0 -1 ",
                "A 7 0",
                "S 8 0 0 1",
                "E 9 0 0 D",
                "K 10 0 0 8",
                "C 11 1 0 1 ");
        assertThat(findings.examples()).isEmpty();
        life(
                ChaosMembers.Ending.KILLED,
                "R 21 0 -1 ",
                "A 22 0",
                "S 23 0 0 1",
                "E 24 0 0 D",
                "L 25 0",
                "R 26 0 -1 ",
                "A 27 0",
                "S 28 0 0 1",
                "E 29 0 0 D",
                "K 30 0 0 23",
                "C 31 1 0 1 ");
        assertFound(Findings.Kind.WRONG_COMMITS, 1);
    }

    @Test
    @DisplayName("A map that names a record that is not done is wrong, and so is one that is no map")
    void findsWrongMaps() {
        String oneBeyond = CommitMapTest.runs(0, 1, 1);
        life(
                ChaosMembers.Ending.KILLED,
                "R 1 0 -1 ",
                "A 2 0",
                "S 3 0 1 1",
                "E 4 0 1 D",
                "K 5 0 1 3",
                "C 6 1 0 0 " + oneBeyond,
                "C 7 2 0 0 " + CommitMapTest.runs(0, 1, 2),
                "C 8 3 0 0 junk");
        assertFound(Findings.Kind.WRONG_COMMITS, 2);
    }

    @Test
    @DisplayName("A commit of a partition that was given up is wrong")
    void findsCommitsOfOthers() {
        life(ChaosMembers.Ending.STOPPED, "R 1 0 3 ", "A 2 0", "V 3 0", "C 4 1 0 3 ");
        assertFound(Findings.Kind.WRONG_COMMITS, 1);
    }

    @Test
    @DisplayName("A commit below an earlier one, or an owner that begins below what was confirmed, moves back")
    void findsCommitsBack() {
        life(ChaosMembers.Ending.KILLED, "R 1 0 3 ", "A 2 0", "C 3 1 0 2 ", "C 4 2 0 3 ", "Y 5 2 ");
        life(ChaosMembers.Ending.KILLED, "R 2000 0 2 ", "A 2001 0");
        assertFound(Findings.Kind.COMMITS_BACK, 3);
    }

    @Test
    @DisplayName("A record that the owner began with as done, below the commit or in its map, must not start")
    void findsStartsOfDoneRecords() {
        life(
                ChaosMembers.Ending.KILLED,
                "R 1 0 1 " + CommitMapTest.runs(1, 1, 1),
                "A 2 0",
                "S 3 0 0 1",
                "S 3 0 2 1",
                "S 4 0 1 1");
        assertFound(Findings.Kind.STARTS_OF_DONE_RECORDS, 2);
    }

    @Test
    @DisplayName("A record must not start at a member that has given its partition up")
    void findsStartsWithoutOwnership() {
        life(ChaosMembers.Ending.STOPPED, "S 1 0 1 1", "R 2 0 0 ", "A 3 0", "V 4 0", "S 5 0 0 1");
        assertFound(Findings.Kind.STARTS_WITHOUT_OWNERSHIP, 2);
    }

    @Test
    @DisplayName("A member begins although an earlier one has not given the partition up: two owners")
    void findsTwoOwners() {
        life(ChaosMembers.Ending.STOPPED, "R 1 0 0 ", "A 2 0", "V 10 0");
        life(ChaosMembers.Ending.STOPPED, "R 9 0 0 ", "A 11 0", "V 12 0");
        assertFound(Findings.Kind.TWO_OWNERS, 1);
    }

    @Test
    @DisplayName("The group goes on without a member whose network is cut: that is not two owners")
    void aCutMemberMayBeReplaced() {
        faults.add(new Fault(Fault.Kind.CUT_MEMBER, 1, 5_000_000, 14_000_000));
        faults.add(new Fault(Fault.Kind.CUT_MEMBER, 3, 5_000_000, 14_000_000));
        ChaosAudit cut = new ChaosAudit(ChaosPlan.Mode.AT_LEAST_ONCE, source, faults, findings);
        life(cut, ChaosMembers.Ending.STOPPED, "R 1 0 0 ", "A 2 0", "V 15000000 0");
        life(cut, ChaosMembers.Ending.STOPPED, "R 12000000 0 0 ", "A 12000001 0", "V 16000000 0");
        cut.finish();
        assertThat(findings.examples()).isEmpty();
        life(cut, ChaosMembers.Ending.STOPPED, "R 15500000 0 0 ", "A 15500001 0", "V 17000000 0");
        cut.finish();
        assertThat(findings.count(Findings.Kind.TWO_OWNERS)).isEqualTo(1);
    }

    @Test
    @DisplayName("A stopped member that goes on hears of an old assignment, and then of its loss: not two owners")
    void anOldAssignmentIsLost() {
        faults.add(new Fault(Fault.Kind.FREEZE_MEMBER, 2, 5_000_000, 14_000_000));
        ChaosAudit stopped = new ChaosAudit(ChaosPlan.Mode.AT_LEAST_ONCE, source, faults, findings);
        life(stopped, ChaosMembers.Ending.STOPPED, "R 1 0 0 ", "A 2 0", "V 15000000 0");
        life(stopped, ChaosMembers.Ending.STOPPED, "R 14000001 0 0 ", "A 14000002 0", "L 14100000 0");
        stopped.finish();
        assertThat(findings.examples()).isEmpty();
        life(stopped, ChaosMembers.Ending.STOPPED, "R 14500000 0 0 ", "A 14500001 0", "L 14600000 0");
        stopped.finish();
        assertThat(findings.count(Findings.Kind.TWO_OWNERS)).isEqualTo(1);
    }

    @Test
    @DisplayName("Duplicates of an owner that was killed, that lost the partition, or whose handler outlived it are"
            + " explained")
    void explainsDuplicates() {
        String[] handled = {"S 3 0 0 1", "E 4 0 0 D", "K 5 0 0 3"};
        life(ChaosMembers.Ending.KILLED, with("R 1 0 -1 ", "A 2 0", handled));
        life(ChaosMembers.Ending.STOPPED, with("R 2000 0 -1 ", "A 2001 0", handled), "L 2002 0");
        life(
                ChaosMembers.Ending.STOPPED,
                "R 3000 0 -1 ",
                "A 3001 0",
                "S 3002 0 0 1",
                "G 3003 0",
                "C 2003003 1 0 0 ",
                "E 2003004 0 0 D",
                "K 2003005 0 0 3002",
                "V 2003006 0");
        life(ChaosMembers.Ending.STOPPED, with("R 4000000 0 -1 ", "A 4000001 0", handled), "V 4000002 0");
        audit.finish();
        assertThat(findings.examples()).isEmpty();
        assertThat(audit.account().explained(ChaosAudit.Why.KILLED)).isEqualTo(1);
        assertThat(audit.account().explained(ChaosAudit.Why.LOST)).isEqualTo(1);
        assertThat(audit.account().explained(ChaosAudit.Why.DRAIN_LIMIT)).isEqualTo(1);
        assertThat(audit.account().lostPartitions()).isEqualTo(1);
    }

    @Test
    @DisplayName("A record that was done late does not explain its duplicate when the limit was not waited for")
    void aDrainMustLastAsLongAsItsLimit() {
        life(
                ChaosMembers.Ending.STOPPED,
                "R 1 0 -1 ",
                "A 2 0",
                "S 3 0 0 1",
                "G 4 0",
                "E 1500000 0 0 D",
                "K 1500001 0 0 3",
                "V 1400000 0");
        life(ChaosMembers.Ending.KILLED, "R 4000000 0 -1 ", "A 4000001 0", "S 4000002 0 0 1", "E 4000003 0 0 D");
        assertFound(Findings.Kind.UNEXPLAINED_DUPLICATES, 1);
    }

    @Test
    @DisplayName(
            "What was done after the limit is explained, too, when the last commit had nothing of its partition to say")
    void aDrainMayHaveNothingToCommit() {
        life(
                ChaosMembers.Ending.STOPPED,
                "R 1 0 -1 ",
                "A 2 0",
                "S 3 0 0 1",
                "G 4 0",
                "E 5 0 0 D",
                "K 2500000 0 0 3",
                "V 2600000 0");
        life(ChaosMembers.Ending.KILLED, "R 4000000 0 -1 ", "A 4000001 0", "S 4000002 0 0 1", "E 4000003 0 0 D");
        audit.finish();
        assertThat(findings.examples()).isEmpty();
        assertThat(audit.account().explained(ChaosAudit.Why.DRAIN_LIMIT)).isEqualTo(1);
    }

    @Test
    @DisplayName("A partition that comes back and goes again before it begins does not move the earlier owner's limit")
    void aDrainIsThatOfItsOwner() {
        life(
                ChaosMembers.Ending.STOPPED,
                "R 1 0 -1 ",
                "A 2 0",
                "S 3 0 0 1",
                "G 4 0",
                "E 5 0 0 D",
                "V 2600000 0",
                "K 2700000 0 0 3",
                "A 3000000 0",
                "G 3100000 0",
                "V 3100001 0");
        life(ChaosMembers.Ending.KILLED, "R 4000000 0 -1 ", "A 4000001 0", "S 4000002 0 0 1", "E 4000003 0 0 D");
        audit.finish();
        assertThat(findings.examples()).isEmpty();
        assertThat(audit.account().explained(ChaosAudit.Why.DRAIN_LIMIT)).isEqualTo(1);
    }

    @Test
    @DisplayName("What was done within the limit must be in the last commit, though the hand-over took longer")
    void aDrainCommitsWhatItWaitedFor() {
        life(
                ChaosMembers.Ending.STOPPED,
                "R 1 0 -1 ",
                "A 2 0",
                "S 3 0 0 1",
                "G 4 0",
                "E 5 0 0 D",
                "K 1500000 0 0 3",
                "V 2600000 0");
        life(ChaosMembers.Ending.KILLED, "R 4000000 0 -1 ", "A 4000001 0", "S 4000002 0 0 1", "E 4000003 0 0 D");
        assertFound(Findings.Kind.UNEXPLAINED_DUPLICATES, 1);
    }

    @Test
    @DisplayName("A failed last commit explains duplicates only while a fault is in force")
    void explainsFailedCommits() {
        String[] failing = {"S 3 0 0 1", "E 4 0 0 D", "K 5 0 0 3", "C 6 1 0 1 ", "Y 7 1 TimeoutException", "V 8 0"};
        faults.add(new Fault(Fault.Kind.KILL_BROKER, 1, 5, 7));
        ChaosAudit hurt = new ChaosAudit(ChaosPlan.Mode.AT_LEAST_ONCE, source, faults, findings);
        life(hurt, ChaosMembers.Ending.STOPPED, with("R 1 0 -1 ", "A 2 0", failing));
        life(hurt, ChaosMembers.Ending.KILLED, "R 20 0 -1 ", "A 21 0", "S 22 0 0 1", "E 23 0 0 D");
        hurt.finish();
        assertThat(findings.examples()).isEmpty();
        assertThat(hurt.account().explained(ChaosAudit.Why.FAILED_COMMIT)).isEqualTo(1);

        // Not what is done to other members.
        faults.set(0, new Fault(Fault.Kind.CUT_MEMBER, 7, 5, 7));
        faults.add(new Fault(Fault.Kind.KILL_MEMBER, 1, 5, Long.MAX_VALUE));
        ChaosAudit unhurt = new ChaosAudit(ChaosPlan.Mode.AT_LEAST_ONCE, source, faults, findings);
        life(unhurt, ChaosMembers.Ending.STOPPED, with("R 1 0 -1 ", "A 2 0", failing));
        life(unhurt, ChaosMembers.Ending.KILLED, "R 20 0 -1 ", "A 21 0", "S 22 0 0 1", "E 23 0 0 D");
        unhurt.finish();
        assertThat(findings.count(Findings.Kind.UNEXPLAINED_DUPLICATES)).isEqualTo(1);
    }

    @Test
    @DisplayName("A duplicate after an orderly hand-over, after a confirmed commit, or in one tenure is not explained")
    void findsUnexplainedDuplicates() {
        life(ChaosMembers.Ending.STOPPED, "R 1 0 -1 ", "A 2 0", "S 3 0 0 1", "E 4 0 0 D", "K 5 0 0 3", "V 6 0");
        life(
                ChaosMembers.Ending.KILLED,
                "R 2000 0 -1 ",
                "A 2001 0",
                "S 2002 0 0 1",
                "E 2003 0 0 D",
                "K 2004 0 0 2002",
                "S 2005 0 0 1",
                "E 2006 0 0 D");
        assertFound(Findings.Kind.UNEXPLAINED_DUPLICATES, 2);
    }

    @Test
    @DisplayName("A kill does not explain a duplicate that the confirmed commit names")
    void aConfirmedCommitCounts() {
        life(
                ChaosMembers.Ending.KILLED,
                "R 1 0 -1 ",
                "A 2 0",
                "S 3 0 0 1",
                "E 4 0 0 D",
                "K 5 0 0 3",
                "C 6 1 0 1 ",
                "Y 7 1 ");
        life(ChaosMembers.Ending.KILLED, "R 2000 0 0 ", "A 2001 0", "S 2002 0 0 1", "E 2003 0 0 D");
        audit.finish();
        assertThat(findings.count(Findings.Kind.UNEXPLAINED_DUPLICATES)).isEqualTo(1);
        assertThat(findings.count(Findings.Kind.COMMITS_BACK)).isEqualTo(1);
    }

    @Test
    @DisplayName("A record without a copy is lost; a copy too many, or out of its key's order, is wrong")
    void checksCopies() {
        life(
                ChaosMembers.Ending.KILLED,
                "R 1 0 -1 ",
                "A 2 0",
                "S 3 0 0 1",
                "E 3 0 0 D",
                "S 4 0 2 1",
                "E 4 0 2 D",
                "S 5 0 1 1",
                "E 5 0 1 D");
        CopiesAudit copies = new CopiesAudit(ChaosPlan.Mode.AT_LEAST_ONCE, source, audit, findings);
        copies.add(PARTITION, 2, "m1");
        copies.add(PARTITION, 0, "m1");
        copies.add(PARTITION, 1, "m1");
        copies.add(PARTITION, 1, "m1");
        copies.add(PARTITION, 3, "m1");
        copies.finish();
        assertThat(copies.copies()).isEqualTo(5);
        assertThat(findings.count(Findings.Kind.LOST)).isEqualTo(2);
        assertThat(findings.count(Findings.Kind.WRONG_COPIES)).isEqualTo(3);
    }

    @Test
    @DisplayName("An input that lacks a record, has one twice or out of turn is no one's fault but its own")
    void checksTheInput() {
        assertThat(source.faults(RECORDS)).isZero();
        assertThat(source.faults(RECORDS + 1)).isEqualTo(1);
        SourceLog wrong = new SourceLog(Map.of(new TopicPartition("in", 0), 3L));
        wrong.add(0, 0, new Payload(0, 0, 0));
        wrong.add(0, 1, new Payload(0, 0, 0));
        wrong.add(0, 2, new Payload(1, 0, 2));
        assertThat(wrong.faults(2)).isEqualTo(2);
    }

    @Test
    @DisplayName("The last line of a journal may be cut off by the kill")
    void readsWhatIsCutOff() throws IOException {
        Path file = directory.resolve("cut");
        Files.writeString(file, "S 1 0 0 1\nE 2 0 0");
        List<Note> notes = new ArrayList<>();
        Journal.read(file, notes::add);
        assertThat(notes).containsExactly(new Note.Started(1, 0, 0, 1));
    }

    @Test
    @DisplayName("B94 Records of a key that a map lists as spilled are undone, whatever the map's runs say")
    void spilledKeysAreUndone() {
        OffsetWindow undone = new OffsetWindow();
        undone.add(0);
        List<SpilledKey> keys = List.of(new SpilledKey(CommitMap.SpilledKey.hash(Payload.keyBytes(0)), 2));
        String map = OffsetMap.encode(new TopicPartition("in", 0), undone, SpilledKeys.of(keys), 6, 100)
                .metadata();
        life(
                ChaosMembers.Ending.STOPPED,
                "R 1 0 0 " + map,
                "A 2 0",
                "S 3 0 0 1",
                "E 4 0 0 D",
                "K 4 0 0 3",
                "S 5 0 2 1",
                "E 6 0 2 D",
                "K 6 0 2 5",
                "C 7 1 0 4 ",
                "C 8 2 0 5 ");
        audit.finish();
        assertThat(findings.count(Findings.Kind.WRONG_COMMITS)).isEqualTo(1); // 4 is of the key, too.
    }
}
