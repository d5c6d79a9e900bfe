package dev.laneway.cli.workload;

import dev.laneway.cli.program.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Shows the progress of a verb until it is closed: redrawn in place several times a second on a terminal, otherwise a
 * line every two seconds. Its own thread draws, also while the verb waits. Opened and closed by one thread.
 */
public final class LiveView implements AutoCloseable {
    private static final long FRAME_MILLIS = 200;
    private static final Duration LINES = Duration.ofSeconds(2);
    private static final Duration RATE_WINDOW = Duration.ofSeconds(3);
    private static final Pattern COLOURS = Pattern.compile("\u001b\\[[0-9;]*m");
    private static final String ERASE_BELOW = "\u001b[J";

    private final PrintStream out;
    private final Terminal terminal;
    private final Supplier<String> title;
    private final Duration lines;
    private final Supplier<Progress> progress;
    private final PrintStream systemErr = System.err;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Deque<Sample> samples = new ArrayDeque<>();
    private final long start = System.nanoTime();
    private final Thread drawer;
    private List<String> drawn = List.of();

    private record Sample(long nanos, long done) {}

    private LiveView(
            PrintStream out, Terminal terminal, Supplier<String> title, Duration lines, Supplier<Progress> progress) {
        this.out = out;
        this.terminal = terminal;
        this.title = title;
        this.lines = lines;
        this.progress = progress;
        this.drawer = Thread.ofPlatform().name("laneway-view").daemon().unstarted(this::draw);
    }

    /**
     * Starts to show it.
     *
     * @param progress asked by the drawing thread, several times a second
     */
    public static LiveView open(PrintStream out, Terminal terminal, String title, Supplier<Progress> progress) {
        return open(out, terminal, () -> title, progress);
    }

    /** The same with a title that changes; the drawing thread asks for it, too. */
    public static LiveView open(
            PrintStream out, Terminal terminal, Supplier<String> title, Supplier<Progress> progress) {
        LiveView view = new LiveView(out, terminal, title, LINES, progress);
        if (terminal.live()) {
            System.setErr(new PrintStream(view.new AroundThePicture(), true, view.systemErr.charset()));
        }
        view.drawer.start();
        return view;
    }

    /** Starts to show it as plain lines, also on a terminal: for long runs that are read in a log. */
    public static LiveView lines(PrintStream out, String title, Duration every, Supplier<Progress> progress) {
        return lines(out, () -> title, every, progress);
    }

    /**
     * The same with a title that changes.
     *
     * @param title asked by the drawing thread, for each line
     */
    public static LiveView lines(PrintStream out, Supplier<String> title, Duration every, Supplier<Progress> progress) {
        LiveView view = new LiveView(out, Terminal.none(), title, every, progress);
        view.drawer.start();
        return view;
    }

    /** Draws the last picture, which stays. */
    @Override
    public void close() {
        closed.countDown();
        try {
            drawer.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        if (terminal.live()) {
            System.setErr(systemErr);
        }
    }

    private void draw() {
        try {
            boolean last = false;
            while (!last) {
                last = closed.await(terminal.live() ? FRAME_MILLIS : lines.toMillis(), TimeUnit.MILLISECONDS);
                show(picture());
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private Picture picture() {
        Progress now = progress.get();
        long nanos = System.nanoTime();
        samples.addLast(new Sample(nanos, now.done()));
        while (samples.size() > 2 && nanos - samples.getFirst().nanos() > RATE_WINDOW.toNanos()) {
            samples.removeFirst();
        }
        Sample first = samples.getFirst();
        boolean single = samples.size() == 1;
        double seconds = (nanos - (single ? start : first.nanos())) / 1e9;
        long records = now.done() - (single ? 0 : first.done());
        return new Picture(title.get(), now, records / Math.max(1e-9, seconds), Duration.ofNanos(nanos - start));
    }

    private synchronized void show(Picture picture) {
        if (!terminal.live()) {
            out.println(picture.line());
            out.flush();
            return;
        }
        int width = terminal.width();
        redraw(picture.lines(width, terminal), width);
    }

    private void redraw(List<String> lines, int width) {
        StringBuilder frame = new StringBuilder(toTheTop(width));
        lines.forEach(line -> frame.append(line).append("\u001b[K\n"));
        out.print(frame.append(ERASE_BELOW));
        out.flush();
        drawn = lines;
    }

    /**
     * Moves the cursor to the picture's first line; lines that the terminal wraps since it became narrower count as
     * several.
     */
    private String toTheTop(int width) {
        int rows = 0;
        for (String line : drawn) {
            int columns = COLOURS.matcher(line).replaceAll("").length();
            rows += Math.max(1, (columns + width - 1) / width);
        }
        return rows == 0 ? "\r" : "\u001b[" + rows + "A\r";
    }

    /**
     * Standard error while a picture is shown: whole lines are written above it, so that a warning does not tear it.
     */
    private final class AroundThePicture extends ByteArrayOutputStream {
        @Override
        public void flush() {
            synchronized (LiveView.this) {
                String text = toString(systemErr.charset());
                int end = text.lastIndexOf('\n') + 1;
                if (end == 0) {
                    return;
                }
                int width = terminal.width();
                out.print(toTheTop(width) + ERASE_BELOW);
                out.flush();
                systemErr.print(text.substring(0, end));
                systemErr.flush();
                reset();
                writeBytes(text.substring(end).getBytes(systemErr.charset()));
                List<String> again = drawn;
                drawn = List.of();
                redraw(again, width);
            }
        }
    }
}
