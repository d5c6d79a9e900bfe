package dev.laneway.bench.report;

import java.io.PrintStream;
import java.util.List;

/** Writes tables, whose first row is the header. */
final class Tables {
    private Tables() {}

    /** In columns. */
    static void print(PrintStream text, List<List<String>> table) {
        int[] widths = new int[table.getFirst().size()];
        for (List<String> row : table) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        for (List<String> row : table) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                line.append(row.get(i)).repeat(" ", widths[i] - row.get(i).length() + 2);
            }
            text.println(line.toString().stripTrailing());
        }
    }

    /** As markdown. */
    static void markdown(StringBuilder text, List<List<String>> table) {
        for (int i = 0; i < table.size(); i++) {
            text.append('|');
            for (String cell : table.get(i)) {
                text.append(' ')
                        .append(cell.replace("|", "\\|").replace('\n', ' '))
                        .append(" |");
            }
            text.append('\n');
            if (i == 0) {
                text.append("|---".repeat(table.getFirst().size())).append("|\n");
            }
        }
    }
}
