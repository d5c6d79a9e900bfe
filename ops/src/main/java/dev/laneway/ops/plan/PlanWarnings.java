package dev.laneway.ops.plan;

import java.util.ArrayList;
import java.util.List;

/** What does not fit in a plan, with a remedy each. Pure functions. */
final class PlanWarnings {
    /** Below that many records for a key or partition, workers wait though records are held. */
    private static final double THIN_RESERVE = 4;

    private PlanWarnings() {}

    static List<String> of(Plan plan) {
        List<String> warnings = new ArrayList<>();
        if (!plan.isEnough()) {
            warnings.add(tooLittle(plan));
        }
        keys(plan, warnings);
        reserve(plan, warnings);
        poll(plan, warnings);
        return warnings;
    }

    private static String tooLittle(Plan plan) {
        ModePlan chosen = plan.chosen();
        Limit limit = limit(plan);
        return "No number of members allowed here carries " + Say.number(plan.need()) + "/s in mode "
                + plan.request().mode().word() + "; the planned ones carry "
                + Say.number(chosen.real().rate()) + "/s, limited by " + limit.words() + ": " + remedy(plan, limit)
                + ".";
    }

    private static Limit limit(Plan plan) {
        Limit real = plan.chosen().real().limit();
        boolean isOfMembers = real != Limit.HOT_KEY && real != Limit.PARTITION_RATE;
        return isOfMembers && hasTooFewKeys(plan) ? Limit.KEYS : real;
    }

    private static boolean hasTooFewKeys(Plan plan) {
        Load load = plan.request().load();
        return plan.request().mode() == Mode.KEY
                && load.keys() > 0
                && (double) load.keys() < plan.need() * load.serviceSeconds() * (1 - 1e-12);
    }

    private static String remedy(Plan plan, Limit limit) {
        boolean isPlain = plan.request().mode() == Mode.PLAIN;
        return switch (limit) {
            case PARTITION_RATE -> "add partitions";
            case WORKERS -> isPlain ? "handle records in parallel, or allow more members" : "raise the concurrency";
            case UNEVEN -> "take a number of members among which the partitions spread evenly";
            case PARTITIONS -> isPlain ? "add partitions, or handle records in parallel" : "order by key instead";
            case KEYS ->
                "use more keys, such as with a lane key, or handle records unordered, whose order then is lost";
            case RESERVE -> "raise the reserve";
            case HOT_KEY -> "split that key, or make its records faster to handle";
            case DISK -> "take a faster volume or machine, whichever allows less, or fewer bytes for a record";
            case MEASURED ->
                "members that are added wait for each other: make the work of a record less, or measure"
                        + " bigger instances";
            case NETWORK -> "take a machine with a faster network, or compress";
        };
    }

    private static void keys(Plan plan, List<String> warnings) {
        Load load = plan.request().load();
        if (plan.request().mode() != Mode.KEY) {
            return;
        }
        if (load.keys() == 0) {
            warnings.add("The number of keys is not given: at least " + Say.number(Math.ceil(load.concurrency()))
                    + " must come within a second or so, or fewer records than workers can be handled at once.");
        } else if (hasTooFewKeys(plan)) {
            warnings.add(Say.count((double) load.keys(), "key") + " carry "
                    + Say.number((double) load.keys() / load.serviceSeconds())
                    + "/s at most, since each is handled one record at a time: only unordered handling, or more keys,"
                    + " reach " + Say.number(plan.need()) + "/s.");
        }
    }

    private static void reserve(Plan plan, List<String> warnings) {
        PlanRequest request = plan.request();
        int partitions = plan.chosen().partitions();
        double share = Capacity.fullestShare(partitions, plan.chosen().members());
        double lanes = Capacity.lanes(request, partitions, share);
        double held = Capacity.held(request);
        double busy = Capacity.busy(request, partitions, share);
        boolean hasLanes = request.mode() == Mode.PARTITION
                || (request.mode() == Mode.KEY && request.load().keys() > 0);
        boolean isThin = busy < Math.min(Capacity.workers(request), lanes) * 0.95;
        if (hasLanes && isThin && held < THIN_RESERVE * lanes) {
            warnings.add("A reserve of " + Say.number(held) + " records for " + Say.number(Math.rint(lanes)) + " "
                    + (request.mode() == Mode.KEY ? "keys" : "partitions") + " keeps " + Say.number(busy) + " of "
                    + Say.number(Capacity.workers(request)) + " workers busy: hold several for each.");
        }
        if (request.mode() != Mode.PLAIN && held < request.instance().records()) {
            warnings.add("The buffer of " + Say.bytes(request.instance().bufferBytes()) + " has room for "
                    + Say.number(held) + " records of "
                    + Say.bytes(request.load().recordBytes()) + ", not for the "
                    + Say.number(request.instance().records()) + " of the reserve: raise bufferBytes if workers idle.");
        }
    }

    private static void poll(Plan plan, List<String> warnings) {
        PlanRequest request = plan.request();
        double limit = request.kafka().maxPollIntervalSeconds() / 2;
        double seconds = PlanFigures.pollSeconds(request, 1);
        if (request.mode() == Mode.PLAIN && seconds > limit) {
            warnings.add("One poll's records take " + Say.time(seconds) + ", more than half of max.poll.interval.ms ("
                    + Say.time(limit) + "): the group takes such a consumer for dead; lower max.poll.records to "
                    + Say.number(Math.max(1, Math.floor(limit / request.load().serviceSeconds())))
                    + ", or raise max.poll.interval.ms.");
        }
    }
}
