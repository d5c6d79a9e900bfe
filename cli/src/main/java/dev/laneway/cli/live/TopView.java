package dev.laneway.cli.live;

import java.util.List;

/**
 * What the user has chosen to see. Immutable.
 *
 * @param first how many rows of the list are left out above
 * @param isHelp whether the keys are explained in place of the list
 */
record TopView(Subject subject, Sorting sorting, int first, boolean isHelp) {
    static final TopView FIRST = new TopView(Subject.PARTITIONS, Sorting.WORST, 0, false);

    /** What the list is of. */
    enum Subject {
        PARTITIONS("partitions"),
        MEMBERS("members"),
        RECORDS("records"),
        EVENTS("what happened"),
        EVIDENCE("evidence");

        private final String words;

        Subject(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }
    }

    /** The order of the partitions. */
    enum Sorting {
        WORST("the worst first"),
        LAG("the most lag first"),
        RATE("the fastest first"),
        NAME("by name");

        private final String words;

        Sorting(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }
    }

    /** What a key asks for. */
    enum Key {
        QUIT,
        HELP,
        UP,
        DOWN,
        PAGE_UP,
        PAGE_DOWN,
        TOP,
        NEXT_SUBJECT,
        PREVIOUS_SUBJECT,
        NEXT_SORTING,
        WORST,
        LAG,
        RATE,
        NAME,
        NONE
    }

    /** The view after a key; one that scrolls goes no further than the list, which {@code rows} tells. */
    TopView after(Key key, int rows, int page) {
        return switch (key) {
            case HELP -> new TopView(subject, sorting, first, !isHelp);
            case UP -> scrolled(first - 1, rows, page);
            case DOWN -> scrolled(first + 1, rows, page);
            case PAGE_UP -> scrolled(first - page, rows, page);
            case PAGE_DOWN -> scrolled(first + page, rows, page);
            case TOP -> scrolled(0, rows, page);
            case NEXT_SUBJECT -> of(beside(List.of(Subject.values()), subject, 1));
            case PREVIOUS_SUBJECT -> of(beside(List.of(Subject.values()), subject, -1));
            case NEXT_SORTING -> sorted(beside(List.of(Sorting.values()), sorting, 1));
            case WORST -> sorted(Sorting.WORST);
            case LAG -> sorted(Sorting.LAG);
            case RATE -> sorted(Sorting.RATE);
            case NAME -> sorted(Sorting.NAME);
            case QUIT, NONE -> this;
        };
    }

    private TopView scrolled(int to, int rows, int page) {
        return new TopView(subject, sorting, Math.clamp(to, 0, Math.max(0, rows - page)), false);
    }

    private TopView of(Subject other) {
        return new TopView(other, sorting, 0, false);
    }

    /** The one that stands so far behind it, around the end. */
    private static <E> E beside(List<E> all, E one, int step) {
        return all.get(Math.floorMod(all.indexOf(one) + step, all.size()));
    }

    private TopView sorted(Sorting other) {
        return new TopView(Subject.PARTITIONS, other, 0, false);
    }
}
