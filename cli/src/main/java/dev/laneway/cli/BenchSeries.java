package dev.laneway.cli;

import java.util.ArrayList;
import java.util.List;

/**
 * A measurement that is repeated. Immutable.
 *
 * @param name for people, as "p1 t512"
 * @param warmUp rounds that are taken and not counted: the JIT compiler and the page cache come to rest in them
 * @param measured rounds that count
 * @param roundSeconds about how long a round takes, for the estimate of what is left
 * @param kinds what the values of a round are
 */
record BenchSeries(
        String name, int warmUp, int measured, double roundSeconds, List<BenchFigure.Kind> kinds, Taking taking) {
    /** Takes one round. */
    interface Taking {
        /** Returns a value for each kind, in their order. */
        double[] round() throws InterruptedException;
    }

    int rounds() {
        return warmUp + measured;
    }

    double seconds() {
        return rounds() * roundSeconds;
    }

    /** "p1 t512, round 3 of 13 (warm-up)", for the rounds from 0 on. */
    String title(int round) {
        return name + ", round " + (round + 1) + " of " + rounds() + (round < warmUp ? " (warm-up)" : "");
    }

    /** "bare 1,200,000 records/s, key 0.81". */
    String line(double[] values) {
        List<String> words = new ArrayList<>();
        for (int i = 0; i < kinds.size(); i++) {
            words.add(kinds.get(i).label() + " " + kinds.get(i).unit().writeWithUnit(values[i]));
        }
        return String.join(", ", words);
    }

    /** The figures, from all rounds. */
    List<BenchFigure> figures(List<double[]> taken) {
        List<BenchFigure> figures = new ArrayList<>();
        for (int i = 0; i < kinds.size(); i++) {
            int column = i;
            List<Double> values =
                    taken.stream().skip(warmUp).map(round -> round[column]).toList();
            figures.add(new BenchFigure(kinds.get(i), values));
        }
        return figures;
    }
}
