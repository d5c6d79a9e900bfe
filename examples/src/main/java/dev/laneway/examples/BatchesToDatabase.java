package dev.laneway.examples;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import dev.laneway.BatchOutcome;
import dev.laneway.Laneway;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.h2.jdbcx.JdbcConnectionPool;

/**
 * Writes records to a database, many with one statement and one transaction. A record may come again after a crash, so
 * the row's primary key is the record's place in the log: a second write finds the row and changes nothing.
 */
final class BatchesToDatabase {
    static final int RECORDS = 5_000;
    private static final String TOPIC = "measurements";
    private static final int CONNECTIONS = 4;

    private static final String CREATE = """
        create table if not exists measurement (
            topic varchar not null, part int not null, pos bigint not null, sensor varchar not null,
            reading varchar not null,
            primary key (topic, part, pos))\
        """;
    private static final String WRITE =
            "merge into measurement (topic, part, pos, sensor, reading) key (topic, part, pos) values (?, ?, ?, ?, ?)";

    private BatchesToDatabase() {}

    /** The concurrency is that of the connection pool: more batches at once would only wait for a connection. */
    static Laneway start(Map<String, Object> kafkaConfig, DataSource database) {
        return Laneway.consumer(kafkaConfig)
                .deserializers(new StringDeserializer(), new StringDeserializer())
                .subscribe(TOPIC)
                .concurrency(CONNECTIONS)
                .processBatch(500, ofMillis(20), records -> {
                    write(database, records);
                    return BatchOutcome.done();
                });
    }

    /** All or nothing: when it throws, every record of the batch is tried again. */
    private static void write(DataSource database, List<ConsumerRecord<String, String>> records) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement statement = connection.prepareStatement(WRITE)) {
            connection.setAutoCommit(false);
            for (ConsumerRecord<String, String> record : records) {
                statement.setString(1, record.topic());
                statement.setInt(2, record.partition());
                statement.setLong(3, record.offset());
                statement.setString(4, record.key());
                statement.setString(5, record.value());
                statement.addBatch();
            }
            statement.executeBatch();
            connection.commit();
        }
    }

    static JdbcConnectionPool database() throws SQLException {
        JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:mem:measurements;DB_CLOSE_DELAY=-1", "sa", "");
        pool.setMaxConnections(CONNECTIONS + 1);
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(CREATE);
        }
        return pool;
    }

    static int rows(DataSource database) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet counted = statement.executeQuery("select count(*) from measurement")) {
            counted.next();
            return counted.getInt(1);
        }
    }

    /** Writes all records of the topic to the database. */
    static void run(Map<String, Object> kafkaConfig, DataSource database, int expected) throws Exception {
        try (Laneway laneway = start(kafkaConfig, database)) {
            Cluster.awaitProcessed(laneway, expected, ofSeconds(60));
            laneway.drain(ofSeconds(10));
        }
    }

    public static void main(String... args) throws Exception {
        JdbcConnectionPool database = database();
        try (Cluster cluster = Cluster.from(args)) {
            cluster.createTopics(TOPIC);
            cluster.send(measurements());
            run(cluster.consumer("measurements-to-database"), database, RECORDS);
            System.out.println(rows(database) + " rows");
        } finally {
            database.dispose();
        }
    }

    static List<ProducerRecord<String, byte[]>> measurements() {
        return IntStream.range(0, RECORDS)
                .mapToObj(i -> Cluster.text(TOPIC, "sensor-" + i % 100, String.valueOf(i)))
                .toList();
    }
}
