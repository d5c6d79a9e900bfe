package dev.laneway.bench;

import java.util.List;

/** What is compared. One file each, with its topology drawn at the top. */
interface Scenario {
    /** As {@code --scenario} takes it. */
    String name();

    /** In one line. */
    String what();

    /** What others have published of the same. */
    default List<Published> published() {
        return List.of();
    }

    /** The settings, in the order in which they are taken. */
    List<Case> cases(Size size);

    /** The case and peers of a quick look. */
    default List<Case> quickCases(Size size) {
        return cases(size);
    }
}
