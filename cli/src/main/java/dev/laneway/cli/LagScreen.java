package dev.laneway.cli;

import dev.laneway.cli.program.Lines;
import dev.laneway.cli.program.Terminal;
import dev.laneway.ops.GroupLag;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Where the lag is shown: a table that is redrawn in place on a terminal, otherwise a line of each group for each round
 * and one table at the end. Used by one thread.
 */
final class LagScreen {
    private static final int MOST_GROUPS_LIVE = 5;

    private final PrintStream out;
    private final Terminal terminal;
    private final int top;
    private int drawn;

    LagScreen(PrintStream out, Terminal terminal, int top) {
        this.out = out;
        this.terminal = terminal;
        this.top = top;
    }

    /** Shows a round that others will follow. */
    void show(List<GroupLag> groups, boolean isLong) {
        if (terminal.live()) {
            // A picture that is higher than the terminal cannot be redrawn.
            redraw(tables(groups.subList(0, Math.min(groups.size(), MOST_GROUPS_LIVE))));
        } else if (isLong) {
            groups.forEach(group -> out.println(LagTable.headline(group)));
            out.flush();
        }
    }

    /** Shows the last round. */
    void end(List<GroupLag> groups) {
        if (groups.isEmpty()) {
            redraw(List.of("no groups"));
        } else {
            redraw(tables(groups));
        }
        drawn = 0;
    }

    /** Says why a round has failed; the next one may succeed. */
    void failed(String reason) {
        if (terminal.live()) {
            redraw(List.of(Lines.cut("cannot measure: " + reason, terminal.width())));
        } else {
            out.println("cannot measure: " + reason);
            out.flush();
        }
    }

    private List<String> tables(List<GroupLag> groups) {
        List<String> lines = new ArrayList<>();
        int width = terminal.width();
        groups.forEach(group -> lines.addAll(LagTable.lines(group, width, terminal.unicode(), top)));
        return lines;
    }

    private void redraw(List<String> lines) {
        StringBuilder frame = new StringBuilder();
        if (terminal.live() && drawn > 0) {
            frame.append("\u001b[").append(drawn).append("A\r");
        }
        String end = terminal.live() ? "\u001b[K\n" : System.lineSeparator();
        lines.forEach(line -> frame.append(line).append(end));
        out.print(terminal.live() ? frame.append("\u001b[J") : frame);
        out.flush();
        drawn = lines.size();
    }
}
