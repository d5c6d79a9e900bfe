package dev.laneway.cli.workload;

import dev.laneway.cli.program.Terminal;
import dev.laneway.cli.program.Text;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * One picture of a verb at work, as lines of text. Immutable.
 *
 * @param title what is going on
 * @param progress how far it is
 * @param rate records per second, lately
 * @param elapsed since the start
 */
record Picture(String title, Progress progress, double rate, Duration elapsed) {
    private static final int LAG_ROWS = 6;
    private static final int LAG_BAR = 8;
    private static final int LEAST_BAR = 12;
    private static final String GAP = "   ";
    private static final String GREEN = "\u001b[32m";
    private static final String FAINT = "\u001b[2m";
    private static final String PLAIN = "\u001b[0m";

    /** Less may be done than before: what a deleted topic held is counted no more. That is no rate. */
    Picture {
        rate = Math.max(0, rate);
    }

    /**
     * The picture for a terminal that can redraw it; no line is wider than {@code width} columns, colours not counted.
     */
    List<String> lines(int width, Terminal terminal) {
        List<String> lines = new ArrayList<>();
        lines.add(clipped(title, width));
        if (progress.hasEnd()) {
            lines.addAll(bar(width, terminal));
        }
        lines.addAll(flowed(figures(), width));
        lines.addAll(lag(width, terminal));
        return lines;
    }

    /** The picture as one line, for logs and for what is no terminal. */
    String line() {
        StringBuilder line = new StringBuilder(title).append(": ");
        if (progress.hasEnd()) {
            line.append(counts())
                    .append(" (")
                    .append(Math.round(100 * progress.share()))
                    .append(" %), ");
        }
        line.append(String.join(", ", figures()));
        if (!progress.lag().isEmpty()) {
            line.append(", lag ").append(Text.count(progress.totalLag()));
            worst().ifPresent(worst -> line.append(" (most: ")
                    .append(worst.getKey())
                    .append(" with ")
                    .append(Text.count(worst.getValue()))
                    .append(')'));
        }
        return line.toString();
    }

    private List<String> bar(int width, Terminal terminal) {
        String percent = String.format("%4d %%", Math.round(100 * progress.share()));
        int beside = width - percent.length() - GAP.length() - counts().length();
        boolean oneLine = beside >= LEAST_BAR;
        int cells = oneLine ? beside : width - percent.length();
        String bar = filled(progress.share(), cells, terminal) + percent;
        return oneLine ? List.of(bar + GAP + counts()) : List.of(bar, clipped(counts(), width));
    }

    private String counts() {
        return Text.count(progress.done()) + " of " + Text.count(progress.total());
    }

    private List<String> figures() {
        List<String> figures = new ArrayList<>();
        if (!progress.hasEnd()) {
            figures.add(Text.count(progress.done()) + " records");
        }
        figures.add(Text.rate(rate) + " records/s");
        if (progress.running() != Progress.UNKNOWN) {
            figures.add(Text.count(progress.running()) + " in flight");
        }
        if (progress.held() != Progress.UNKNOWN) {
            figures.add(Text.count(progress.held()) + " held");
        }
        figures.add(Text.duration(Duration.ofSeconds(elapsed.toSeconds())) + " gone");
        long left = progress.total() - progress.done();
        if (progress.hasEnd() && left > 0 && rate > 0) {
            figures.add(Text.duration(Duration.ofSeconds((long) Math.ceil(left / rate))) + " to go");
        }
        return figures;
    }

    private List<String> lag(int width, Terminal terminal) {
        if (progress.lag().isEmpty()) {
            return List.of();
        }
        long most = Math.max(
                1,
                progress.lag().values().stream()
                        .mapToLong(Long::longValue)
                        .max()
                        .orElse(1));
        int names =
                progress.lag().keySet().stream().mapToInt(String::length).max().orElse(1);
        int numbers = Text.count(most).length();
        int cell = names + 1 + LAG_BAR + 1 + numbers;
        int columns = Math.max(1, (width + GAP.length()) / (cell + GAP.length()));
        List<Map.Entry<String, Long>> shown = shown(columns * LAG_ROWS);
        List<String> lines = new ArrayList<>();
        lines.add(clipped("lag " + Text.count(progress.totalLag()) + hidden(shown.size()), width));
        StringBuilder row = new StringBuilder();
        for (int i = 0; i < shown.size(); i++) {
            row.append(i % columns == 0 ? "" : GAP)
                    .append(" ".repeat(names - shown.get(i).getKey().length()));
            row.append(shown.get(i).getKey()).append(' ');
            long lag = shown.get(i).getValue();
            row.append(
                    filled((double) lag / most, Math.min(LAG_BAR, Math.max(1, width - names - numbers - 2)), terminal));
            row.append(String.format(" %" + numbers + "s", Text.count(lag)));
            if (i % columns == columns - 1 || i == shown.size() - 1) {
                lines.add(row.toString());
                row.setLength(0);
            }
        }
        return lines;
    }

    /** All partitions if they fit, in their order, else those with the largest lag. */
    private List<Map.Entry<String, Long>> shown(int most) {
        List<Map.Entry<String, Long>> all = List.copyOf(progress.lag().entrySet());
        return all.size() <= most
                ? all
                : all.stream()
                        .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
                        .limit(most)
                        .toList();
    }

    private String hidden(int shown) {
        int all = progress.lag().size();
        return shown == all ? " by partition" : " in " + all + " partitions, the " + shown + " largest";
    }

    private java.util.Optional<Map.Entry<String, Long>> worst() {
        return progress.lag().entrySet().stream()
                .filter(entry -> entry.getValue() > 0)
                .max(Map.Entry.comparingByValue());
    }

    private static String filled(double share, int cells, Terminal terminal) {
        int full = (int) Math.round(Math.max(0, Math.min(1, share)) * cells);
        String done = (terminal.unicode() ? "█" : "#").repeat(full);
        String open = (terminal.unicode() ? "░" : "-").repeat(cells - full);
        return terminal.colour() ? GREEN + done + FAINT + open + PLAIN : done + open;
    }

    private static List<String> flowed(List<String> pieces, int width) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String piece : pieces) {
            if (!line.isEmpty() && line.length() + GAP.length() + piece.length() > width) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : GAP).append(piece);
        }
        lines.add(line.toString());
        return lines;
    }

    private static String clipped(String text, int width) {
        return text.length() <= width ? text : text.substring(0, width - 3) + "...";
    }
}
