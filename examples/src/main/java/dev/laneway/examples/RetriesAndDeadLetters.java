package dev.laneway.examples;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dev.laneway.Backoff;
import dev.laneway.BrokerException;
import dev.laneway.DeadLetterHeaders;
import dev.laneway.FailurePolicy;
import dev.laneway.Laneway;
import dev.laneway.RecordFailedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Books payments. A bank that is away is asked again, each time after a longer delay. A payment that the bank refuses,
 * or that cannot be read, is not worth a second attempt. What is given up goes to a dead-letter topic, as it came, with
 * headers that say why.
 */
final class RetriesAndDeadLetters {
    private static final Logger log = LoggerFactory.getLogger(RetriesAndDeadLetters.class);
    private static final String TOPIC = "payments";
    private static final String DEAD_LETTERS = "payments.dlq";

    /** Where payments are booked. */
    interface Bank {
        /**
         * Books an amount.
         *
         * @throws IOException when the bank is away: a later attempt may succeed
         * @throws IllegalArgumentException when the bank refuses the payment: no attempt will succeed
         */
        void book(String account, long amount) throws IOException;
    }

    /** What the dead-letter topic tells of a payment. */
    record DeadLetter(String account, int valueBytes, String reason, String attempts) {}

    private RetriesAndDeadLetters() {}

    static Laneway start(Map<String, Object> kafkaConfig, Bank bank) {
        FailurePolicy giveUp = FailurePolicy.deadLetter(DEAD_LETTERS);
        FailurePolicy policy = FailurePolicy.retry(Backoff.exponential(ofMillis(20), ofSeconds(1)), 4)
                .thenDeadLetter(DEAD_LETTERS)
                .on(IllegalArgumentException.class, giveUp);
        return Laneway.consumer(kafkaConfig)
                .deserializers(new StringDeserializer(), new LongDeserializer())
                .subscribe(TOPIC)
                .onFailure(policy)
                .process(record -> bank.book(record.key(), record.value()));
    }

    /**
     * Starts the consumer again after a pause, whenever a record or the brokers have stopped it, until it is closed.
     *
     * @param closed ends a pause, and with it the loop
     */
    static void keepRunning(Map<String, Object> kafkaConfig, Bank bank, Duration pause, CountDownLatch closed)
            throws InterruptedException {
        while (true) {
            try (Laneway laneway = start(kafkaConfig, bank)) {
                laneway.awaitTermination();
                return; // It was closed.
            } catch (RecordFailedException | BrokerException stopped) {
                log.error("the consumer stopped and starts again in {} s", pause.toSeconds(), stopped);
                if (closed.await(pause.toMillis(), MILLISECONDS)) {
                    return;
                }
            }
        }
    }

    /** A bank with one account whose line is bad and one whose line is dead. It allows no withdrawals. */
    static final class SmallBank implements Bank {
        private final Map<String, Long> balances = new ConcurrentHashMap<>();
        private final Map<String, Integer> calls = new ConcurrentHashMap<>();

        @Override
        public void book(String account, long amount) throws IOException {
            int call = calls.merge(account, 1, Integer::sum);
            if (amount < 0) {
                throw new IllegalArgumentException("amount " + amount + " is negative");
            }
            boolean answers = !account.equals("dead-line") && (!account.equals("bad-line") || call >= 3);
            if (!answers) {
                throw new IOException("no answer from " + account);
            }
            balances.merge(account, amount, Long::sum);
        }

        Map<String, Long> balances() {
            return Map.copyOf(balances);
        }

        int calls(String account) {
            return calls.getOrDefault(account, 0);
        }
    }

    /** Sends payments, three of which are given up, and returns what the dead-letter topic then holds. */
    static List<DeadLetter> run(Cluster cluster, Bank bank) throws Exception {
        cluster.createTopics(TOPIC, DEAD_LETTERS);
        cluster.send(List.of(
                payment("good-line", 100),
                payment("good-line", -1),
                payment("good-line", 200),
                payment("bad-line", 300),
                payment("dead-line", 400),
                Cluster.text(TOPIC, "unreadable", "not a long")));
        try (Laneway laneway = start(cluster.consumer("payments-to-bank"), bank)) {
            List<DeadLetter> letters = read(cluster.consumer("dead-letters"), 3, ofSeconds(60));
            laneway.drain(ofSeconds(10));
            return letters;
        }
    }

    public static void main(String... args) throws Exception {
        SmallBank bank = new SmallBank();
        try (Cluster cluster = Cluster.from(args)) {
            run(cluster, bank).forEach(System.out::println);
            System.out.println("booked: " + bank.balances());
        }
    }

    private static ProducerRecord<String, byte[]> payment(String account, long amount) {
        return new ProducerRecord<>(
                TOPIC, account, ByteBuffer.allocate(Long.BYTES).putLong(amount).array());
    }

    private static List<DeadLetter> read(Map<String, Object> kafkaConfig, int count, Duration limit) throws Exception {
        List<DeadLetter> letters = new ArrayList<>();
        long start = System.nanoTime();
        try (var consumer = new KafkaConsumer<>(kafkaConfig, new StringDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(DEAD_LETTERS));
            while (letters.size() < count) {
                if (System.nanoTime() - start > limit.toNanos()) {
                    throw new TimeoutException("found " + letters + " but " + count + " were expected");
                }
                consumer.poll(ofMillis(100)).forEach(record -> letters.add(deadLetter(record)));
            }
        }
        return letters;
    }

    private static DeadLetter deadLetter(ConsumerRecord<String, byte[]> record) {
        return new DeadLetter(
                record.key(),
                record.value().length,
                header(record, DeadLetterHeaders.REASON),
                header(record, DeadLetterHeaders.ATTEMPTS));
    }

    private static String header(ConsumerRecord<?, ?> record, String name) {
        return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }
}
