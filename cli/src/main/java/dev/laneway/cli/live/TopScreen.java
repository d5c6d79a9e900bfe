package dev.laneway.cli.live;

import dev.laneway.cli.live.TopPicture.Room;
import dev.laneway.cli.program.Stop;
import java.io.IOException;
import java.time.Duration;
import org.jline.terminal.Attributes;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.utils.Display;
import org.jline.utils.InfoCmp.Capability;
import org.jspecify.annotations.Nullable;

/**
 * The whole terminal, while it is open: another screen than the one that the user had, which comes back with the
 * terminal's modes when this is closed, however that comes about. Used by one thread.
 */
final class TopScreen implements AutoCloseable {
    private static final long LOOK_MILLIS = 200;
    private static final int USUAL_COLUMNS = 80;
    private static final int USUAL_ROWS = 24;

    private final Terminal terminal;
    private final boolean colour;
    private final boolean unicode;
    private final Attributes before;
    private final Display display;
    private final TopKeys keys;
    private final TopTrail trail = new TopTrail();
    private TopView view = TopView.FIRST;
    private long frames;
    private long lastAt;
    private boolean isRestored;

    /** @param terminal is closed with this */
    TopScreen(Terminal terminal, boolean colour, boolean unicode) {
        this.terminal = terminal;
        this.colour = colour;
        this.unicode = unicode;
        this.before = terminal.enterRawMode();
        this.keys = new TopKeys(terminal.reader());
        this.display = new Display(terminal, true);
        terminal.puts(Capability.enter_ca_mode);
        terminal.puts(Capability.cursor_invisible);
        terminal.flush();
    }

    /**
     * Shows until the user quits, or a signal asks for it, or the time is over. Returns how many frames came.
     *
     * @param atMost null for as long as the user likes
     */
    long run(FrameSource source, Stop stop, @Nullable Duration atMost) throws IOException {
        long begun = System.nanoTime();
        long end = atMost == null ? Long.MAX_VALUE : atMost.toNanos();
        TopView.Key key = TopView.Key.NONE;
        while (key != TopView.Key.QUIT && !stop.isRequested() && System.nanoTime() - begun < end) {
            TopPicture picture = draw(source.latest(), System.currentTimeMillis());
            key = keys.next(LOOK_MILLIS);
            view = view.after(key, picture.listRows(), Math.max(1, picture.listRoom()));
        }
        return frames;
    }

    private TopPicture draw(FrameSource.Reading reading, long nowMillis) {
        if (reading.frame() != null) {
            trail.add(reading.frame());
            long at = reading.frame().path("at").asLong();
            frames += at == lastAt ? 0 : 1;
            lastAt = at;
        }
        // Asked each time: so a window that has become smaller needs no signal.
        Size size = terminal.getSize();
        int columns = size.getColumns() > 0 ? size.getColumns() : USUAL_COLUMNS;
        int rows = size.getRows() > 0 ? size.getRows() : USUAL_ROWS;
        if (columns != display.getColumns() || rows != display.getRows()) {
            display.resize(Size.of(columns, rows));
            display.clear(); // The terminal has moved what it showed: all is drawn again.
        }
        TopPicture picture = TopPicture.of(reading, view, trail, new Room(columns, rows, colour, unicode), nowMillis);
        display.update(picture.lines(), 0);
        return picture;
    }

    /** Gives the terminal back as it was; once is enough. */
    void restore() {
        if (isRestored) {
            return;
        }
        isRestored = true;
        terminal.puts(Capability.exit_ca_mode);
        terminal.puts(Capability.cursor_normal);
        terminal.flush();
        terminal.setAttributes(before);
    }

    @Override
    public void close() throws IOException {
        restore();
        terminal.close();
    }
}
