package dev.laneway.ops.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The figures of a plan, each with one sentence that explains it. Used once, by one thread. */
final class PlanFigures {
    /** Objects that stand for a record on the heap: a ConsumerRecord, its headers, its place in a queue. */
    private static final double RECORD_OVERHEAD = 200;
    /** What a client holds of answers that are on their way, at most: fetch.max.bytes. */
    private static final double FETCH_BYTES = 50 << 20;

    private static final double HOURS_OF_A_MONTH = 730;
    private static final double MEMTABLE = 16 << 20;
    private static final int MEMTABLES = 3;
    private static final double BLOCK_CACHE = 50 << 20;
    private static final int MOST_COUNTS = 12;

    private final Plan plan;
    private final PlanRequest request;
    private final Load load;
    private final Goals goals;
    private final ModePlan chosen;
    private final double rate;
    private final List<Figure> figures = new ArrayList<>();

    private PlanFigures(Plan plan) {
        this.plan = plan;
        request = plan.request();
        load = request.load();
        goals = request.goals();
        chosen = plan.chosen();
        rate = load.rate() * goals.growth();
    }

    static List<Figure> of(Plan plan) {
        PlanFigures of = new PlanFigures(plan);
        of.needed();
        of.sizes();
        of.rates();
        of.member();
        of.kafka();
        of.means();
        of.state();
        return of.figures;
    }

    private void add(String name, double value, String text, String sentence) {
        figures.add(new Figure(name, value, text, sentence));
    }

    private void needed() {
        add(
                "at_once",
                load.concurrency(),
                Say.number(load.concurrency()),
                "Records handled at once on average: rate times time per record, which is Little's law.");
        add(
                "need",
                plan.need(),
                Say.number(plan.need()) + "/s",
                "The rate to be able to carry: the load"
                        + (goals.growth() == 1 ? "" : ", grown " + Say.number(goals.growth()) + " times")
                        + (goals.utilisation() == 1 ? "" : ", as " + Say.percent(goals.utilisation()) + " of it")
                        + (goals.outageSeconds() == 0
                                ? ""
                                : ", and in " + Say.time(goals.catchUpSeconds()) + " what "
                                        + Say.time(goals.outageSeconds())
                                        + " of standing still leave behind")
                        + ".");
    }

    private void sizes() {
        add(
                "partitions",
                chosen.partitions(),
                Say.number(chosen.partitions()),
                goals.partitions() > 0
                        ? "As given."
                        : "For the brokers, at " + Say.number(goals.partitionRate()) + "/s each"
                                + (isByPartition() ? ", and since each is handled one record at a time" : "")
                                + "; the same number for each member.");
        int failures = goals.failures();
        add(
                "members",
                plan.members(),
                Say.number(plan.members()),
                failures == 0
                        ? "Members of the group, none of them to spare."
                        : Say.number(chosen.members()) + " carry it, and " + Say.number(failures)
                                + " may be gone at any time"
                                + (plan.members() > chosen.partitions()
                                        ? "; with one partition each, those wait until another is gone."
                                        : "."));
        List<Integer> useful = Planner.usefulMembers(chosen.partitions());
        int from = Math.max(
                0,
                useful.indexOf(useful.stream()
                                .filter(each -> each >= chosen.members())
                                .findFirst()
                                .orElse(useful.getLast()))
                        - MOST_COUNTS / 2);
        List<Integer> shown = useful.subList(from, Math.min(useful.size(), from + MOST_COUNTS));
        add(
                "useful_members",
                shown.size(),
                shown.stream().map(String::valueOf).collect(Collectors.joining(" "))
                        + (shown.size() < useful.size() ? " ..." : ""),
                "Numbers of members that make a difference with so many partitions: any between two of them leave some"
                        + " member as many partitions as the smaller one does.");
    }

    private boolean isByPartition() {
        return request.mode() == Mode.PLAIN || request.mode() == Mode.PARTITION;
    }

    private void rates() {
        Capacity all = Capacity.of(request, chosen.partitions(), Math.min(plan.members(), chosen.partitions()));
        add(
                "rate",
                all.rate(),
                Say.number(all.rate()) + "/s",
                "What the group can do with all its members, limited by "
                        + all.limit().words() + ".");
        if (goals.failures() > 0) {
            add(
                    "rate_after_failure",
                    chosen.real().rate(),
                    Say.number(chosen.real().rate()) + "/s",
                    "What is left when " + Say.number(goals.failures()) + " of them "
                            + (goals.failures() == 1 ? "is" : "are") + " gone, limited by "
                            + chosen.real().limit().words() + ".");
        }
        add(
                "utilisation",
                rate / all.rate(),
                Say.percent(rate / all.rate()),
                "The share of it that the load takes; the nearer to 100 %, the longer records wait.");
        if (goals.outageSeconds() > 0) {
            double spare = chosen.real().rate() - rate;
            double seconds = spare > 0 ? rate * goals.outageSeconds() / spare : Double.POSITIVE_INFINITY;
            add(
                    "catch_up_seconds",
                    seconds,
                    Double.isInfinite(seconds) ? "never" : Say.time(seconds),
                    "How long it takes to be up to date again after " + Say.time(goals.outageSeconds())
                            + " of standing still, while more comes: what has come meanwhile, over the spare rate.");
        }
    }

