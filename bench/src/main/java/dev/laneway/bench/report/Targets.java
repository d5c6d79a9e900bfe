package dev.laneway.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The targets P1 to P17, and how late what is delayed may be. */
final class Targets {
    static final List<Target> ALL = all();

    /** The figures of workloads that targets read. */
    static final List<String> FIGURES = List.of(
            "share_of_little",
            "cpu_ns_per_record",
            "received_per_delivered",
            "above_budget_mib",
            "share_of_free",
            "others_done_share",
            "metadata_chars",
            "refill_share_of_bare",
            "share_not_repeated",
            "first_new_s",
            "done_share",
            "late_p99_ms");

    private static final List<String> HEADER = List.of("id", "what", "must", "goal", "measured", "met");

    private Targets() {}

    private static List<Target> all() {
        List<Target> all = new ArrayList<>();
        for (String topic : List.of("t512", "t100")) {
            String id = "P1 " + topic;
            all.add(ofBare(id + " key", "no-op by key / the better bare loop", 0.75, topic, "laneway"));
            all.add(ofBare(
                    id + " unordered", "no-op unordered / the better bare loop", 0.8, topic, "laneway-unordered"));
            all.add(ofBare(
                    id + " partition", "no-op by partition / the better bare loop", 0.9, topic, "laneway-partition"));
        }
        all.add(new Target(
                "P2",
                "one hot key: records/s",
                200_000,
                1_000_000,
                Target.of("hot-key", "hot", "laneway", row -> row.result().rate())));
        all.add(new Target(
                "P3 100",
                "10 ms, 100 keys x 100: share of Little's law",
                0.95,
                0.99,
                Target.of("ordering", "key-100", "laneway", Target.figure("share_of_little"))));
        all.add(new Target(
                "P3 1000",
                "10 ms, 1,000 at once: share of Little's law",
                0.95,
                0.99,
                Target.of("many-keys", "wait-1000", "laneway", Target.figure("share_of_little"))));
        all.add(new Target(
                "P4",
                "10 ms, 10,000 at once, 100,000 keys: records/s",
                500_000,
                900_000,
                Target.of(
                        "many-keys",
                        "wait-10000",
                        "laneway",
                        row -> row.result().rate())));
        all.add(times("P5 no-op key", "no-op by key / Parallel Consumer", 20, 50, "laneway", "parallel-consumer"));
        all.add(times(
                "P5 no-op unordered",
                "no-op unordered / Parallel Consumer",
                20,
                50,
                "laneway-unordered",
                "parallel-consumer-unordered"));
        all.add(times(
                "P5 no-op partition",
                "no-op by partition / Parallel Consumer",
                20,
                50,
                "laneway-partition",
                "parallel-consumer-partition"));
        all.add(new Target(
                "P5 10 ms key",
                "10 ms, 100 keys x 100 / Parallel Consumer",
                5,
                8,
                Target.times("ordering", "key-100", "laneway", "parallel-consumer")));
        all.add(new Target(
                "P5 10 ms unordered",
                "10 ms unordered, 100 at once / Parallel Consumer",
                1.2,
                1.25,
                Target.times("ordering", "unordered-100", "laneway-unordered", "parallel-consumer-unordered")));
        all.add(new Target(
                "P6 CPU",
                "CPU ns a record of the engine alone",
                1_000,
                300,
                Target.of("cost", "bytes", "laneway", Target.figure("cpu_ns_per_record"))));
        all.add(new Target(
                "P6 bytes",
                "bytes a record that the engine alone allocates",
                300,
                100,
                Target.of("cost", "bytes", "laneway", row -> row.result().allocBytesPerRecord())));
        all.add(new Target(
                "P7",
                "at-most-once / bare loop that commits each poll first",
                0.75,
                0.95,
                Target.of("at-most-once", "poll", "laneway", Row::ratioToBare)));
        all.add(new Target(
                "P8",
                "producer sink / bare send loop",
                0.9,
                1.0,
                Target.of("produce", "t100", "laneway", Row::ratioToBare)));
        all.add(new Target(
                "P9 Kafka Streams",
                "exactly-once by key / Kafka Streams EOS v2",
                1,
                2,
                Target.times("exactly-once", "copy", "laneway", "kafka-streams")));
        all.add(new Target(
                "P9 Parallel Consumer",
                "exactly-once by key / Parallel Consumer, transactional",
                5,
                20,
                Target.times("exactly-once", "copy", "laneway", "parallel-consumer")));
        all.add(new Target(
                "P10",
                "handler time per 1,000 records from which a bare loop is behind, ms",
                0.3,
                0.05,
                rows -> Crossover.of(rows, "laneway")));
        all.add(new Target(
                "P11",
                "bytes received / delivered under back-pressure",
                1.01,
                1.0,
                Target.of("flow-control", "slow-handler", "laneway", Target.figure("received_per_delivered"))));
        all.add(new Target(
                "P12",
                "live heap above idle and the budget of bytes, all handlers stuck, MiB",
                32,
                16,
                Target.of("flow-control", "stuck-handlers", "laneway", Target.figure("above_budget_mib"))));
        all.add(added(
                "P13 p50",
                "added median latency at 1,000 records/s, ms",
                0.3,
                0.1,
                row -> row.result().p50Ms()));
        all.add(added(
                "P13 p99",
                "added p99 latency at 1,000 records/s, ms",
                2,
                0.5,
                row -> row.result().p99Ms()));
        all.addAll(ofStuckKey());
        all.add(new Target(
                "P17",
                "no-op by key with metrics / without",
                0.97,
                0.99,
                Target.times("metrics", "t100", "laneway-metered", "laneway")));
        for (String setting : List.of("any", "rising", "retry")) {
            all.add(new Target(
                    "delay " + setting,
                    "after its time, p99, ms",
                    50,
                    5,
                    Target.of("delays", setting, "laneway", Target.figure("late_p99_ms"))));
        }
        return List.copyOf(all);
    }

