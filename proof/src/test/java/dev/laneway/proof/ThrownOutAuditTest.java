package dev.laneway.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Members that the group has thrown out, who hear of it in a rebalance when the fault is over already. */
class ThrownOutAuditTest extends AuditFixture {
    @ParameterizedTest
    @CsvSource({
        "CUT_MEMBER,    1, CommitFailedException,     LOST",
        "FREEZE_MEMBER, 1, StaleMemberEpochException, LOST",
        "CUT_MEMBER,    1, TimeoutException,          unexplained",
        "CUT_MEMBER,    7, CommitFailedException,     unexplained",
        "KILL_BROKER,   1, CommitFailedException,     unexplained",
        // The client itself refuses the last one, when it has heard of the rebalance.
        "FREEZE_MEMBER, 1, CommitFailedException RebalanceInProgressException, LOST",
        "FREEZE_MEMBER, 7, CommitFailedException RebalanceInProgressException, unexplained",
        // What was confirmed since says that it was a member again.
        "FREEZE_MEMBER, 1, CommitFailedException confirmed RebalanceInProgressException, unexplained"
    })
    @DisplayName("A refused commit, the last one or since the last confirmed one, explains duplicates only of a member"
            + " whose session may have ended")
    void explainsWhoWasThrownOut(Fault.Kind kind, int target, String answers, String verdict) {
        faults.add(new Fault(kind, target, 5, 7));
        ChaosAudit hurt = new ChaosAudit(ChaosPlan.Mode.AT_LEAST_ONCE, source, faults, findings);
        List<String> lines =
                new ArrayList<>(List.of("R 1 0 -1 ", "A 2 0", "S 3 0 0 1", "E 4 0 0 D", "K 5 0 0 3", "G 900 0"));
        int ticket = 0;
        for (String answer : answers.split(" ", -1)) {
            boolean isConfirmed = answer.equals("confirmed");
            ticket++;
            lines.add("C 90" + ticket + " " + ticket + " 0 " + (isConfirmed ? "0 " : "1 "));
            lines.add("Y 90" + ticket + " " + ticket + " " + (isConfirmed ? "" : answer));
        }
        lines.add("V 950 0");
        life(hurt, ChaosMembers.Ending.STOPPED, lines.toArray(String[]::new));
        life(hurt, ChaosMembers.Ending.KILLED, "R 1000 0 -1 ", "A 1001 0", "S 1002 0 0 1", "E 1003 0 0 D");
        hurt.finish();
        int lost = verdict.equals("LOST") ? 1 : 0;
        assertThat(hurt.account().explained(ChaosAudit.Why.LOST)).isEqualTo(lost);
        assertThat(findings.count(Findings.Kind.UNEXPLAINED_DUPLICATES)).isEqualTo(1 - lost);
    }
}
