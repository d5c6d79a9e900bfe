package dev.laneway.assign;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Gives parts, such as partitions, to members, so that the fullest has little more than its share, by few moves.
 *
 * <p>Parts that nobody has go, the largest first, to the member that is least full with them. Then, while it gains
 * enough, the fullest member gives a part away, or if that gains too little exchanges one. For a group without owners
 * the fullest has at most 4/3 of what an exact search would find, and from any start at most twice that and in general
 * far less ({@code LoadBalanceTest}). Pure.
 */
final class LoadBalance {
    static final int NOBODY = -1;

    private final double[] loads;
    private final double[] capacities;
    private final Permission permission;
    private final int[] owners;
    private final double[] sums;
    private final double tolerance;
    private final double mean;
    private final boolean isEven;

    /** Which member may have which part. */
    @FunctionalInterface
    interface Permission {
        boolean may(int member, int part);
    }

    /** A part that goes to another member, for another or for nothing. */
    private record Step(int part, int to, int back) {}

    private LoadBalance(double[] loads, double[] capacities, int[] owners, Permission permission, double tolerance) {
        this.loads = loads;
        this.capacities = capacities;
        this.permission = permission;
        this.tolerance = tolerance;
        this.mean = Arrays.stream(loads).sum() / Arrays.stream(capacities).sum();
        this.owners = owners.clone();
        this.sums = new double[capacities.length];
        this.isEven = Arrays.stream(capacities).distinct().count() <= 1;
    }

    /**
     * Who gets which part.
     *
     * @param loads what each part asks of its member, more than 0
     * @param capacities of members, such as numbers of threads, more than 0
     * @param owners of now, {@link #NOBODY} where there is none; one that may not have its part loses it
     * @param tolerance how far members may be from the mean, as a part of it, before something is moved for it
     * @param mostMoves so many parts that have an owner change it, at most
     * @return for each part its member, or {@link #NOBODY} if none may have it
     */
    static int[] plan(
            double[] loads, double[] capacities, int[] owners, Permission permission, double tolerance, int mostMoves) {
        LoadBalance balance = new LoadBalance(loads, capacities, owners, permission, tolerance);
        List<Integer> fresh = balance.place();
        balance.improve(mostMoves, fresh);
        return balance.owners;
    }

    /** How full a member is. */
    private double fill(int member) {
        return sums[member] / capacities[member];
    }

    private double fill(int member, double more) {
        return (sums[member] + more) / capacities[member];
    }

    /** Keeps what members have, and gives the rest away; returns that. */
    private List<Integer> place() {
        List<Integer> rest = new ArrayList<>();
        for (int part = 0; part < owners.length; part++) {
            if (owners[part] != NOBODY && permission.may(owners[part], part)) {
                sums[owners[part]] += loads[part];
            } else {
                owners[part] = NOBODY;
                rest.add(part);
            }
        }
        rest.sort(Comparator.comparingDouble(part -> -loads[part]));
        for (int part : rest) {
            int best = NOBODY;
            for (int member = 0; member < sums.length; member++) {
                if (permission.may(member, part)
                        && (best == NOBODY || fill(member, loads[part]) < fill(best, loads[part]))) {
                    best = member;
                }
            }
            if (best != NOBODY) {
                give(part, best);
            }
        }
        return rest;
    }

    private void give(int part, int member) {
        int before = owners[part];
        owners[part] = member;
        sum(member);
        if (before != NOBODY) {
            sum(before);
        }
    }

    /** Always in the same order: otherwise rounding would make a plan depend on the way to it, and change it again. */
    private void sum(int member) {
        double sum = 0;
        for (int part = 0; part < owners.length; part++) {
            if (owners[part] == member) {
                sum += loads[part];
            }
        }
        sums[member] = sum;
    }

    private void improve(int mostMoves, List<Integer> fresh) {
        boolean[] isFree = new boolean[owners.length]; // Nobody had it, so it may go anywhere without a move.
        fresh.forEach(part -> isFree[part] = true);
        boolean[] settled = new boolean[sums.length];
        int moves = 0;
        // Each step lowers the fuller of two members, so this ends; the limit is for a gain of nearly nothing.
        int steps = 4 * (owners.length + sums.length);
        for (int fullest = fullest(settled); fullest != NOBODY && steps > 0; fullest = fullest(settled)) {
            Search search = new Search(fullest, mostMoves - moves, isFree);
            Step step = search.best();
            if (step == null) {
                settled[fullest] = true;
                continue;
            }
            moves += search.cost(step.part, step.back);
            give(step.part, step.to);
            if (step.back != NOBODY) {
                give(step.back, fullest);
            }
            Arrays.fill(settled, false);
            steps--;
        }
    }

    /** The fullest member that may still have something to give. */
    private int fullest(boolean[] settled) {
        int fullest = NOBODY;
        for (int member = 0; member < sums.length; member++) {
            if (!settled[member] && (fullest == NOBODY || fill(member) > fill(fullest))) {
                fullest = member;
            }
        }
        return fullest;
    }

    /** Looks for the best that one member can do. */
    private final class Search {
        private final int from;
        private final int mostMoves;
        private final boolean[] isFree;
        private double fullerBest;
        private double receivedBest;
        private @Nullable Step best;

        Search(int from, int mostMoves, boolean[] isFree) {
            this.from = from;
            this.mostMoves = mostMoves;
            this.isFree = isFree;
        }

        /** To give something is better than to exchange it: it takes one move. */
        @Nullable
        Step best() {
            int[] own = IntStream.range(0, owners.length)
                    .filter(part -> owners[part] == from)
                    .toArray();
            int[] others = emptiest();
            for (int part : own) {
                for (int to : others) {
                    if (permission.may(to, part)) {
                        consider(part, to, NOBODY);
                        if (isEven) {
                            break; // No other could be better.
                        }
                    }
                }
            }
            if (best == null) {
                for (int part : own) {
                    for (int back = 0; back < owners.length; back++) {
                        if (owners[back] != NOBODY && loads[back] < loads[part]) {
                            consider(part, owners[back], back);
                        }
                    }
                }
            }
            return best;
        }

        /** The other members, the emptiest first. */
        private int[] emptiest() {
            return IntStream.range(0, sums.length)
                    .filter(member -> member != from)
                    .boxed()
                    .sorted(Comparator.comparingDouble(LoadBalance.this::fill))
                    .mapToInt(Integer::intValue)
                    .toArray();
        }

        private void consider(int part, int to, int back) {
            double given = loads[part] - (back == NOBODY ? 0 : loads[back]);
            double received = fill(to, given);
            double fuller = Math.max(fill(from, -given), received);
            boolean isBetter = best == null
                    || fuller < fullerBest
                    || (fuller == fullerBest && received < receivedBest); // One with more room, then.
            if (isBetter
                    && to != from
                    && isWorthIt(to, given, fill(from) - fuller)
                    && cost(part, back) <= mostMoves
                    && permission.may(to, part)
                    && (back == NOBODY || permission.may(from, back))) {
                best = new Step(part, to, back);
                fullerBest = fuller;
                receivedBest = received;
            }
        }

        /** One of the two is far from the mean, and the gain is something beside it, or beside what changes hands. */
        private boolean isWorthIt(int to, double given, double gain) {
            return (fill(from) > (1 + tolerance) * mean || fill(to) < (1 - tolerance) * mean)
                    && gain > 1e-9 * fill(from)
                    && gain >= Math.min(tolerance * mean, given / capacities[from] / 2);
        }

        int cost(int part, int back) {
            int there = isFree[part] ? 0 : 1;
            return back == NOBODY || isFree[back] ? there : there + 1;
        }
    }
}
