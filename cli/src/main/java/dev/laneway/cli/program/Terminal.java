package dev.laneway.cli.program;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What the output stream for people can show. Java only tells whether standard input and output both are a terminal,
 * and not its width, so this runs {@code test} and {@code stty}; without them, text is plain. Immutable except for the
 * width, which is read each time.
 *
 * @param live whether the cursor can be moved, so that a picture can be redrawn in place
 * @param colour whether to use colours: not with NO_COLOR
 * @param unicode whether the stream's encoding has block characters
 * @param fixedWidth columns, or 0 to ask the terminal
 */
public record Terminal(boolean live, boolean colour, boolean unicode, int fixedWidth) {
    static final int USUAL_WIDTH = 80;
    public static final int LEAST_WIDTH = 40;
    private static final int STANDARD_OUT = 1;
    private static final int STANDARD_ERROR = 2;

    /** Not a terminal: plain lines. */
    public static Terminal none() {
        return new Terminal(false, false, false, USUAL_WIDTH);
    }

    /** Looks at the process's standard output or, where people read that, standard error. */
    static Terminal of(PrintStream stream, Map<String, String> environment) {
        boolean out = stream.equals(System.out);
        if (!out && !stream.equals(System.err)) {
            return none();
        }
        boolean live = !"dumb".equals(environment.get("TERM")) && isTerminal(out ? STANDARD_OUT : STANDARD_ERROR);
        boolean colour = live && environment.getOrDefault("NO_COLOR", "").isEmpty();
        return new Terminal(live, colour, stream.charset().equals(StandardCharsets.UTF_8), 0);
    }

    /** Columns now, at least {@value #LEAST_WIDTH}. */
    public int width() {
        int columns = fixedWidth != 0 ? fixedWidth : live ? askedWidth() : USUAL_WIDTH;
        return Math.max(LEAST_WIDTH, columns);
    }

    private static boolean isTerminal(int descriptor) {
        ProcessBuilder test = new ProcessBuilder("test", "-t", Integer.toString(descriptor));
        test.redirectInput(Redirect.INHERIT).redirectOutput(Redirect.INHERIT).redirectError(Redirect.INHERIT);
        try {
            Process process = test.start();
            return process.waitFor(2, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException noSuchProgram) {
            return false;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static int askedWidth() {
        ProcessBuilder stty = new ProcessBuilder("stty", "size");
        stty.redirectInput(new File("/dev/tty")).redirectError(Redirect.DISCARD);
        try {
            Process process = stty.start();
            String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
            int columns = Integer.parseInt(answer.substring(answer.indexOf(' ') + 1));
            return columns > 0 ? columns : USUAL_WIDTH;
        } catch (IOException | NumberFormatException unknown) {
            return USUAL_WIDTH;
        }
    }
}
