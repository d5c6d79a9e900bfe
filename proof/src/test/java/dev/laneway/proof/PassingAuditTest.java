package dev.laneway.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.cli.workload.Payload;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a chaos run checks of the topic that is deleted and created again, and of the other one meanwhile. */
class PassingAuditTest {
    private static final long SECOND = 1_000_000;

    private final Findings findings = new Findings();

    @Test
    @DisplayName("A record that the topic holds in the end and nobody handled is lost")
    void findsLostRecords() {
        PassingAudit audit = new PassingAudit(List.of(), Long.MAX_VALUE, findings);
        audit.take(new Note.Passed(1, 7));
        audit.add(0, 0, new Payload(7, 0, 0));
        audit.add(1, 3, new Payload(8, 0, 1));
        assertThat(audit.records()).isEqualTo(2);
        assertThat(findings.examples()).containsExactly("lost: chaos-passing-1@3");
    }

    @Test
    @DisplayName("B109 a partition that stands still for long while the other topic is deleted is found, one that goes"
            + " on is not")
    void findsStandstills() {
        PassingAudit audit = deletion(List.of());
        handle(audit, 0, 70, 1);
        handle(audit, 1, 20, 1);
        handle(audit, 1, 55, 15);
        audit.finish();
        assertThat(findings.count(Findings.Kind.STANDSTILLS)).isEqualTo(1);
        assertThat(findings.examples().getFirst()).contains("partition 1 for 34500 ms");
    }

    @Test
    @DisplayName(
            "A standstill is not the deletion's while something else is done, where little was to do, or at the end")
    void excusesWhatHasAnotherReason() {
        PassingAudit hurt = deletion(List.of(new Fault(Fault.Kind.KILL_BROKER, 1, 30 * SECOND, 35 * SECOND)));
        handle(hurt, 0, 20, 1);
        hurt.finish();
        PassingAudit idle = deletion(List.of());
        handle(idle, 0, 20, 4);
        idle.finish();
        Fault fault = new Fault(Fault.Kind.DELETE_TOPIC, 0, 20 * SECOND, 25 * SECOND);
        PassingAudit ended = new PassingAudit(List.of(fault), 30 * SECOND, findings);
        handle(ended, 0, 20, 1);
        ended.finish();
        assertThat(findings.examples()).isEmpty();
    }

    private PassingAudit deletion(List<Fault> others) {
        Fault fault = new Fault(Fault.Kind.DELETE_TOPIC, 0, 20 * SECOND, 25 * SECOND);
        return new PassingAudit(Stream.concat(Stream.of(fault), others.stream()).toList(), 70 * SECOND, findings);
    }

    /** A record is done twice in so many seconds, up to a second. */
    private static void handle(PassingAudit audit, int partition, int untilSecond, int every) {
        int from = untilSecond > 50 && every > 10 ? 55 : 0;
        for (int second = from; second <= untilSecond; second += every) {
            audit.take(new Note.Ended(second * SECOND, partition, 2L * second, Note.Ended.How.DONE));
            audit.take(new Note.Ended(second * SECOND + 500_000, partition, 2L * second + 1, Note.Ended.How.DONE));
        }
    }
}