    private static List<Target> ofStuckKey() {
        List<Target> all = new ArrayList<>();
        all.add(stuck("P14 no-op", "no-op beside a stuck key / without it", 0.85, 1, "no-op", "share_of_free"));
        all.add(stuck("P14 1 ms", "1 ms beside a stuck key / without it", 0.95, 1, "wait-1ms", "share_of_free"));
        for (String setting : List.of("no-op", "wait-1ms")) {
            String id = "P14 " + setting;
            all.add(stuck(id + " done", "share of the other keys' records done", 1, 1, setting, "others_done_share"));
            all.add(stuck(id + " heap", "live heap above idle and budget, MiB", 32, 16, setting, "above_budget_mib"));
            all.add(stuck(id + " map", "characters of commit metadata", 4_096, 1_024, setting, "metadata_chars"));
        }
        all.add(stuck("P14 refill", "reading again / bare loop", 0.5, 1, "no-op", "refill_share_of_bare"));
        all.add(stuck("P14 released", "600 keys, released in turn: share done", 1, 1, "released", "done_share"));
        all.add(stuck(
                "P14 slow", "beside a slow key: share of the others done", 1, 1, "slow-key", "others_done_share"));
        all.add(stuck(
                "P15 kept", "kill -9: share of the records done that is kept", 1, 1, "restart", "share_not_repeated"));
        all.add(stuck(
                "P15", "restart beside 600 stuck keys: s to the first new record", 1, 0.2, "restart", "first_new_s"));
        return all;
    }

    private static Target stuck(String id, String what, double must, double goal, String caseName, String figure) {
        return new Target(id, what, must, goal, Target.of("stuck-key", caseName, "laneway", Target.figure(figure)));
    }

    private static Target added(
            String id, String what, double must, double goal, Function<Row, @Nullable Double> latency) {
        return new Target(id, what, must, goal, Target.more("latency", "rate-1000", "laneway", "bare", latency));
    }

    private static Target ofBare(String id, String what, double must, String caseName, String peer) {
        return new Target(id, what, must, 0.95, Target.timesBest("many-keys", caseName, peer, "bare", "bare-interval"));
    }

    private static Target times(String id, String what, double must, double goal, String peer, String rival) {
        return new Target(id, what, must, goal, Target.times("many-keys", "t512", peer, rival));
    }

    /** All targets with a header, also those without a figure; only the header if none has one. */
    static List<List<String>> table(List<Row> rows) {
        List<List<String>> table = new ArrayList<>();
        table.add(HEADER);
        boolean any = false;
        for (Target target : ALL) {
            @Nullable Figure figure = target.taking().apply(rows);
            any |= figure != null;
            table.add(List.of(
                    target.id(),
                    target.what(),
                    Figure.number(target.must()),
                    Figure.number(target.goal()),
                    figure == null ? "not measured" : figure.text(),
                    figure == null ? "" : target.met(figure.median())));
        }
        if (!any) {
            table.subList(1, table.size()).clear();
        }
        return table;
    }
}
