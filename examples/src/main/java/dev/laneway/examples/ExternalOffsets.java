package dev.laneway.examples;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import dev.laneway.stream.ConsumerSettings;
import dev.laneway.stream.Control;
import dev.laneway.stream.KafkaSource;
import dev.laneway.stream.PartitionStream;
import dev.laneway.stream.Subscription;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.h2.jdbcx.JdbcConnectionPool;
import org.jspecify.annotations.Nullable;

/**
 * Keeps offsets in the database, beside the results and in the same transaction: after a crash the stream goes on where
 * the results end, so that each record counts exactly once. Nothing is committed to Kafka.
 */
final class ExternalOffsets {
    static final int RECORDS = 3_000;
    private static final String TOPIC = "deposits";

    private static final List<String> CREATE = List.of(
            "create table if not exists balance (amount bigint not null)",
            "insert into balance (amount) values (0)",
            "create table if not exists place (part int primary key, pos bigint not null)");

    private final DataSource database;
    private final long until;
    private final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();

    /** @param until the balance at which the example ends */
    ExternalOffsets(DataSource database, long until) {
        this.database = database;
        this.until = until;
    }

    Control start(Map<String, Object> kafkaConfig) {
        var settings = ConsumerSettings.of(kafkaConfig, new StringDeserializer(), new StringDeserializer());
        return KafkaSource.partitioned(settings, Subscription.topics(TOPIC), this::places, partitions -> {})
                .mapAsyncUnordered(1_000, this::run)
                .run();
    }

    /** Where each partition goes on. A database may take its time: the consumer does not wait for it. */
    private CompletionStage<Map<TopicPartition, Long>> places(Set<TopicPartition> partitions) {
        return CompletableFuture.supplyAsync(() -> {
            Map<TopicPartition, Long> places = new HashMap<>();
            for (TopicPartition partition : partitions) {
                places.put(partition, number("select pos from place where part = " + partition.partition()));
            }
            return places;
        });
    }

    private CompletionStage<TopicPartition> run(PartitionStream<ConsumerRecord<String, String>> stream) {
        return stream.source()
                .groupedWithin(500, ofMillis(20))
                .map(this::write)
                .run()
                .completion()
                .thenApply(nothing -> stream.partition());
    }

    /** Results and place in one transaction. */
    private int write(List<ConsumerRecord<String, String>> records) {
        try (Connection connection = database.getConnection();
                PreparedStatement add = connection.prepareStatement("update balance set amount = amount + ?");
                PreparedStatement move =
                        connection.prepareStatement("merge into place (part, pos) key (part) values (?, ?)")) {
            connection.setAutoCommit(false);
            add.setLong(
                    1,
                    records.stream()
                            .mapToLong(record -> Long.parseLong(record.value()))
                            .sum());
            add.executeUpdate();
            move.setInt(1, records.getLast().partition());
            move.setLong(2, records.getLast().offset() + 1);
            move.executeUpdate();
            connection.commit();
        } catch (SQLException failure) {
            throw new IllegalStateException("the deposits could not be written", failure);
        }
        if (number("select amount from balance") == until) {
            done.complete(null);
        }
        return records.size();
    }

    private long number(String query) {
        return number(database, query);
    }

    /** The first number that the query finds; 0 when it finds none. */
    static long number(DataSource database, String query) {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(query)) {
            return found.next() ? found.getLong(1) : 0;
        } catch (SQLException failure) {
            throw new IllegalStateException("the database does not answer " + query, failure);
        }
    }

    static JdbcConnectionPool database() throws SQLException {
        JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:mem:deposits;DB_CLOSE_DELAY=-1", "sa", "");
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            for (String create : CREATE) {
                statement.execute(create);
            }
        }
        return pool;
    }

    /** Adds up deposits until the balance is reached. */
    static void run(Map<String, Object> kafkaConfig, DataSource database, long until) throws Exception {
        ExternalOffsets deposits = new ExternalOffsets(database, until);
        Control control = deposits.start(kafkaConfig);
        deposits.done.get(60, TimeUnit.SECONDS);
        control.drainAndShutdown(ofSeconds(10)).toCompletableFuture().join();
    }

    public static void main(String... args) throws Exception {
        JdbcConnectionPool database = database();
        try (Cluster cluster = Cluster.from(args)) {
            cluster.createTopics(TOPIC);
            cluster.send(deposits());
            run(cluster.consumer("deposits-to-database"), database, RECORDS);
            System.out.println("balance " + number(database, "select amount from balance"));
        } finally {
            database.dispose();
        }
    }

    static List<ProducerRecord<String, byte[]>> deposits() {
        return IntStream.range(0, RECORDS)
                .mapToObj(i -> Cluster.text(TOPIC, "account-" + i % 100, "1"))
                .toList();
    }
}
