package dev.laneway.ops.simulate;

/** Something that goes wrong for a while. Immutable. */
public sealed interface Disturbance {
    /** When it begins, in seconds from the start. */
    double from();

    /** How long it lasts, in seconds. */
    double lasting();

    /** When it is over. */
    default double until() {
        return from() + lasting();
    }

    /** What the handlers call answers more slowly: records that begin meanwhile take {@code factor} times as long. */
    record Slowdown(double from, double lasting, double factor) implements Disturbance {
        /** Checks each value. */
        public Slowdown {
            Check.notNegative("from", from);
            Check.positive("lasting", lasting);
            Check.positive("factor", factor);
        }
    }

    /** Records of the most frequent key that begin meanwhile do not end before it is over. */
    record StuckKey(double from, double lasting) implements Disturbance {
        /** Checks each value. */
        public StuckKey {
            Check.notNegative("from", from);
            Check.positive("lasting", lasting);
        }
    }
}
