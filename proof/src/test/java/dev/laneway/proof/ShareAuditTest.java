package dev.laneway.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.cli.workload.Payload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The audit of a share group's journals, written by hand: what is right passes, and each thing wrong is found. */
class ShareAuditTest {
    private static final int RECORDS = 3;
    private static final int LIMIT = 5;

    @TempDir
    private Path directory;

    private final Findings findings = new Findings();
    private final SourceLog source = new SourceLog(Map.of(new TopicPartition("in", 0), (long) RECORDS));
    private final List<Fault> faults = new ArrayList<>();
    private final List<ChaosMembers.Life> lives = new ArrayList<>();

    ShareAuditTest() {
        for (int offset = 0; offset < RECORDS; offset++) {
            source.add(0, offset, new Payload(offset, 0, offset));
        }
    }

    @Test
    @DisplayName("Records that are done once, in any order, and confirmed give no findings")
    void findsNothing() throws IOException {
        life(ChaosMembers.Ending.STOPPED, "S 1 0 1 1", "S 1 0 0 1", "E 2 0 1 F", "S 3 0 1 1", "E 4 0 1 D", "E 5 0 0 D");
        life(ChaosMembers.Ending.STOPPED, "S 1 0 2 1", "E 2 0 2 D", "Z 3 0 2");
        Runs.Account account = audit().account();
        assertThat(findings.examples()).isEmpty();
        assertThat(account.runs()).isEqualTo(3);
        assertThat(account.commits()).isEqualTo(1);
    }

    @Test
    @DisplayName("A record that starts after the broker has confirmed it is found, at whichever member")
    void findsStartsOfDoneRecords() throws IOException {
        life(ChaosMembers.Ending.KILLED, "S 9 0 0 2", "E 10 0 0 D");
        life(ChaosMembers.Ending.KILLED, "S 1 0 0 1", "E 2 0 0 D", "Z 3 0 0");
        audit();
        assertThat(findings.count(Findings.Kind.STARTS_OF_DONE_RECORDS)).isEqualTo(1);
    }

    @Test
    @DisplayName(
            "A frozen member may begin an earlier delivery after the confirmation, but not that one or a later one")
    void knowsLateStarts() throws IOException {
        life(ChaosMembers.Ending.KILLED, "S 5 0 0 2", "E 6 0 0 D", "Z 7 0 0");
        life(ChaosMembers.Ending.KILLED, "S 9 0 0 1", "E 10 0 0 D");
        audit();
        assertThat(findings.count(Findings.Kind.STARTS_OF_DONE_RECORDS)).isEqualTo(1);
        faults.add(new Fault(Fault.Kind.FREEZE_MEMBER, 2, 1, 8));
        audit();
        assertThat(findings.count(Findings.Kind.STARTS_OF_DONE_RECORDS)).isEqualTo(1);
        life(ChaosMembers.Ending.KILLED, "S 9 0 0 2", "E 10 0 0 D");
        faults.add(new Fault(Fault.Kind.FREEZE_MEMBER, 3, 1, 8));
        audit();
        assertThat(findings.count(Findings.Kind.STARTS_OF_DONE_RECORDS)).isEqualTo(2);
    }

    @Test
    @DisplayName(
            "A duplicate is explained by a kill, a refused acknowledgement, a fault, or a close, and by nothing else")
    void explainsDuplicates() throws IOException {
        life(ChaosMembers.Ending.KILLED, "S 1 0 0 1", "E 2 0 0 D");
        life(ChaosMembers.Ending.STOPPED, "S 11 0 0 2", "E 12 0 0 D", "X 13 0 0");
        life(ChaosMembers.Ending.STOPPED, "S 21 0 0 3", "E 22 0 0 D", "Q 23");
        life(ChaosMembers.Ending.STOPPED, "S 31 0 0 4", "E 32 0 0 D");
        faults.add(new Fault(Fault.Kind.FREEZE_MEMBER, 4, 33, 34));
        life(ChaosMembers.Ending.STOPPED, "S 41 0 0 5", "E 42 0 0 D");
        Runs.Account account = audit().account();
        assertThat(findings.examples()).isEmpty();
        assertThat(account.explained(ChaosAudit.Why.KILLED)).isEqualTo(1);
        assertThat(account.explained(ChaosAudit.Why.LOST)).isEqualTo(2);
        assertThat(account.explained(ChaosAudit.Why.DRAIN_LIMIT)).isEqualTo(1);
        life(ChaosMembers.Ending.STOPPED, "S 51 0 0 5", "E 52 0 0 D");
        audit();
        assertThat(findings.count(Findings.Kind.UNEXPLAINED_DUPLICATES)).isEqualTo(1);
    }

    @Test
    @DisplayName(
            "B100 a record that nobody finished is given up only if a member names it or died at its last delivery")
    void tellsGivenUpFromLost() throws IOException {
        life(ChaosMembers.Ending.KILLED, "S 1 0 0 5", "S 2 0 1 4");
        life(ChaosMembers.Ending.STOPPED, "S 1 0 2 5");
        Files.writeString(
                lives.getLast().log(),
                "12:00 [ERROR] Taker - the broker gives up 1 records of chaos-in-0, from offset 2, after 5 deliveries:"
                        + " the member ended before they were done; at offsets [2]. Write them again\n");
        Runs runs = audit();
        assertThat(runs.isGivenUp(0, 0)).isTrue();
        assertThat(runs.isGivenUp(0, 1)).isFalse();
        assertThat(runs.isGivenUp(0, 2)).isTrue();
        CopiesAudit copies = new CopiesAudit(ChaosPlan.Mode.SHARE, source, runs, findings);
        copies.finish();
        assertThat(findings.examples()).containsExactly("lost: 0@1");
    }

    private ShareAudit audit() {
        ShareAudit audit = new ShareAudit(source, faults, LIMIT, findings);
        audit.replay(lives);
        audit.finish();
        return audit;
    }

    private void life(ChaosMembers.Ending ending, String... lines) throws IOException {
        int number = lives.size() + 1;
        Path journal = directory.resolve("m" + number + ".journal");
        Files.writeString(journal, String.join("\n", lines) + "\n");
        lives.add(new ChaosMembers.Life("m" + number, number, journal, ending, 1_000));
    }
}
