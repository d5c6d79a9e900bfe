package dev.laneway.bench.scenario;

import java.util.List;

/** A comparison. One file each, with its topology drawn at the top. */
public interface Scenario {
    /** The name for {@code --scenario}. */
    String name();

    /** In one line. */
    String what();

    /** What others have published. */
    default List<Published> published() {
        return List.of();
    }

    /**
     * How often each arm is run unless that is asked for; fewer where an arm takes turns by itself.
     *
     * @param usual how often those of other scenarios are
     */
    default int runs(int usual) {
        return usual;
    }

    /** Whether it is measured only where its name is given, and is no part of the whole. */
    default boolean isByNameOnly() {
        return false;
    }

    /** The settings, in the order in which they are measured. */
    List<Case> cases(Size size);

    /** The case and peers of a quick look. */
    default List<Case> quickCases(Size size) {
        return cases(size);
    }
}
