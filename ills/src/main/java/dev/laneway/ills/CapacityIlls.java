package dev.laneway.ills;

import static java.time.Duration.ofMillis;

import dev.laneway.ops.check.Cause;
import java.util.List;
import java.util.Map;

/**
 * Illnesses in which the load and what is there to do it do not fit. A handler takes 3 ms of a processor, so one thread
 * does at most 333 records a second.
 */
final class CapacityIlls {
    private static final int PARTITIONS = 4;
    private static final Map<String, Object> MEMBER = Map.of("spin-us", 3_000);
    /** Two members are busy for a third of the time. */
    private static final int LIGHT = 240;

    static final List<Illness> ALL = List.of(
            new Illness(
                    "hot-key",
                    "One key has most of the records: its partition has more than one thread can take.",
                    Cause.HOT_KEY,
                    CapacityIlls::hotKey),
            new Illness(
                    "skewed-partitions",
                    "One partition gets most of the records, of many keys.",
                    Cause.SKEW,
                    CapacityIlls::skewedPartitions),
            new Illness(
                    "too-few-partitions",
                    "There are fewer partitions than members: one member has all the work and the others none.",
                    Cause.TOO_FEW_PARTITIONS,
                    CapacityIlls::tooFewPartitions),
            new Illness(
                    "too-few-threads",
                    "One stream thread has four tasks and is busy all the time, while processors are idle.",
                    Cause.TOO_FEW_THREADS,
                    CapacityIlls::tooFewThreads),
            new Illness(
                    "slow-external-service",
                    "Handlers wait for another service, and the lag grows while the processors are idle.",
                    Cause.EXTERNAL_CALL,
                    CapacityIlls::slowExternalService),
            new Illness(
                    "over-provisioned",
                    "Three members have next to nothing to do.",
                    Cause.OVER_PROVISIONED,
                    CapacityIlls::overProvisioned));

    private CapacityIlls() {}

    private static void hotKey(Setting setting, Strength strength) throws InterruptedException {
        setting.topic("work", PARTITIONS);
        Load.Plan even = Load.Plan.of("work", strength.pick(500, 700, LIGHT));
        setting.load(even.hotKey(strength.pick(0.6, 0.85, 0.03)));
        pair(setting, MEMBER);
    }

    private static void skewedPartitions(Setting setting, Strength strength) throws InterruptedException {
        setting.topic("work", PARTITIONS);
        Load.Plan even = Load.Plan.of("work", strength.pick(500, 700, LIGHT));
        setting.load(even.hotPartition(PARTITIONS, strength.pick(0.6, 0.85, 0.03)));
        pair(setting, MEMBER);
    }

    private static void tooFewPartitions(Setting setting, Strength strength) throws InterruptedException {
        setting.topic("work", strength.pick(1, 1, PARTITIONS));
        setting.load(Load.Plan.of("work", strength.pick(420, 650, LIGHT)));
        if (strength == Strength.SEVERE) {
            setting.member("loop", MEMBER);
        }
        pair(setting, MEMBER);
    }

    private static void tooFewThreads(Setting setting, Strength strength) throws InterruptedException {
        setting.topic("work", PARTITIONS);
        setting.load(Load.Plan.of("work", strength.pick(420, 650, LIGHT)));
        setting.member(
                "streams", Map.of("spin-us", 3_000, "kafka.num.stream.threads", strength.pick(1, 1, 2)), "-Xmx128m");
        setting.awaitMembers(1);
    }

    /** The mild one calls by HTTP, the severe one by a socket, as a driver of a database does. */
    private static void slowExternalService(Setting setting, Strength strength) throws InterruptedException {
        setting.topic("work", PARTITIONS);
        setting.load(Load.Plan.of("work", LIGHT));
        SlowService service = setting.with(new SlowService(strength.pick(ofMillis(15), ofMillis(80), ofMillis(1))));
        pair(
                setting,
                strength.<Map<String, Object>>pick(
                        Map.of("spin-us", 200, "service", service.httpPort(), "call", "http"),
                        Map.of(
                                "spin-us",
                                200,
                                "service",
                                service.socketPort(),
                                "call",
                                "socket",
                                "kafka.max.poll.records",
                                20),
                        Map.of("spin-us", 2_000, "service", service.socketPort(), "call", "socket")));
    }

    private static void overProvisioned(Setting setting, Strength strength) throws InterruptedException {
        setting.topic("work", 6);
        setting.load(Load.Plan.of("work", strength.pick(60, 6, 300)));
        setting.member("loop", MEMBER);
        setting.member("loop", MEMBER);
        setting.member("loop", MEMBER);
        setting.awaitMembers(3);
    }

    private static void pair(Setting setting, Map<String, Object> settings) throws InterruptedException {
        setting.member("loop", settings);
        setting.member("loop", settings);
        setting.awaitMembers(2);
    }
}
