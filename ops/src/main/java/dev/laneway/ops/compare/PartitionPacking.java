package dev.laneway.ops.compare;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Packs partitions into as few members as it can with few moves: modified worst fit, as the literature on scaling
 * consumer groups has it. Members come in the order of their load; each of a member's partitions goes, the largest
 * first, to an earlier member with room, until one finds none; then the member itself is kept and takes its rest, the
 * smallest first. What is left over goes, the largest first, to the member with most room, or to a new one. Pure.
 */
final class PartitionPacking {
    private final double[] sizes;
    private final List<Integer> kept = new ArrayList<>();
    private final List<Double> loads = new ArrayList<>();
    private final int[] places;

    private PartitionPacking(double[] sizes) {
        this.sizes = sizes;
        places = new int[sizes.length];
        Arrays.fill(places, -1);
    }

    /**
     * Who gets which partition.
     *
     * @param sizes what each partition takes of a member, 1 being all
     * @param owners of now
     * @return the number of a member for each partition, without gaps; members that stay keep their number if they can
     */
    static int[] pack(double[] sizes, int[] owners) {
        PartitionPacking packing = new PartitionPacking(sizes);
        packing.keepMembers(owners);
        return packing.numbered();
    }

    static int members(int[] owners) {
        return Arrays.stream(owners).max().orElse(0) + 1;
    }

    private void keepMembers(int[] owners) {
        int members = members(owners);
        double[] load = new double[members];
        IntStream.range(0, sizes.length).forEach(partition -> load[owners[partition]] += sizes[partition]);
        List<Integer> left = new ArrayList<>();
        IntStream.range(0, members)
                .boxed()
                .sorted(Comparator.comparingDouble((Integer member) -> -load[member]))
                .forEach(member -> left.addAll(keep(member, owners)));
        left.sort(Comparator.comparingDouble(partition -> -sizes[partition]));
        for (int partition : left) {
            int place = roomiest(partition);
            put(partition, place < 0 ? open(Integer.MAX_VALUE) : place);
        }
    }

    /** Moves what fits into earlier members, keeps the rest; returns what fits nowhere. */
    private List<Integer> keep(int member, int[] owners) {
        List<Integer> own = new ArrayList<>(IntStream.range(0, sizes.length)
                .filter(partition -> owners[partition] == member)
                .boxed()
                .sorted(Comparator.comparingDouble((Integer partition) -> -sizes[partition]))
                .toList());
        while (!own.isEmpty()) {
            int place = roomiest(own.getFirst());
            if (place < 0) {
                break;
            }
            put(own.removeFirst(), place);
        }
        if (own.isEmpty()) {
            return own;
        }
        int place = open(member);
        while (!own.isEmpty() && (loads.get(place) == 0 || loads.get(place) + sizes[own.getLast()] <= 1)) {
            put(own.removeLast(), place);
        }
        return own;
    }

    /** The place with most room in which a partition fits; negative if there is none. */
    private int roomiest(int partition) {
        int best = -1;
        for (int place = 0; place < loads.size(); place++) {
            boolean fits = loads.get(place) + sizes[partition] <= 1;
            best = fits && (best < 0 || loads.get(place) < loads.get(best)) ? place : best;
        }
        return best;
    }

    private int open(int member) {
        kept.add(member);
        loads.add(0.0);
        return loads.size() - 1;
    }

    private void put(int partition, int place) {
        places[partition] = place;
        loads.set(place, loads.get(place) + sizes[partition]);
    }

    /** A group loses its highest numbers first: who has a lower one keeps it, and the others fill the gaps. */
    private int[] numbered() {
        List<Integer> order =
                new ArrayList<>(IntStream.range(0, kept.size()).boxed().toList());
        order.sort(Comparator.comparingInt(kept::get));
        int[] numbers = new int[kept.size()];
        boolean[] taken = new boolean[kept.size()];
        List<Integer> others = new ArrayList<>();
        for (int place : order) {
            if (kept.get(place) < kept.size()) {
                numbers[place] = kept.get(place);
                taken[kept.get(place)] = true;
            } else {
                others.add(place);
            }
        }
        int next = 0;
        for (int place : others) {
            while (taken[next]) {
                next++;
            }
            numbers[place] = next;
            taken[next] = true;
        }
        return Arrays.stream(places).map(place -> numbers[place]).toArray();
    }
}
