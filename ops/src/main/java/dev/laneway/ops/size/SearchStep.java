package dev.laneway.ops.size;

/** What {@link RateSearch} asks for next. */
public sealed interface SearchStep {
    /** A short look at a rate, to come near: the lag may grow by a tenth of the load. */
    record Look(double rate) implements SearchStep {}

    /** A trial of a rate in a window of the usual length. */
    record Measure(double rate) implements SearchStep {}

    /** A trial in a window of twice the length, of a rate that was sustained before. */
    record Confirm(double rate) implements SearchStep {}

    /**
     * The end.
     *
     * @param rate the highest that was sustained, records a second
     * @param tooMuch the lowest above it that was not; infinite if there was none
     * @param end why the search ends
     * @param hasFallen whether rates that had been sustained no longer were
     */
    record Found(double rate, double tooMuch, End end, boolean hasFallen) implements SearchStep {}

    /** No rate was sustained at all. */
    record Nothing() implements SearchStep {}

    /** Why a search ends. */
    enum End {
        /** What is sustained and what is not are near enough. */
        NEAR_ENOUGH,
        /** The load cannot be raised further. */
        NO_MORE_LOAD,
        /** There were as many trials as there may be. */
        TRIALS_ENDED
    }
}
