package dev.laneway.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class BatchesToDatabaseTest {
    @Test
    @DisplayName("B48 batches write every record once, also when another group reads all of them again")
    void writesEveryRecordOnce() throws Exception {
        JdbcConnectionPool database = BatchesToDatabase.database();
        try (Cluster cluster = Shared.cluster()) {
            cluster.createTopics("measurements");
            cluster.send(BatchesToDatabase.measurements());

            BatchesToDatabase.run(cluster.consumer("first"), database, BatchesToDatabase.RECORDS);
            assertThat(BatchesToDatabase.rows(database)).isEqualTo(BatchesToDatabase.RECORDS);

            BatchesToDatabase.run(cluster.consumer("second"), database, BatchesToDatabase.RECORDS);
            assertThat(BatchesToDatabase.rows(database)).isEqualTo(BatchesToDatabase.RECORDS);
        } finally {
            database.dispose();
        }
    }
}
