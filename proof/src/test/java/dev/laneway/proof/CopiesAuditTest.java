package dev.laneway.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.cli.workload.Payload;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a chaos run checks of the output when members process exactly-once. */
class CopiesAuditTest {
    private static final int RECORDS = 4;

    private final Findings findings = new Findings();
    private final CopiesAudit copies;

    CopiesAuditTest() {
        SourceLog source = new SourceLog(Map.of(new TopicPartition("in", 0), (long) RECORDS));
        // Offsets 0 and 2 are of key 0, 1 and 3 of key 1.
        for (int offset = 0; offset < RECORDS; offset++) {
            source.add(0, offset, new Payload(offset, offset % 2, offset / 2));
        }
        ChaosPlan.Mode mode = ChaosPlan.Mode.EXACTLY_ONCE;
        copies = new CopiesAudit(mode, source, new ChaosAudit(mode, source, List.of(), findings), findings);
    }

    @Test
    @DisplayName("One committed copy of each record, those of a key in order, gives no findings, whoever made them")
    void findsNothing() {
        add(0, 1, 3, 2);
        assertThat(copies.copies()).isEqualTo(RECORDS);
        assertThat(findings.examples()).isEmpty();
    }

    @Test
    @DisplayName("A second committed copy is wrong, also by another member, and so is one without a first")
    void findsDoubledAndLost() {
        add(0, 1, 1, 3);
        assertThat(findings.examples()).containsExactly("lost: 0@2", "wrong_copies: 0@1 has 2 committed copies");
    }

    @Test
    @DisplayName("A copy behind that of a later record of its key is wrong, also by another member")
    void findsDisorder() {
        add(2, 1, 0, 3);
        assertThat(findings.examples()).containsExactly("wrong_copies: 0@0 is committed after 2 of its key");
    }

    private void add(long... offsets) {
        for (int i = 0; i < offsets.length; i++) {
            copies.add(0, offsets[i], "m" + i);
        }
        copies.finish();
    }
}
