package dev.laneway.ops.plan;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Makes plans. Stateless. */
public final class Planner {
    /** More than any cluster has; so that sums fit. */
    private static final int MOST = 10_000_000;
    /** A larger share of what can be reached at all may take very many members. */
    private static final double NEAR = 0.95;

    private Planner() {}

    /** The least of everything that carries a load and stands what it must. */
    public static Plan plan(PlanRequest request) {
        List<ModePlan> modes = Arrays.stream(Mode.values())
                .map(mode -> bare(request.unmeasured().with(mode)))
                .toList();
        double need = request.goals().need(request.load().rate());
        ModePlan chosen = choose(request, need);
        boolean isEnough = isEnough(chosen, need);
        Plan plan = new Plan(request, modes, chosen, need, isEnough, List.of(), List.of());
        return new Plan(request, modes, chosen, need, isEnough, PlanFigures.of(plan), PlanWarnings.of(plan));
    }

    /**
     * The numbers of members worth having for so many partitions: any number between two of them leaves the member with
     * the most partitions as many as the smaller of the two.
     */
    public static List<Integer> usefulMembers(int partitions) {
        return IntStream.rangeClosed(1, partitions)
                .map(each -> Math.ceilDiv(partitions, each))
                .distinct()
                .sorted()
                .boxed()
                .toList();
    }

    // ---------------------------------------------------------------- Little's law alone

    /** What the load takes by Little's law, with nothing to spare. */
    private static ModePlan bare(PlanRequest request) {
        Goals goals = request.goals();
        double atOnce = request.load().concurrency();
        int forBrokers = whole(request.load().rate() / goals.partitionRate());
        int lanes = Math.max(forBrokers, whole(atOnce));
        int members = request.mode() == Mode.PLAIN
                ? lanes
                : whole(atOnce / request.instance().concurrency());
        boolean needsLanes = request.mode() == Mode.PLAIN || request.mode() == Mode.PARTITION;
        return made(
                request,
                goals.partitions() > 0 ? goals.partitions() : needsLanes ? lanes : forBrokers,
                goals.members() > 0 ? goals.members() : members);
    }

    private static ModePlan made(PlanRequest request, int partitions, int members) {
        return new ModePlan(
                request.mode(),
                partitions,
                members,
                Capacity.little(request, partitions, members),
                Capacity.of(request, partitions, members));
    }

    private static int whole(double number) {
        return (int) Math.clamp(Math.ceil(number * (1 - 1e-12)), 1, MOST);
    }

    // ---------------------------------------------------------------- with all that it must stand

    private static boolean isEnough(ModePlan plan, double need) {
        return plan.real().rate() >= need * (1 - 1e-9);
    }

    private static ModePlan choose(PlanRequest request, double need) {
        Goals goals = request.goals();
        int most = goals.members() > 0 ? Math.max(1, goals.members() - goals.failures()) : MOST;
        return goals.partitions() > 0
                ? withGiven(request, need, Math.min(most, goals.partitions()))
                : withChosen(request, need, most);
    }

    /** Members that share partitions unevenly may do less than fewer members, so all useful numbers are tried. */
    private static ModePlan withGiven(PlanRequest request, double need, int most) {
        int partitions = request.goals().partitions();
        ModePlan best = made(request, partitions, 1);
        for (int members : usefulMembers(partitions)) {
            if (members > most || isEnough(best, need)) {
                break;
            }
            ModePlan next = made(request, partitions, members);
            best = next.real().rate() > best.real().rate() ? next : best;
        }
        return best;
    }

    /** If nothing is enough, the fewest members that come near to what can be reached at all. */
    private static ModePlan withChosen(PlanRequest request, double need, int most) {
        ModePlan plan = fewest(request, need, most);
        return isEnough(plan, need) ? plan : fewest(request, NEAR * plan.real().rate(), most);
    }

    /** Doubles the members until it is enough, or no longer helps; then finds the fewest. */
    private static ModePlan fewest(PlanRequest request, double need, int most) {
        int enough = 1;
        ModePlan plan = spread(request, need, enough);
        while (!isEnough(plan, need) && enough < most && helps(plan.real().limit())) {
            enough = Math.min(most, enough * 2);
            plan = spread(request, need, enough);
        }
        int tooFew = isEnough(plan, need) ? enough / 2 : enough - 1;
        while (enough - tooFew > 1) {
            int middle = tooFew + (enough - tooFew) / 2;
            ModePlan next = spread(request, need, middle);
            if (isEnough(next, need)) {
                enough = middle;
                plan = next;
            } else {
                tooFew = middle;
            }
        }
        return plan;
    }

    private static boolean helps(Limit limit) {
        return switch (limit) {
            case KEYS, HOT_KEY, PARTITION_RATE -> false;
            case UNEVEN, WORKERS, PARTITIONS, RESERVE, DISK, NETWORK, MEASURED -> true;
        };
    }

    /** With as many partitions as so many members need, the same number each. */
    private static ModePlan spread(PlanRequest request, double need, int members) {
        double each = need / request.goals().partitionRate() / members;
        double busy = need * request.load().serviceSeconds() / members;
        if (request.mode() == Mode.PLAIN) {
            each = Math.max(each, 1);
        } else if (request.mode() == Mode.PARTITION) {
            each = Math.max(each, partitionsFor(busy, Capacity.workers(request), Capacity.held(request)));
        }
        return made(request, whole((double) whole(each) * members), members);
    }

    /** How many partitions keep so many workers busy, of records that are held: busyWorkers solved for its lanes. */
    private static double partitionsFor(double busy, double workers, double held) {
        double most = Math.min(busy, Math.min(workers, held));
        return most >= held ? workers * 32 : Math.max(1, most * (held - 1) / (held - most));
    }
}
