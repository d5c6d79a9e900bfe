package dev.laneway.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.cli.workload.Payload;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class AuditTest {
    private static ConsumerRecord<byte[], byte[]> record(long offset, int key, int sequence) {
        return new ConsumerRecord<>(
                "t", 0, offset, Payload.keyBytes(key), new Payload(offset, key, sequence).valueBytes(16));
    }

    @Test
    @DisplayName("A record that comes again is found in every order")
    void findsDuplicates() {
        for (Order order : Order.values()) {
            Audit audit = new Audit(order, List.of(2L), 1);
            run(audit, record(0, 0, 0));
            assertThat(audit.violation()).isNull();
            run(audit, record(0, 0, 0));
            assertThat(audit.violation()).as(order.name()).contains("t-0@0 came again");
            assertThat(audit.ended()).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("By key, records of a key may not overlap or pass one another; records of other keys may")
    void findsOverlapsInKey() {
        Audit audit = new Audit(Order.KEY, List.of(4L), 2);
        audit.begin(record(0, 0, 0));
        run(audit, record(1, 1, 0));
        assertThat(audit.violation()).isNull();
        audit.begin(record(2, 0, 1));
        assertThat(audit.violation()).contains("t-0@2 began before its predecessor in its key");
    }

    @Test
    @DisplayName("By partition, records may not overlap or pass one another; unordered, they may")
    void findsOverlapsInPartition() {
        Audit partition = new Audit(Order.PARTITION, List.of(2L), 2);
        Audit none = new Audit(Order.NONE, List.of(2L), 2);
        for (Audit audit : List.of(partition, none)) {
            audit.begin(record(0, 0, 0));
            audit.begin(record(1, 1, 0));
        }
        assertThat(partition.violation()).contains("t-0@1 began before its predecessor in the partition");
        assertThat(none.violation()).isNull();
    }

    private static void run(Audit audit, ConsumerRecord<byte[], byte[]> record) {
        audit.begin(record);
        audit.end(record);
    }
}
