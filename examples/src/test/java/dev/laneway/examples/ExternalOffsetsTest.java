package dev.laneway.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ExternalOffsetsTest {
    @Test
    @DisplayName("B73 with offsets beside the results each record counts once, also across two runs")
    void countsEachRecordOnce() throws Exception {
        JdbcConnectionPool database = ExternalOffsets.database();
        try (Cluster cluster = Shared.cluster()) {
            cluster.createTopics("deposits");
            cluster.send(ExternalOffsets.deposits());
            ExternalOffsets.run(cluster.consumer("deposits"), database, ExternalOffsets.RECORDS);

            cluster.send(ExternalOffsets.deposits());
            ExternalOffsets.run(cluster.consumer("deposits"), database, 2L * ExternalOffsets.RECORDS);
            assertThat(ExternalOffsets.number(database, "select amount from balance"))
                    .isEqualTo(2L * ExternalOffsets.RECORDS);
            assertThat(ExternalOffsets.number(database, "select sum(pos) from place"))
                    .isEqualTo(2L * ExternalOffsets.RECORDS);
        } finally {
            database.dispose();
        }
    }
}
