package dev.laneway.ills;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import dev.laneway.cli.program.Jvm;
import dev.laneway.ops.check.Cause;
import dev.laneway.testkit.TcpProxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Illnesses in which members come and go. A handler takes 5 ms, and two members are busy for a third of the time. */
final class MembershipIlls {
    private static final int PARTITIONS = 4;
    private static final int RATE = 120;
    private static final Map<String, Object> MEMBER = Map.of("spin-us", 5_000);

    static final List<Illness> ALL = List.of(
            new Illness(
                    "poll-interval-exceeded",
                    "A member takes longer between two polls than max.poll.interval.ms and is put out of its group,"
                            + " again and again.",
                    Cause.POLL_INTERVAL_EXCEEDED,
                    MembershipIlls::pollIntervalExceeded),
            new Illness(
                    "session-timeout",
                    "A member's network is slow, and away for longer than session.timeout.ms again and again.",
                    Cause.SESSION_TIMEOUT,
                    MembershipIlls::sessionTimeout),
            new Illness(
                    "rebalance-storm",
                    "A member leaves and joins again and again, and all rebalance.",
                    Cause.REBALANCE_STORM,
                    MembershipIlls::rebalanceStorm),
            new Illness(
                    "static-member-gone",
                    "A static member was killed, and keeps its partitions until its session of five minutes ends.",
                    Cause.STATIC_MEMBER_GONE,
                    MembershipIlls::staticMemberGone));

    private MembershipIlls() {}

    /** A member that pauses now and then for longer (mild), or whose every batch takes longer (severe). */
    private static void pollIntervalExceeded(Setting setting, Strength strength) throws InterruptedException {
        setting.topic("work", PARTITIONS);
        if (strength == Strength.SEVERE) { // Else batches would be too small to take long.
            Load.fill(setting.bootstrap(), Load.Plan.of("work", 0), 4_000);
        }
        setting.load(Load.Plan.of("work", strength.pick(RATE, 190, RATE)));
        Map<String, Object> late = strength.pick(
                Map.of(
                        "spin-us", 5_000,
                        "pause-every-ms", 10_000,
                        "pause-ms", 4_000,
                        "kafka.max.poll.interval.ms", 3_000),
                Map.of("spin-us", 8_000, "kafka.max.poll.records", 500, "kafka.max.poll.interval.ms", 3_000),
                Map.of(
                        "spin-us", 5_000,
                        "pause-every-ms", 10_000,
                        "pause-ms", 300,
                        "kafka.max.poll.interval.ms", 3_000));
        setting.member("loop", MEMBER);
        setting.awaitMembers(1);
        setting.member("loop", late);
    }

    private static void sessionTimeout(Setting setting, Strength strength) throws InterruptedException {
        setting.topic("work", PARTITIONS);
        setting.load(Load.Plan.of("work", RATE));
        Map<String, Object> member =
                Map.of("spin-us", 5_000, "kafka.session.timeout.ms", 2_000, "kafka.heartbeat.interval.ms", 600);
        setting.member("loop", member);
        setting.member("loop", setting.network().bootstrapServers(), member);
        setting.awaitMembers(2);
        Duration each = strength.pick(ofMillis(400), ofMillis(400), ofMillis(10));
        Duration away = strength.pick(ofSeconds(3), ofSeconds(4), ofMillis(300));
        setting.network().all(proxy -> proxy.delay(each));
        setting.every(strength.pick(ofSeconds(12), ofSeconds(7), ofSeconds(8)), () -> {
            setting.network().all(TcpProxy::cut);
            Thread.sleep(away);
            setting.network().all(proxy -> proxy.heal().delay(each));
        });
        setting.warmUp(ofSeconds(20));
    }

    private static void rebalanceStorm(Setting setting, Strength strength) throws InterruptedException {
        setting.topic("work", PARTITIONS);
        setting.load(Load.Plan.of("work", RATE));
        setting.member("loop", MEMBER);
        setting.awaitMembers(1);
        Map<String, Object> restless = new HashMap<>(MEMBER);
        if (strength != Strength.HEALTHY) {
            restless.put("stay-ms", strength.pick(4_000, 1_000, 0));
        }
        setting.member("loop", restless);
    }

    /** Of three members one (mild) or two (severe). */
    private static void staticMemberGone(Setting setting, Strength strength) throws InterruptedException {
        setting.topic("work", 6);
        setting.load(Load.Plan.of("work", RATE * 3 / 2));
        Jvm second = member(setting, "b");
        Jvm third = member(setting, "c");
        member(setting, "a");
        setting.awaitMembers(3);
        if (strength != Strength.HEALTHY) {
            third.kill();
        }
        if (strength == Strength.SEVERE) {
            second.kill();
        }
    }

    private static Jvm member(Setting setting, String instance) {
        return setting.member(
                "loop",
                Map.of(
                        "spin-us", 5_000,
                        "kafka.group.instance.id", instance,
                        "kafka.session.timeout.ms", 300_000));
    }
}
