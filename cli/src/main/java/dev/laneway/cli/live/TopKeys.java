package dev.laneway.cli.live;

import java.io.IOException;
import org.jline.utils.ClosedException;
import org.jline.utils.NonBlockingReader;

/** Reads keys. Used by one thread. */
final class TopKeys {
    private static final int ESCAPE = 27;
    private static final int CTRL_C = 3;
    private static final int CTRL_D = 4;
    /** So long the rest of a key's sequence may take; a lone Escape is none. */
    private static final long REST_MILLIS = 50;

    private final NonBlockingReader reader;

    TopKeys(NonBlockingReader reader) {
        this.reader = reader;
    }

    /** The next key; NONE if there is none so soon. The end of the input, or of the terminal, asks to quit. */
    TopView.Key next(long millis) throws IOException {
        try {
            return key(reader.read(millis));
        } catch (ClosedException hungUp) {
            return TopView.Key.QUIT;
        }
    }

    private TopView.Key key(int c) throws IOException {
        return switch (c) {
            case NonBlockingReader.READ_EXPIRED -> TopView.Key.NONE;
            case NonBlockingReader.EOF, 'q', 'Q', CTRL_C, CTRL_D -> TopView.Key.QUIT;
            case '?', 'h', 'H' -> TopView.Key.HELP;
            case 'k' -> TopView.Key.UP;
            case 'j' -> TopView.Key.DOWN;
            case ' ' -> TopView.Key.PAGE_DOWN;
            case 'b' -> TopView.Key.PAGE_UP;
            case 'g' -> TopView.Key.TOP;
            case '\t' -> TopView.Key.NEXT_SUBJECT;
            case 's' -> TopView.Key.NEXT_SORTING;
            case 'w' -> TopView.Key.WORST;
            case 'l' -> TopView.Key.LAG;
            case 'd' -> TopView.Key.RATE;
            case 'n' -> TopView.Key.NAME;
            case ESCAPE -> sequence();
            default -> TopView.Key.NONE;
        };
    }

    /** Arrows are ESC [ A or ESC O A, by the terminal's mode; Page Up is ESC [ 5 ~. */
    private TopView.Key sequence() throws IOException {
        int c = reader.read(REST_MILLIS);
        if (c != '[' && c != 'O') {
            return TopView.Key.NONE;
        }
        StringBuilder rest = new StringBuilder();
        do {
            c = reader.read(REST_MILLIS);
            rest.append((char) c);
        } while (c >= 0 && c < '@' && rest.length() < 16);
        return switch (rest.toString()) {
            case "A" -> TopView.Key.UP;
            case "B" -> TopView.Key.DOWN;
            case "C" -> TopView.Key.NEXT_SUBJECT;
            case "D", "Z" -> TopView.Key.PREVIOUS_SUBJECT;
            case "H", "1~" -> TopView.Key.TOP;
            case "5~" -> TopView.Key.PAGE_UP;
            case "6~" -> TopView.Key.PAGE_DOWN;
            default -> TopView.Key.NONE;
        };
    }
}
