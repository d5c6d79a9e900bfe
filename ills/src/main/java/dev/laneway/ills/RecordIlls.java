package dev.laneway.ills;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofSeconds;

import dev.laneway.ops.check.Cause;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Illnesses in which a record, or the handler that has it, does not come to an end. */
final class RecordIlls {
    private static final int PARTITIONS = 4;

    static final List<Illness> ALL = List.of(
            new Illness(
                    "stuck-member",
                    "A handler waits for ever: its member stays in the group and keeps its partitions.",
                    Cause.STUCK_MEMBER,
                    RecordIlls::stuckMember),
            new Illness(
                    "stuck-key",
                    "Records of one key never end, under Laneway: its partition's committed offset stands, other keys"
                            + " go on.",
                    Cause.STUCK_KEY,
                    RecordIlls::stuckKey),
            new Illness(
                    "poison-record",
                    "A record fails, and the member tries it again and again: the commit stands before it.",
                    Cause.POISON_RECORD,
                    RecordIlls::poisonRecord));

    private RecordIlls() {}

    /** Of two members one (mild) or both (severe); the healthy ones pause now and then. */
    private static void stuckMember(Setting setting, Strength strength) throws InterruptedException {
        setting.topic("work", PARTITIONS);
        setting.load(Load.Plan.of("work", 200));
        Map<String, Object> well = Map.of("spin-us", 3_500, "pause-every-ms", 10_000, "pause-ms", 300);
        Map<String, Object> stuck = Map.of("spin-us", 3_500, "hang-after-ms", 10_000);
        setting.member("loop", strength == Strength.SEVERE ? stuck : well);
        setting.member("loop", strength == Strength.HEALTHY ? well : stuck);
        setting.awaitMembers(2);
        setting.warmUp(ofSeconds(18));
    }

    /** One key that fails always (mild), or the handlers of three keys that wait for ever (severe). */
    private static void stuckKey(Setting setting, Strength strength) throws InterruptedException {
        setting.topic("work", PARTITIONS);
        setting.load(Load.Plan.of("work", 150).keys(100));
        String one = Load.keyOf(0, PARTITIONS);
        String three = String.join(
                ",",
                IntStream.range(0, 3)
                        .mapToObj(partition -> Load.keyOf(partition, PARTITIONS))
                        .toList());
        setting.member(
                "laneway",
                strength.<Map<String, Object>>pick(
                        Map.of("spin-us", 4_000, "concurrency", 2, "failing-keys", one),
                        Map.of("spin-us", 4_000, "concurrency", 5, "hanging-keys", three),
                        Map.of("spin-us", 4_000, "concurrency", 2)));
        setting.awaitMembers(1);
    }

    /**
     * A record that the handler refuses (mild), or one in each partition that cannot be deserialised (severe); the
     * healthy one meets records that fail once.
     */
    private static void poisonRecord(Setting setting, Strength strength) throws InterruptedException {
        setting.topic("work", PARTITIONS);
        setting.load(Load.Plan.of("work", 100));
        Map<String, Object> member = Map.of("spin-us", 4_000);
        setting.member("loop", strength == Strength.SEVERE ? Map.of("spin-us", 4_000, "strict", 1) : member);
        setting.awaitMembers(1);
        switch (strength) {
            case MILD -> put(setting, Handling.POISON, 0);
            case SEVERE -> put(setting, Handling.POISON, 0, 1, 2, 3);
            case HEALTHY -> {
                AtomicInteger next = new AtomicInteger();
                setting.every(ofSeconds(4), () -> put(setting, Handling.BITTER, next.getAndIncrement() % PARTITIONS));
            }
        }
    }

    private static void put(Setting setting, String text, Integer... partitions) {
        var _ = setting.kafka()
                .produce(Stream.of(partitions)
                        .map(partition ->
                                new ProducerRecord<>("work", partition, "ill".getBytes(UTF_8), text.getBytes(UTF_8)))
                        .toList());
    }
}
