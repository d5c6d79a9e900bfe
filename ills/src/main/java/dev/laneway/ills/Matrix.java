package dev.laneway.ills;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What was staged against what check said: a line for each illness, a column for each strength. Stateless. */
final class Matrix {
    private static final String WRONG = "! ";
    private static final int GAP = 2;

    private Matrix() {}

    /** The lines, without blanks at their ends; a verdict that is wrong has an exclamation mark before it. */
    static List<String> lines(List<Trial> trials) {
        Set<Strength> strengths = new LinkedHashSet<>();
        Set<Illness> illnesses = new LinkedHashSet<>();
        for (Trial trial : trials) {
            strengths.add(trial.strength());
            illnesses.add(trial.illness());
        }
        List<List<String>> rows = new ArrayList<>();
        List<String> head = new ArrayList<>(List.of("staged"));
        strengths.forEach(strength -> head.add(strength.name().toLowerCase(Locale.ROOT)));
        rows.add(head);
        for (Illness illness : illnesses) {
            List<String> row = new ArrayList<>(List.of(illness.name()));
            strengths.forEach(strength -> row.add(verdict(find(trials, illness, strength))));
            rows.add(row);
        }
        return rows.stream().map(row -> line(row, rows)).toList();
    }

    private static @Nullable Trial find(List<Trial> trials, Illness illness, Strength strength) {
        return trials.stream()
                .filter(trial -> trial.illness().equals(illness) && trial.strength() == strength)
                .findFirst()
                .orElse(null);
    }

    private static String verdict(@Nullable Trial trial) {
        return trial == null ? "-" : (trial.isRight() ? "" : WRONG) + trial.verdict();
    }

    private static String line(List<String> row, List<List<String>> rows) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < row.size(); column++) {
            int at = column;
            int width =
                    rows.stream().mapToInt(each -> each.get(at).length()).max().orElse(0) + GAP;
            line.append(row.get(column))
                    .append(" ".repeat(width - row.get(column).length()));
        }
        return line.toString().stripTrailing();
    }

    /** How many are right, in one sentence. */
    static String sums(List<Trial> trials) {
        List<Trial> ill = trials.stream()
                .filter(trial -> trial.strength() != Strength.HEALTHY)
                .toList();
        long right = ill.stream().filter(Trial::isRight).count();
        long alarms = trials.stream().filter(Trial::isFalseAlarm).count();
        return right + " of " + ill.size() + " illnesses right, " + alarms + " false alarms of "
                + (trials.size() - ill.size());
    }
}
