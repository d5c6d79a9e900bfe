package dev.laneway.ills;

import dev.laneway.ops.check.Cause;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Illnesses of heaps and of the state of Kafka Streams. */
final class MemoryIlls {
    static final List<Illness> ALL = List.of(
            new Illness(
                    "long-gc",
                    "Handlers make garbage that a tiny young generation cannot hold: collections take much of the"
                            + " time, though the heap has room.",
                    Cause.GC,
                    MemoryIlls::longGc),
            new Illness(
                    "small-heap",
                    "The heap is nearly full of what lives: full collections follow one another.",
                    Cause.SMALL_HEAP,
                    MemoryIlls::smallHeap),
            new Illness(
                    "small-block-cache",
                    "State is read from disk, directly, since the block cache holds next to nothing of it.",
                    Cause.READ_MEMORY,
                    MemoryIlls::smallBlockCache),
            new Illness(
                    "small-write-buffer",
                    "State is written to disk in tiny pieces, which are compacted all the time.",
                    Cause.WRITE_MEMORY,
                    MemoryIlls::smallWriteBuffer),
            new Illness(
                    "state-in-tmp",
                    "State lies in the directory for temporary files.",
                    Cause.STATE_IN_TMP,
                    MemoryIlls::stateInTmp),
            new Illness(
                    "standby-restoring",
                    "An instance restores its state from the changelog over a thin network.",
                    Cause.RESTORING,
                    MemoryIlls::standbyRestoring));

    private MemoryIlls() {}

    private static void longGc(Setting setting, Strength strength) throws InterruptedException {
        setting.topic("work", 2);
        setting.load(Load.Plan.of("work", strength.pick(190, 320, 100)));
        setting.member(
                "loop",
                Map.of(
                        "spin-us", strength.pick(3_500, 1_000, 3_000),
                        "garbage-kb", strength.pick(2_600, 3_000, 200),
                        "surviving-kb", strength.pick(600, 600, 128),
                        "live-mb", 90),
                "-Xmx192m",
                "-Xms192m",
                "-Xmn" + strength.pick("1m", "1m", "64m"));
        setting.awaitMembers(1);
    }

    private static void smallHeap(Setting setting, Strength strength) throws InterruptedException {
        setting.topic("work", 2);
        setting.load(Load.Plan.of("work", strength.pick(200, 250, 100)));
        setting.member(
                "loop",
                Map.of(
                        "spin-us",
                        3_000,
                        "garbage-kb",
                        strength.pick(800, 1_000, 200),
                        "surviving-kb",
                        strength.pick(700, 256, 128),
                        "live-mb",
                        strength.pick(59, 60, 59)),
                "-Xmx" + strength.pick("64m", "64m", "160m"),
                "-Xms" + strength.pick("64m", "64m", "160m"),
                "-Xmn" + strength.pick("4m", "4m", "32m"));
        setting.awaitMembers(1);
    }

    /** Of 60 MB of state the block cache holds 1 MB (mild), a quarter of that (severe), or all. */
    private static void smallBlockCache(Setting setting, Strength strength) throws InterruptedException {
        setting.topic("work", 2);
        setting.load(Load.Plan.of("work", strength.pick(1_300, 1_500, 150)));
        Map<String, Object> member = new LinkedHashMap<>(Map.of(
                "store", "unlogged",
                "filled", 1,
                "keys", 60_000,
                "bytes", 1_000,
                "reads", strength.pick(30, 40, 20),
                "direct-reads", 1,
                "block-cache-kb", strength.pick(1 << 10, 256, 96 << 10)));
        member.put("spin-us", strength.pick(100, 100, 2_000));
        setting.member("streams", member, "-Xmx160m");
        setting.awaitMembers(1);
    }

    private static void smallWriteBuffer(Setting setting, Strength strength) throws InterruptedException {
        setting.topic("work", 2);
        setting.load(Load.Plan.of("work", strength.pick(1_500, 1_500, 100)));
        Map<String, Object> member = new LinkedHashMap<>(Map.of(
                "store",
                "unlogged",
                "keys",
                20_000,
                "bytes",
                1_000,
                "writes",
                strength.pick(40, 30, 10),
                "write-buffer-kb",
                strength.pick(128, 64, 16 << 10)));
        member.put("spin-us", strength.pick(50, 50, 3_000));
        setting.member("streams", member, "-Xmx160m");
        setting.awaitMembers(1);
    }

    /** Where it is if nobody says (mild), or where somebody says (severe). */
    private static void stateInTmp(Setting setting, Strength strength) throws InterruptedException {
        setting.topic("work", 2);
        setting.load(Load.Plan.of("work", 120));
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        Path usual = temporary.resolve("kafka-streams");
        Path chosen = temporary.resolve("laneway-ill-" + ProcessHandle.current().pid());
        Map<String, Object> member = new LinkedHashMap<>(
                Map.of("store", "logged", "keys", 1_000, "reads", 1, "writes", 1, "spin-us", 3_000));
        switch (strength) {
            case MILD -> {
                member.put("usual-state-dir", 1);
                boolean isShared = Files.exists(usual);
                setting.with(() -> Setting.delete(isShared ? usual.resolve(setting.group()) : usual));
            }
            case SEVERE -> {
                member.put("state-dir", chosen);
                setting.with(() -> Setting.delete(chosen));
            }
            case HEALTHY -> {}
        }
        setting.member("streams", member, "-Xmx128m");
        setting.awaitMembers(1);
    }

    /** A standby on a second instance (mild), or the tasks that are to process (severe). */
    private static void standbyRestoring(Setting setting, Strength strength) throws InterruptedException {
        setting.topic("work", 2);
        String changelog = StreamsMember.changelog(setting.group());
        setting.kafka().createTopic(changelog, 2, 1, Map.of("cleanup.policy", "compact"));
        int records = strength.pick(60_000, 60_000, 200);
        Load.fill(setting.bootstrap(), Load.Plan.of(changelog, 0).keys(records).bytes(1_000), records);
        setting.load(Load.Plan.of("work", 120));
        Map<String, Object> member = Map.of(
                "store", "logged", "keys", 1_000, "writes", 1, "spin-us", 5_000, "kafka.num.standby.replicas", 1);
        if (strength != Strength.HEALTHY) {
            setting.network().all(proxy -> proxy.throttle(400_000));
        }
        if (strength == Strength.SEVERE) {
            setting.member("streams", setting.network().bootstrapServers(), member, "-Xmx128m");
            return;
        }
        setting.member("streams", member, "-Xmx128m");
        setting.awaitMembers(1);
        setting.member("streams", setting.network().bootstrapServers(), member, "-Xmx128m");
        setting.awaitMembers(2);
    }
}
