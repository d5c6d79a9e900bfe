package dev.laneway.cli.size;

import dev.laneway.cli.program.Lines;
import dev.laneway.cli.program.Terminal;
import dev.laneway.cli.program.Text;
import dev.laneway.ops.size.Trial;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;

/** Says how far a sizing is: a line for each trial, and on a terminal what is being done. Used by one thread. */
final class SizeProgress {
    private final PrintStream out;
    private final PrintStream errors;
    private final Terminal terminal;
    private long endNanos = System.nanoTime();
    private String drawn = "";

    SizeProgress(PrintStream out, PrintStream errors, Terminal terminal) {
        this.out = out;
        this.errors = errors;
        this.terminal = terminal;
    }

    /** How long all will take from now on, about. */
    void expect(Duration left) {
        endNanos = System.nanoTime() + left.toNanos();
    }

    /** What is being done; called again and again while it is. */
    void doing(String what) {
        if (terminal.live()) {
            String line = Lines.cut(what + "; " + left() + " left", terminal.width() - 1);
            if (!line.equals(drawn)) {
                errors.print("\r" + line + "\u001b[K");
                errors.flush();
                drawn = line;
            }
        }
    }

    private String left() {
        long seconds = Math.max(0, (endNanos - System.nanoTime()) / 1_000_000_000);
        return "about " + Text.duration(Duration.ofSeconds(seconds < 60 ? seconds : seconds / 10 * 10));
    }

    /** A line that stays. */
    void say(String text) {
        clear();
        Lines.wrap(text, terminal.width()).forEach(out::println);
        out.flush();
    }

    /** What came of a trial. */
    void trial(Trial trial, String note) {
        clear();
        String line = String.format(
                Locale.ROOT,
                "%2d x %11s/s %-12s%s%s",
                trial.instances(),
                Text.rate(trial.seen().offered()),
                trial.keepsUp() ? "keeps up" : "falls behind",
                trial.keepsUp()
                        ? " lag " + Text.count(Math.round(trial.seen().lag()))
                        : " does " + Text.rate(trial.seen().handled()) + "/s",
                note.isEmpty() ? "" : "; " + note);
        out.println(Lines.cut(
                terminal.live() ? line : line + "; " + left() + " left",
                Math.max(terminal.width(), Terminal.LEAST_WIDTH)));
        out.flush();
    }

    private void clear() {
        if (!drawn.isEmpty()) {
            errors.print("\r\u001b[K");
            errors.flush();
            drawn = "";
        }
    }

    /** Removes what is drawn. */
    void end() {
        clear();
    }
}
