package dev.laneway.cli;

import java.util.function.IntSupplier;

/** The topics that are measured on, as they are at full scale. Immutable. */
enum BenchTopic {
    T512("t512", 6, 1_000_000, 512, 100_000),
    T100("t100", 6, 4_000_000, 100, 100_000),
    HOT("hot", 1, 1_000_000, 100, 1),
    /** Its keys are dealt in turn: drawn ones would differ in length, and the longest would set the time. */
    K100("k100", 10, 100_000, 100, 100) {
        @Override
        IntSupplier keysOf(Loader.Plan plan) {
            return new InTurn(plan.keys());
        }
    },
    T1K("t1k", 10, 1_000_000, 100, 100_000),
    T10K("t10k", 10, 3_000_000, 100, 100_000);

    private static final int LEAST_RECORDS = 1_000;
    private static final double CREATION_SECONDS = 1;
    private static final double LOADED_PER_SECOND = 400_000;

    private final String label;
    private final int partitions;
    private final long records;
    private final int size;
    private final int keys;

    BenchTopic(String label, int partitions, long records, int size, int keys) {
        this.label = label;
        this.partitions = partitions;
        this.records = records;
        this.size = size;
        this.keys = keys;
    }

    /** What figures call it. */
    String label() {
        return label;
    }

    int partitions() {
        return partitions;
    }

    int keys() {
        return keys;
    }

    /** How many records it gets at a scale. */
    long records(double scale) {
        return Math.max(LEAST_RECORDS, Math.round(records * scale));
    }

    /** About how long loading it takes, for the estimate of what is left. */
    double loadSeconds(double scale) {
        return CREATION_SECONDS + records(scale) / LOADED_PER_SECOND;
    }

    Loader.Plan plan(String name, double scale) {
        return new Loader.Plan(name, records(scale), keys, 0, size, 0);
    }

    /** Which key each record gets. */
    IntSupplier keysOf(Loader.Plan plan) {
        return plan.picker()::next;
    }

    /** One key after the other. Not thread-safe. */
    private static final class InTurn implements IntSupplier {
        private final int keys;
        private int next;

        InTurn(int keys) {
            this.keys = keys;
        }

        @Override
        public int getAsInt() {
            int key = next;
            next = key + 1 == keys ? 0 : key + 1;
            return key;
        }
    }
}
