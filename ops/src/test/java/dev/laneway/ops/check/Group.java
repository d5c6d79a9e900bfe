package dev.laneway.ops.check;

import dev.laneway.ops.observe.Observations;
import java.util.Arrays;
import java.util.Locale;

/**
 * A group as the Admin API and its members' processes would tell it, made by hand for tests: five looks, 10 s apart.
 */
final class Group {
    static final int LOOKS = 5;

    private final Seen seen;
    private int parts;

    private Group(Seen seen) {
        this.seen = seen;
    }

    static Group stable(int members) {
        Group group = new Group(Seen.of("admin"));
        group.seen.number("group", "members", values(members, 0));
        group.seen.text("group", "group", "", "shop").text("group", "state", "", "Stable");
        for (int i = 0; i < members; i++) {
            group.member("m" + i, "c" + i, "");
        }
        return group;
    }

    Group state(String state) {
        seen.text("group", "state", "", state);
        return this;
    }

    /** Its state at each look. */
    Group states(String... states) {
        seen.and("admin").texts("group", "state", "", states);
        return this;
    }

    Group member(String id, String clientId, String instanceId) {
        seen.and("admin")
                .number(
                        "group-member",
                        "assigned-partitions",
                        "member-id=" + id + ",client-id=" + clientId + ",host=/127.0.0.1,instance-id=" + instanceId,
                        values(1, 0));
        return this;
    }

    /** The next partition: what it has at first, and by how much both grow from look to look. */
    Group partition(String member, double committed, double done, double end, double appended) {
        String tags = "topic=t,partition=" + parts++;
        double[] ends = values(end, appended);
        double[] commits = values(committed, done);
        double[] lags = new double[LOOKS];
        Arrays.setAll(lags, i -> ends[i] - commits[i]);
        seen.and("admin")
                .number("group-partition", "committed", tags, commits)
                .number("group-partition", "end", tags, ends)
                .number("group-partition", "start", tags, values(0, 0))
                .number("group-partition", "lag", tags, lags)
                .text("group-partition", "status", tags, "OK")
                .text("group-partition", "member", tags, member);
        return this;
    }

    /** More of the latest partition. */
    Group more(String name, double first, double step) {
        seen.and("admin").number("group-partition", name, "topic=t,partition=" + (parts - 1), values(first, step));
        return this;
    }

    /** The next partition, with what is committed, and where it ends, at each look. */
    Group commits(String member, double[] committed, double[] ends) {
        partition(member, 0, 0, 0, 0);
        double[] lags = new double[LOOKS];
        Arrays.setAll(lags, i -> ends[i] - committed[i]);
        String tags = "topic=t,partition=" + (parts - 1);
        seen.number("group-partition", "committed", tags, committed)
                .number("group-partition", "end", tags, ends)
                .number("group-partition", "lag", tags, lags);
        return this;
    }

    /** What a consumer says that it has yet to read of a partition: at first, and by how much it grows. */
    Group unread(int number, int partition, double first, double step) {
        return told(
                number,
                ClientPicture.FETCHER,
                "records-lag",
                "client-id=c" + number + ",topic=t,partition=" + partition,
                first,
                step);
    }

    /** Records that a consumer is given from look to look. */
    Group given(int number, double step) {
        return client(number, ClientPicture.FETCHER, "records-consumed-total", 0, step);
    }

    /** A consumer in a process of its own, {@code pid 0} and so on; idle is the true share of its time. */
    Group consumer(int number, double idle, double assigned) {
        String client = "client-id=c" + number;
        seen.and("pid " + number)
                .number("consumer-metrics", "last-poll-seconds-ago", client, values(0, 0))
                .number("consumer-metrics", "time-between-poll-max", client, values(200, 0))
                .number("consumer-metrics", "poll-idle-ratio-avg", client, values(idle / (1 + idle), 0))
                .number("consumer-metrics", "connection-count", client, values(2, 0))
                .number("consumer-coordinator-metrics", "rebalance-total", client, values(1, 0))
                .number("consumer-coordinator-metrics", "last-heartbeat-seconds-ago", client, values(1, 0))
                .number("consumer-coordinator-metrics", "assigned-partitions", client, values(assigned, 0))
                .number("jvm", "available-processors", values(4, 0))
                .number("jvm", "process-cpu-ns-total", values(0, 4e9));
        return this;
    }

    /** Something that a process told. */
    Group told(int number, String group, String name, String tags, double first, double step) {
        seen.and("pid " + number).number(group, name, tags, values(first, step));
        return this;
    }

    /** Something that a client told. */
    Group client(int number, String group, String name, double first, double step) {
        return told(number, group, name, "client-id=c" + number, first, step);
    }

    /** Rebalances that a client had taken part in, at each look. */
    Group rebalances(int number, double... totals) {
        seen.and("pid " + number)
                .number("consumer-coordinator-metrics", "rebalance-total", "client-id=c" + number, totals);
        return this;
    }

    Group text(String source, String group, String name, String tags, String value) {
        seen.and(source).text(group, name, tags, value);
        return this;
    }

    /** A number that stays, or its values at the first looks; NaN is one that is not known then. */
    Group number(String source, String group, String name, String tags, double... values) {
        double[] all = values.length == 1 ? values(values[0], 0) : values;
        seen.and(source).number(group, name, tags, all);
        return this;
    }

    Observations seen() {
        seen.and("admin").number("group", "partitions", values(parts, 0));
        return seen.seen();
    }

    CheckResult judged() {
        return GroupCheck.judge(seen(), Thresholds.USUAL);
    }

    static String words(CheckResult result) {
        return result.outcome().name().toLowerCase(Locale.ROOT)
                + (result.cause() == null ? "" : " " + result.cause().name());
    }

    private static double[] values(double first, double step) {
        double[] values = new double[LOOKS];
        Arrays.setAll(values, i -> first + i * step);
        return values;
    }
}
