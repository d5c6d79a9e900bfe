package dev.laneway.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.Laneway;
import dev.laneway.examples.RetriesAndDeadLetters.Bank;
import dev.laneway.testkit.EmbeddedKafka;
import io.confluent.parallelconsumer.internal.DrainingCloseable.DrainingMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is redone when a group with a stuck record goes from Parallel Consumer to Laneway, and back. */
@Timeout(180)
class RollbackTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final long RECORDS = 20;
    private static final long STUCK = 5;
    /** Base64, of which Laneway's maps have no character. */
    private static final String PARALLEL_CONSUMER = "[A-Za-z0-9+/]";

    private static final String LANEWAY = "\u4C57";

    private final EmbeddedKafka kafka = EmbeddedKafka.start();
    private final TopicPartition partition = new TopicPartition("payments", 0);
    private final Collection<Long> booked = new ConcurrentLinkedQueue<>();

    private void sendPayments(long from, long to) {
        List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (long i = from; i < to; i++) {
            byte[] amount = ByteBuffer.allocate(Long.BYTES).putLong(i).array();
            records.add(new ProducerRecord<>("payments", ("account-" + i).getBytes(StandardCharsets.UTF_8), amount));
        }
        kafka.produce(records);
    }

    private Map<String, Object> config() {
        return Map.of(
                "bootstrap.servers",
                kafka.bootstrapServers(),
                "group.id",
                "bank",
                "auto.offset.reset",
                "earliest",
                "enable.auto.commit",
                "false");
    }

    private final Bank good = (account, amount) -> booked.add(amount);

    private final Bank down = (account, amount) -> {
        if (amount == STUCK) {
            throw new IOException("the bank of " + account + " is down");
        }
        booked.add(amount);
    };

    private OffsetAndMetadata committed() {
        OffsetAndMetadata committed = kafka.committed("bank").get(partition);
        return committed == null ? new OffsetAndMetadata(0) : committed;
    }

    private Laneway ours() {
        return Laneway.consumer(config())
                .deserializers(new StringDeserializer(), new LongDeserializer())
                .subscribe("payments")
                .process(record -> down.book(record.key(), record.value()));
    }

    @Test
    @DisplayName("from Parallel Consumer nothing is redone; back to it, all beyond the committed offset is redone once")
    void thereAndBack() throws Exception {
        try (kafka) {
            kafka.createTopic("payments", 1);
            sendPayments(0, RECORDS);
            var theirs = ParallelConsumerProgram.start(config(), down);
            await().atMost(LIMIT).until(() -> booked.size() == RECORDS - 1);
            await().atMost(LIMIT).until(() -> isStuck(PARALLEL_CONSUMER));
            theirs.close(Duration.ofSeconds(10), DrainingMode.DONT_DRAIN);

            booked.clear();
            sendPayments(RECORDS, RECORDS + 1);
            try (Laneway _ = ours()) {
                await().atMost(LIMIT).until(() -> isStuck(LANEWAY));
            }
            assertThat(booked).as("booked by Laneway").containsExactly(RECORDS);

            booked.clear();
            theirs = ParallelConsumerProgram.start(config(), good);
            await().atMost(LIMIT).until(() -> committed().offset() == RECORDS + 1);
            theirs.close(Duration.ofSeconds(10), DrainingMode.DONT_DRAIN);
            assertThat(booked).as("booked by Parallel Consumer").containsExactlyInAnyOrderElementsOf(payments(STUCK));
        }
    }

    /** Whether the commit stops before the stuck record, with a map beside it that begins so. */
    private boolean isStuck(String map) {
        return committed().offset() == STUCK && committed().metadata().matches("(?s)" + map + ".*");
    }

    private static List<Long> payments(long from) {
        return LongStream.rangeClosed(from, RECORDS).boxed().toList();
    }
}
