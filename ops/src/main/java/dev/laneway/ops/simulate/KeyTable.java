package dev.laneway.ops.simulate;

import java.util.SplittableRandom;

/**
 * Draws keys by their weights, partition by partition, in constant time: Vose's alias method. The key of rank r is in
 * partition r modulo the number of partitions. Immutable.
 */
final class KeyTable {
    private final int partitions;
    private final int keys;
    private final int turn;
    private final double[] shares;
    private final double[] own;
    private final int[] alias;
    private final boolean isAlike;

    /** @param turn by how many places ranks are turned to get keys, so that other keys are the frequent ones */
    KeyTable(Keys of, int partitions, int turn) {
        this.partitions = partitions;
        keys = of.count();
        this.turn = turn;
        isAlike = of.zipf() == 0 && of.hotShare() == 0;
        shares = new double[partitions];
        double[] weights = new double[keys];
        double sum = 0;
        for (int rank = 0; rank < keys; rank++) {
            weights[rank] = of.weight(rank);
            sum += weights[rank];
        }
        double rest = of.hotShare() > 0 ? 1 - of.hotShare() : 1;
        for (int rank = 0; rank < keys; rank++) {
            weights[rank] = sum == 0 ? 0 : weights[rank] / sum * rest;
            if (rank == 0 && of.hotShare() > 0) {
                weights[rank] = keys == 1 ? 1 : of.hotShare();
            }
            shares[partition((rank + turn) % keys)] += weights[rank];
        }
        own = new double[isAlike ? 0 : keys];
        alias = new int[isAlike ? 0 : keys];
        for (int partition = 0; partition < partitions && !isAlike; partition++) {
            fill(partition, weights);
        }
    }

    /** The share of a partition in all records. */
    double share(int partition) {
        return shares[partition];
    }

    int partition(int key) {
        return key % partitions;
    }

    /** How many keys a partition has. */
    int count(int partition) {
        return partition >= keys ? 0 : (keys - partition - 1) / partitions + 1;
    }

    /** A key of a partition that has some. */
    int draw(int partition, SplittableRandom random) {
        int count = count(partition);
        int place = random.nextInt(count);
        int key = place * partitions + partition;
        return isAlike || random.nextDouble() < own[key] ? key : alias[key];
    }

    private void fill(int partition, double[] weights) {
        int count = count(partition);
        IntRing small = new IntRing();
        IntRing large = new IntRing();
        double[] scaled = new double[count];
        for (int place = 0; place < count; place++) {
            int key = place * partitions + partition;
            int rank = Math.floorMod(key - turn, keys);
            scaled[place] = shares[partition] == 0 ? 1 : weights[rank] / shares[partition] * count;
            (scaled[place] < 1 ? small : large).add(place);
        }
        while (!small.isEmpty() && !large.isEmpty()) {
            int less = small.take();
            int more = large.take();
            own[less * partitions + partition] = scaled[less];
            alias[less * partitions + partition] = more * partitions + partition;
            scaled[more] -= 1 - scaled[less];
            (scaled[more] < 1 ? small : large).add(more);
        }
        while (!small.isEmpty() || !large.isEmpty()) {
            int place = small.isEmpty() ? large.take() : small.take();
            own[place * partitions + partition] = 1;
        }
    }
}
