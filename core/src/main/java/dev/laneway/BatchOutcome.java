package dev.laneway;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The outcomes of the records of a batch. Immutable. */
public sealed interface BatchOutcome {
    /** Every record is done. */
    static BatchOutcome done() {
        return AllDone.INSTANCE;
    }

    /**
     * One outcome per record, in the order of the batch. If a record is retried, later records of its lane in the same
     * batch are retried too, so that the order holds.
     */
    static BatchOutcome each(List<Outcome> outcomes) {
        return new Each(outcomes);
    }

    /** The named positions (0 is the first record) have these outcomes; every other record is done. */
    static BatchOutcome except(int size, Map<Integer, Outcome> exceptions) {
        Outcome[] outcomes = new Outcome[size];
        Arrays.fill(outcomes, Outcome.done());
        exceptions.forEach((index, outcome) -> outcomes[index] = outcome);
        return new Each(List.of(outcomes));
    }

    /** See {@link BatchOutcome#done()}. */
    enum AllDone implements BatchOutcome {
        /** The only value. */
        INSTANCE
    }

    /** See {@link BatchOutcome#each(List)}. */
    record Each(List<Outcome> outcomes) implements BatchOutcome {
        /** Copies the list. */
        public Each {
            outcomes = List.copyOf(outcomes);
        }
    }
}
