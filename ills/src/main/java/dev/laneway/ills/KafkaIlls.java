package dev.laneway.ills;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import dev.laneway.cli.program.VerbFailure;
import dev.laneway.ops.check.Cause;
import dev.laneway.testkit.TcpProxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;

/** Illnesses between the group and its brokers. */
final class KafkaIlls {
    private static final Map<String, Object> MEMBER = Map.of("spin-us", 3_500);
    /** One member is busy for a third of the time. */
    private static final int RATE = 100;

    static final List<Illness> ALL = List.of(
            new Illness(
                    "throttled-client",
                    "The broker delays a member's fetches by a quota below what comes in.",
                    Cause.THROTTLED,
                    KafkaIlls::throttledClient),
            new Illness(
                    "slow-acks",
                    "A member writes an output for each record and waits for acknowledgements that come late.",
                    Cause.SLOW_ACKS,
                    KafkaIlls::slowAcks),
            new Illness(
                    "retention-overtakes",
                    "A member is too slow, and the start of the log comes up behind its commit.",
                    Cause.RETENTION_OVERTAKES,
                    KafkaIlls::retentionOvertakes),
            new Illness(
                    "sticky-one",
                    "All records of a transaction are done; the lag of 1 is its marker, which nobody can read.",
                    Cause.TRANSACTION_MARKER,
                    KafkaIlls::stickyOne),
            new Illness(
                    "broker-away",
                    "No broker answers: it is silent, or it is gone.",
                    Cause.BROKER_AWAY,
                    KafkaIlls::brokerAway));

    private KafkaIlls() {}

    private static void throttledClient(Setting setting, Strength strength) throws InterruptedException {
        setting.topic("work", 2);
        setting.load(Load.Plan.of("work", RATE).bytes(6_000));
        setting.member("loop", Map.of("spin-us", 3_500, "kafka.max.partition.fetch.bytes", 65_536));
        setting.awaitMembers(1);
        double quota = strength.pick(400_000.0, 100_000.0, 50e6);
        ClientQuotaEntity client = new ClientQuotaEntity(Map.of(ClientQuotaEntity.CLIENT_ID, "member-1"));
        try {
            setting.kafka()
                    .admin()
                    .alterClientQuotas(List.of(new ClientQuotaAlteration(
                            client, List.of(new ClientQuotaAlteration.Op("consumer_byte_rate", quota)))))
                    .all()
                    .get();
        } catch (ExecutionException refused) {
            throw new VerbFailure("cannot set a quota: " + refused.getCause(), refused);
        }
    }

    /** The mild one flushes after each poll, the severe one waits for each record. */
    private static void slowAcks(Setting setting, Strength strength) throws InterruptedException {
        setting.topic("work", 2);
        setting.kafka().createTopic("done", 2);
        setting.load(Load.Plan.of("work", RATE));
        Duration each = strength.pick(ofMillis(50), ofMillis(40), Duration.ZERO);
        setting.network().all(proxy -> proxy.delay(each));
        Map<String, Object> output = Map.of(
                "spin-us",
                3_500,
                "output",
                "done",
                "output-bootstrap",
                setting.network().bootstrapServers());
        Map<String, Object> how = strength.pick(
                Map.of("kafka.max.poll.records", 5),
                Map.of("kafka.max.poll.records", 20, "wait-for-each", 1),
                Map.of("kafka.max.poll.records", 50));
        Map<String, Object> member = new java.util.HashMap<>(output);
        member.putAll(how);
        setting.member("loop", member);
        setting.awaitMembers(1);
    }

    /** It comes up (mild), or has overtaken it (severe); the healthy one keeps up with the same retention. */
    private static void retentionOvertakes(Setting setting, Strength strength) throws InterruptedException {
        setting.topic(
                "work", 2, Map.of("retention.ms", strength.pick("25000", "12000", "25000"), "segment.ms", "1000"));
        setting.load(Load.Plan.of("work", strength.pick(320, 800, RATE)));
        setting.member("loop", Map.of("spin-us", 4_000));
        setting.awaitMembers(1);
        setting.warmUp(ofSeconds(27));
    }

    /** In one partition (mild) or in all (severe); the healthy one's records came without a transaction. */
    private static void stickyOne(Setting setting, Strength strength) throws InterruptedException {
        setting.topic("work", 2);
        setting.topic("paid", 3);
        setting.load(Load.Plan.of("work", RATE));
        setting.member("loop", Map.of("spin-us", 3_500, "topics", "work,paid"));
        setting.awaitMembers(1);
        int partitions = strength.pick(1, 3, 3);
        if (strength == Strength.HEALTHY) {
            try (Producer<byte[], byte[]> producer = setting.kafka().producer(Map.of())) {
                pay(producer, partitions);
            }
            return;
        }
        try (Producer<byte[], byte[]> producer = setting.kafka().producer(Map.of("transactional.id", "payer"))) {
            producer.initTransactions();
            producer.beginTransaction();
            pay(producer, partitions);
            producer.commitTransaction();
        }
    }

    private static void pay(Producer<byte[], byte[]> producer, int partitions) {
        for (int i = 0; i < 10 * partitions; i++) {
            var _ = producer.send(new ProducerRecord<>(
                    "paid", i % partitions, ("order-" + i).getBytes(UTF_8), "paid".getBytes(UTF_8)));
        }
        producer.flush();
    }

    /**
     * The network swallows everything (mild), or the broker was killed (severe); the healthy one is away for a moment.
     */
    private static void brokerAway(Setting setting, Strength strength) throws InterruptedException {
        setting.topic("work", 2);
        setting.load(Load.Plan.of("work", RATE));
        setting.exposeNetwork();
        setting.member("loop", setting.network().bootstrapServers(), MEMBER);
        setting.awaitMembers(1);
        switch (strength) {
            case MILD -> setting.network().all(TcpProxy::cut);
            case SEVERE -> setting.kafka().kill(1);
            case HEALTHY -> {
                setting.network().all(TcpProxy::cut);
                Thread.sleep(500);
                setting.network().all(TcpProxy::heal);
            }
        }
    }
}