    private void member() {
        double share = Capacity.fullestShare(chosen.partitions(), chosen.members());
        double workers = Capacity.workers(request);
        double held = Capacity.held(request);
        double busy = Math.min(Capacity.busy(request, chosen.partitions(), share), workers);
        add("concurrency", workers, Say.number(workers), "Records that a member handles at once, at most.");
        if ((request.mode() == Mode.KEY && load.keys() > 0) || request.mode() == Mode.PARTITION) {
            double lanes = Capacity.lanes(request, chosen.partitions(), share);
            add(
                    "lanes",
                    lanes,
                    Say.number(lanes),
                    (request.mode() == Mode.KEY ? "Keys" : "Partitions")
                            + " of a member, each handled one record at a time.");
        }
        add(
                "reserve",
                held,
                Say.number(held),
                request.mode() == Mode.PLAIN
                        ? "Records that a member holds at most, which is max.poll.records."
                        : "Records that a member holds at most, by number and bytes, to find work for all workers"
                                + " in: many times the keys, or many records are of keys that are busy already.");
        add(
                "busy_workers",
                busy,
                Say.number(busy),
                "Workers of a member that find a record to handle when enough waits: with W workers, K keys or"
                        + " partitions and B records held, min(W, K B / (B + K - 1)).");
        double bytes = held * (load.recordBytes() + RECORD_OVERHEAD) + FETCH_BYTES;
        add(
                "memory_bytes",
                bytes,
                Say.bytes(bytes),
                "Heap for the records that a member holds, with " + Say.number(RECORD_OVERHEAD)
                        + " bytes of objects each, and for one fetch of 50 MiB; the handler's own comes on top.");
    }

    private void kafka() {
        double atOnce = request.mode() == Mode.PLAIN
                ? 1
                : Capacity.busy(
                        request, chosen.partitions(), Capacity.fullestShare(chosen.partitions(), chosen.members()));
        double seconds = pollSeconds(request, atOnce);
        add(
                "poll_seconds",
                seconds,
                Say.time(seconds),
                "Time to handle what one poll returns (max.poll.records "
                        + request.kafka().maxPollRecords() + ")"
                        + (request.mode() == Mode.PLAIN
                                ? ", until which the consumer does not poll again; half of max.poll.interval.ms, "
                                        + Say.time(request.kafka().maxPollIntervalSeconds() / 2)
                                        + ", is the most that is safe."
                                : "; Laneway polls on meanwhile, so max.poll.interval.ms sets it no limit."));
    }

    static double pollSeconds(PlanRequest request, double atOnce) {
        return request.kafka().maxPollRecords() * request.load().serviceSeconds() / Math.max(1, atOnce);
    }

    private void means() {
        double each = rate * Capacity.fullestShare(chosen.partitions(), chosen.members());
        if (load.diskBytes() > 0) {
            double disk = request.instance().disk();
            add(
                    "disk",
                    each * load.diskBytes(),
                    Say.bytes(each * load.diskBytes()) + "/s",
                    "What the load makes of the disk of a member"
                            + (Double.isInfinite(disk)
                                    ? "."
                                    : ", of " + Say.bytes(disk)
                                            + "/s that volume and machine both allow: the lower of the two counts."));
        }
        double network = request.instance().networkRate();
        if (load.networkBytes() > 0) {
            add(
                    "network",
                    each * load.networkBytes(),
                    Say.bytes(each * load.networkBytes()) + "/s",
                    "What it makes of the network of a member"
                            + (Double.isInfinite(network) ? "." : ", of " + Say.bytes(network) + "/s that it has."));
        }
        if (load.cpuSeconds() > 0) {
            add(
                    "processors",
                    each * load.cpuSeconds(),
                    Say.number(each * load.cpuSeconds()),
                    "Processors that the load keeps busy in a member: its rate times the measured "
                            + Say.time(load.cpuSeconds()) + " of processor time for a record.");
        }
        if (request.instance().price() > 0) {
            double cost = plan.members() * request.instance().price() * HOURS_OF_A_MONTH;
            add(
                    "cost",
                    cost,
                    Say.number(Math.rint(cost)) + " a month",
                    Say.count(plan.members(), "member") + " at "
                            + Say.number(request.instance().price()) + " an hour, for " + Say.number(HOURS_OF_A_MONTH)
                            + " hours.");
        }
    }

    private void state() {
        LocalState state = request.state();
        if (state.bytes() > 0) {
            double each = state.bytes() * Capacity.fullestShare(chosen.partitions(), chosen.members());
            add(
                    "restore_seconds",
                    each / state.restoreRate(),
                    Say.time(each / state.restoreRate()),
                    "How long the records of a lost member wait without standby replicas: its " + Say.bytes(each)
                            + " of state are read again at " + Say.bytes(state.restoreRate()) + "/s.");
        }
        if (state.stores() > 0) {
            double stores = Math.ceil(state.stores() / (double) chosen.members());
            double usual = stores * (BLOCK_CACHE + MEMTABLES * MEMTABLE);
            add(
                    "rocksdb_bytes",
                    usual,
                    Say.bytes(usual),
                    "Memory outside the heap that RocksDB takes for " + Say.count(stores, "store")
                            + " of a member as it is set up by default, 98 MiB each; one shared cache bounds it.");
            add(
                    "write_buffer_bytes",
                    stores * MEMTABLE,
                    Say.bytes(stores * MEMTABLE),
                    "The least limit of a shared write-buffer manager: 16 MiB for each store, or small files are"
                            + " written and merged all the time; the block cache then takes twice as much.");
        }
    }
}
