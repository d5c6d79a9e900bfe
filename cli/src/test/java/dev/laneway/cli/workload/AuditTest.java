package dev.laneway.cli.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.Ordering;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class AuditTest {
    private static final Audit.Body NOTHING = () -> {};

    @Test
    @DisplayName("Records of a key in their order, keys mixed, are fine")
    void acceptsOrder() throws InterruptedException {
        Audit audit = new Audit(Ordering.KEY, 4, 2, 1);
        audit.handle(record(2, 1, 0), NOTHING);
        audit.handle(record(0, 0, 0), NOTHING);
        audit.handle(record(1, 0, 1), NOTHING);
        assertThat(audit.lost()).isOne();
        audit.handle(record(3, 1, 1), NOTHING);
        assertFindings(audit, 0, 0, 0);
        assertThat(audit.done()).isEqualTo(4);
        assertThat(audit.running()).isZero();
    }

    @Test
    @DisplayName("A record of a key before its predecessor is a violation")
    void findsWrongOrder() throws InterruptedException {
        Audit audit = new Audit(Ordering.KEY, 2, 1, 1);
        audit.handle(record(1, 0, 1), NOTHING);
        audit.handle(record(0, 0, 0), NOTHING);
        assertThat(audit.violations()).isEqualTo(2);
        assertThat(audit.lost()).isZero();
    }

    @Test
    @DisplayName("Two records of a key at once are a violation, of two keys not")
    void findsOverlap() throws InterruptedException {
        Audit audit = new Audit(Ordering.KEY, 3, 2, 1);
        audit.handle(record(0, 0, 0), () -> {
            audit.handle(record(2, 1, 0), NOTHING);
            assertThat(audit.violations()).isZero();
            assertThat(audit.running()).isOne();
            audit.handle(record(1, 0, 1), NOTHING);
        });
        assertFindings(audit, 1, 0, 0);
    }

    @Test
    @DisplayName("Ordered by partition, offsets must follow each other, whatever the key")
    void checksPartitions() throws InterruptedException {
        Audit fine = new Audit(Ordering.PARTITION, 2, 2, 1);
        fine.handle(record(0, 0, 0), NOTHING);
        fine.handle(record(1, 1, 0), NOTHING);
        assertFindings(fine, 0, 0, 0);
        Audit wrong = new Audit(Ordering.PARTITION, 2, 2, 1);
        wrong.handle(record(1, 1, 0), NOTHING);
        assertThat(wrong.violations()).isOne();
    }

    @Test
    @DisplayName("Unordered records may come in any order, but each once")
    void checksUnordered() throws InterruptedException {
        Audit audit = new Audit(Ordering.UNORDERED, 3, 1, 1);
        audit.handle(record(2, 0, 2), NOTHING);
        audit.handle(record(0, 0, 0), NOTHING);
        audit.handle(record(2, 0, 2), NOTHING);
        assertFindings(audit, 0, 1, 1);
    }

    @Test
    @DisplayName("An attempt that throws has not done its record, and running it again is seen")
    void countsWhatThrows() throws InterruptedException {
        Audit audit = new Audit(Ordering.KEY, 1, 1, 1);
        assertThatThrownBy(() -> audit.handle(record(0, 0, 0), () -> {
                    throw new IllegalStateException("the body fails");
                }))
                .isInstanceOf(IllegalStateException.class);
        assertFindings(audit, 0, 0, 1);
        assertThat(audit.running()).isZero();
        audit.handle(record(0, 0, 0), NOTHING);
        assertThat(audit.duplicates()).isOne();
    }

    private static void assertFindings(Audit audit, long violations, long duplicates, long lost) {
        assertThat(audit.violations()).as("violations").isEqualTo(violations);
        assertThat(audit.duplicates()).as("duplicates").isEqualTo(duplicates);
        assertThat(audit.lost()).as("lost").isEqualTo(lost);
    }

    /** The record's number in the load is its offset in the only partition. */
    private static ConsumerRecord<byte[], byte[]> record(long index, int key, int sequence) {
        byte[] value = new Payload(index, key, sequence).valueBytes(Payload.LEAST_BYTES);
        return new ConsumerRecord<>("topic", 0, index, Payload.keyBytes(key), value);
    }
}
