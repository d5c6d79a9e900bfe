package dev.laneway.ops.plan;

/**
 * The rate that a group reaches, and what limits it. Immutable.
 *
 * <p>A member with W workers that holds B records of K keys, each as frequent as the others, keeps min(W, K B / (B + K
 * - 1)) workers busy. That is the closed queueing network of Gordon and Newell: the B records queue at K keys, each
 * handled by one worker at a time, and with few records some keys have several while others have none. Little's law
 * alone, min(W, K), holds when B is many times K.
 *
 * @param rate records a second
 * @param limit what keeps it from being more
 */
public record Capacity(double rate, Limit limit) {

    /** How many of its workers a member keeps busy. */
    public static double busyWorkers(double workers, double lanes, double held) {
        return Math.max(0, Math.min(workers, lanes * held / (held + lanes - 1)));
    }

    /** By Little's law, as if members held records without end. */
    public static Capacity little(PlanRequest request, int partitions, int members) {
        Load load = request.load();
        double workers = (double) members * request.instance().concurrency();
        Capacity least = byBrokers(request, partitions);
        if (load.serviceSeconds() == 0) {
            return least;
        }
        return switch (request.mode()) {
            case PLAIN -> least.or(members, load, Limit.WORKERS).or(partitions, load, Limit.PARTITIONS);
            case PARTITION -> least.or(workers, load, Limit.WORKERS).or(partitions, load, Limit.PARTITIONS);
            case KEY -> least.or(workers, load, Limit.WORKERS).or(keys(load), load, Limit.KEYS);
            case UNORDERED -> least.or(workers, load, Limit.WORKERS);
        };
    }

    private static Capacity byBrokers(PlanRequest request, int partitions) {
        return new Capacity(partitions * request.goals().partitionRate(), Limit.PARTITION_RATE);
    }

    /**
     * With the reserve that members have, the hottest key, disks and network, or with what members were measured to do;
     * partitions are spread evenly.
     */
    public static Capacity of(PlanRequest request, int partitions, int members) {
        Load load = request.load();
        Instance instance = request.instance();
        double share = fullestShare(partitions, members);
        boolean isMeasured = request.measured().isKnown(); // Then workers, keys and reserve are in what was measured.
        Capacity least = isMeasured
                ? byBrokers(request, partitions).or(request.measured().groupRate(partitions, members), Limit.MEASURED)
                : little(request, partitions, members);
        if (load.diskBytes() > 0) {
            least = least.or(instance.disk() / load.diskBytes() / share, Limit.DISK);
        }
        if (load.networkBytes() > 0) {
            least = least.or(instance.networkRate() / load.networkBytes() / share, Limit.NETWORK);
        }
        if (load.serviceSeconds() == 0 || isMeasured) {
            return least;
        }
        double busy = busy(request, partitions, share);
        least = least.or(busy / share, load, within(request, busy, lanes(request, partitions, share), share * members));
        double hottest = hottestLane(request, partitions, share);
        return hottest == 0 ? least : least.or(1 / hottest, load, Limit.HOT_KEY);
    }

    private static Limit within(PlanRequest request, double busy, double lanes, double unevenness) {
        if (busy < Math.min(workers(request), lanes) * (1 - 1e-9)) {
            return Limit.RESERVE;
        }
        return unevenness > 1 + 1e-9 ? Limit.UNEVEN : Limit.WORKERS;
    }

    /** Workers that the member with the most partitions keeps busy when more records wait than it can hold. */
    static double busy(PlanRequest request, int partitions, double share) {
        return busyWorkers(workers(request), lanes(request, partitions, share), held(request));
    }

    static double workers(PlanRequest request) {
        return request.mode() == Mode.PLAIN ? 1 : request.instance().concurrency();
    }

    static double held(PlanRequest request) {
        return request.mode() == Mode.PLAIN
                ? request.kafka().maxPollRecords()
                : request.instance().held(request.load().recordBytes());
    }

    /** What a member with this share of the load handles one record at a time: its keys or its partitions. */
    static double lanes(PlanRequest request, int partitions, double share) {
        return switch (request.mode()) {
            case PLAIN -> 1;
            case PARTITION -> Math.max(1, partitions * share);
            case KEY -> Math.max(1, Math.min(keys(request.load()), 1e12) * share);
            case UNORDERED -> 1e12;
        };
    }

    /** The share of all records that must be handled one after the other, where it is more than an even one. */
    static double hottestLane(PlanRequest request, int partitions, double memberShare) {
        double key = request.load().hottestShare();
        return switch (request.mode()) {
            case PLAIN -> key == 0 ? 0 : key + (1 - key) * memberShare;
            case PARTITION -> key == 0 ? 0 : key + (1 - key) / partitions;
            case KEY -> key;
            case UNORDERED -> 0;
        };
    }

    /** The share of the member with the most partitions. */
    static double fullestShare(int partitions, int members) {
        return Math.ceilDiv(partitions, members) / (double) partitions;
    }

    private static double keys(Load load) {
        return load.keys() == 0 ? Double.POSITIVE_INFINITY : (double) load.keys();
    }

    private Capacity or(double atOnce, Load load, Limit other) {
        return or(atOnce / load.serviceSeconds(), other);
    }

    private Capacity or(double other, Limit otherLimit) {
        return other < rate * (1 - 1e-9) ? new Capacity(other, otherLimit) : this;
    }
}
