package dev.laneway.cli.live;

import com.fasterxml.jackson.databind.JsonNode;
import dev.laneway.cli.program.Lines;
import java.util.ArrayList;
import java.util.List;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

/**
 * A frame as lines of a terminal: the verdict first, then the figures, then a list. No line is wider than the terminal,
 * and there are no more than it has rows. Immutable.
 *
 * @param lines from the top
 * @param listRows of the list, shown or not, and {@code listRoom} how many can be shown at once
 */
record TopPicture(List<AttributedString> lines, int listRows, int listRoom) {
    /** From this code on a partition does not go on by itself: stuck, no progress, no member. */
    static final int BAD_HOLD = 10;
    /** Text is wrapped no narrower; the rest is cut. */
    static final int LEAST_WRAP = 20;

    private static final int CELL = 20;
    private static final long OLD_MILLIS = 4_000;
    private static final int MOST_SENTENCE_LINES = 3;
    private static final int MOST_REMEDY_LINES = 3;
    private static final int NARROW_CHART = 30;
    private static final List<String> HELP = List.of(
            "q, Ctrl-C     quit",
            "Tab, arrows   the next list, the one before",
            "s             the next order of the partitions",
            "w l d n       worst, lag, done/s, name first",
            "up, down      scroll; also j, k, Page Up, Page Down",
            "g, Home       back to the top",
            "? h           this, and back");

    /**
     * What the terminal is like.
     *
     * @param rows 0 for as many as it takes, with ten of the list
     * @param unicode whether it has block characters
     */
    record Room(int columns, int rows, boolean colour, boolean unicode) {
        private static final int LIST_WITHOUT_ROWS = 10;
    }

    /** @param nowMillis to tell how old the frame is */
    static TopPicture of(FrameSource.Reading reading, TopView view, TopTrail trail, Room room, long nowMillis) {
        List<AttributedString> lines = new ArrayList<>();
        JsonNode frame = reading.frame();
        if (frame == null) {
            wrapped(lines, reading.trouble(), room, AttributedStyle.BOLD, MOST_SENTENCE_LINES);
            return new TopPicture(fitted(lines, "q quit", room), 0, 0);
        }
        head(lines, frame, reading.trouble(), room, nowMillis);
        verdict(lines, frame.path("verdict"), room);
        figures(lines, frame, room);
        charts(lines, trail, room);
        TopList list = TopList.of(frame, view, room.columns());
        int foot = room.rows() == 0 ? 0 : 1;
        int taken = lines.size() + 1 + (list.head() == null ? 0 : 1) + foot;
        int listRoom = room.rows() == 0 ? Room.LIST_WITHOUT_ROWS : Math.max(0, room.rows() - taken);
        if (view.isHelp()) {
            lines.add(styled("keys", AttributedStyle.BOLD));
            HELP.forEach(line -> lines.add(new AttributedString(line)));
        } else {
            list(lines, list, view.first(), listRoom, room);
        }
        String keys = "q quit  ? keys  Tab " + view.subject().words() + "  s order";
        return new TopPicture(fitted(lines, keys, room), list.rows().size(), listRoom);
    }

    private static void head(List<AttributedString> lines, JsonNode frame, String trouble, Room room, long nowMillis) {
        JsonNode verdict = frame.path("verdict");
        long at = frame.path("at").asLong();
        long age = Math.max(0, nowMillis - at);
        String outcome = outcome(verdict.path("outcome").asText());
        String since = "for "
                + FigureText.seconds(Math.max(0, at - verdict.path("since").asLong()) / 1e3);
        AttributedStringBuilder line = new AttributedStringBuilder();
        line.append(" " + outcome + " ", outcomeStyle(outcome, room));
        line.append(" " + since + "  ");
        line.append(FigureText.text(frame, "name"), AttributedStyle.BOLD);
        line.append("  " + FigureText.text(frame, "state") + "  " + FigureText.clock(at));
        lines.add(line.toAttributedString());
        if (!trouble.isEmpty() || age > OLD_MILLIS) {
            String sentence = trouble.isEmpty() ? "No news." : FigureText.harmless(trouble);
            wrapped(
                    lines,
                    sentence + " What is shown is " + FigureText.seconds(age / 1e3) + " old.",
                    room,
                    coloured(AttributedStyle.RED, room).bold(),
                    MOST_SENTENCE_LINES);
        }
    }

    private static void verdict(List<AttributedString> lines, JsonNode verdict, Room room) {
        String sentence = FigureText.text(verdict, "sentence").replaceFirst("^(Healthy|Limited|Broken)[:,] ", "");
        if (!sentence.isEmpty()) {
            sentence = Character.toUpperCase(sentence.charAt(0)) + sentence.substring(1);
        }
        wrapped(lines, sentence, room, AttributedStyle.BOLD, MOST_SENTENCE_LINES);
        String blame = FigureText.text(verdict, "blame");
        if (verdict.path("blame").isTextual() && !blame.isEmpty()) {
            lines.add(new AttributedString("to blame: " + blame));
        }
        String remedy = FigureText.text(verdict, "remedy");
        if (!remedy.isEmpty()) {
            wrapped(lines, remedy, room, AttributedStyle.DEFAULT, MOST_REMEDY_LINES);
        }
        lines.add(AttributedString.EMPTY);
    }

    /** Figures side by side, as many as there is room for. */
    private static void figures(List<AttributedString> lines, JsonNode frame, Room room) {
        JsonNode of = frame.path("totals");
        List<String[]> cells = new ArrayList<>(List.of(
                new String[] {"done/s", FigureText.rate(of, "done")},
                new String[] {"in/s", FigureText.rate(of, "appended")},
                new String[] {"lag", FigureText.count(of, "lag")},
                new String[] {"waits", FigureText.age(of)},
                new String[] {"clear in", FigureText.clearing(of)},
                new String[] {"parts", FigureText.count(frame, "partitions")}));
        if (FigureText.isKnown(of, "limit")) {
            cells.add(new String[] {"flying", FigureText.count(of, "running") + "/" + FigureText.count(of, "limit")});
            cells.add(new String[] {"busy", FigureText.percent(of, "busy")});
            cells.add(new String[] {"held", FigureText.count(of, "held")});
            cells.add(new String[] {"bytes", FigureText.bytes(of, "heldBytes")});
        } else {
            cells.add(new String[] {
                "members", Integer.toString(frame.path("members").size())
            });
        }
        int inLine = Math.max(1, room.columns() / CELL);
        for (int from = 0; from < cells.size(); from += inLine) {
            AttributedStringBuilder line = new AttributedStringBuilder();
            for (String[] cell : cells.subList(from, Math.min(cells.size(), from + inLine))) {
                int space = CELL - 1 - cell[0].length() - cell[1].length() - 1;
                line.append(cell[0], faint()).append(" ").append(cell[1], AttributedStyle.BOLD);
                line.append(" ".repeat(Math.max(1, space + 1)));
            }
            lines.add(line.toAttributedString());
        }
    }

    private static void charts(List<AttributedString> lines, TopTrail trail, Room room) {
        if (room.rows() < 20) {
            return; // The list needs the room.
        }
        int columns = Math.min(120, room.columns() - 8);
        if (columns < NARROW_CHART) {
            return;
        }
        for (String[] chart : List.of(
                new String[] {"done/s  ", trail.rate(columns, room.unicode())},
                new String[] {"lag     ", trail.lag(columns, room.unicode())})) {
            AttributedStringBuilder line = new AttributedStringBuilder();
            line.append(chart[0], faint()).append(chart[1], coloured(AttributedStyle.CYAN, room));
            lines.add(line.toAttributedString());
        }
    }

    private static void list(List<AttributedString> lines, TopList list, int first, int listRoom, Room room) {
        int rows = list.rows().size();
        int from = Math.clamp(first, 0, Math.max(0, rows - listRoom));
        String position = from == 0 ? "" : ", from " + (from + 1);
        lines.add(styled(list.title() + position, AttributedStyle.BOLD));
        if (list.head() != null) {
            lines.add(styled(list.head(), faint()));
        }
        for (TopList.Row row : list.rows().subList(from, Math.min(rows, from + listRoom))) {
            lines.add(styled(
                    row.text(),
                    row.isBad() ? coloured(AttributedStyle.RED, room).bold() : AttributedStyle.DEFAULT));
        }
    }

    private static String outcome(String name) {
        return switch (name) {
            case "HEALTHY", "LIMITED", "BROKEN" -> name;
            default -> "NOT KNOWN";
        };
    }

    private static AttributedStyle outcomeStyle(String outcome, Room room) {
        int colour = switch (outcome) {
            case "HEALTHY" -> AttributedStyle.GREEN;
            case "LIMITED" -> AttributedStyle.YELLOW;
            case "BROKEN" -> AttributedStyle.RED;
            default -> AttributedStyle.WHITE;
        };
        return coloured(colour, room).bold().inverse();
    }

    private static AttributedStyle coloured(int colour, Room room) {
        return room.colour() ? AttributedStyle.DEFAULT.foreground(colour) : AttributedStyle.DEFAULT;
    }

    private static AttributedStyle faint() {
        return AttributedStyle.DEFAULT.faint();
    }

    private static AttributedString styled(String text, AttributedStyle style) {
        return new AttributedString(text, style);
    }

    private static void wrapped(List<AttributedString> lines, String text, Room room, AttributedStyle style, int most) {
        List<String> parts = Lines.wrap(text, Math.max(LEAST_WRAP, room.columns()));
        for (int part = 0; part < Math.min(most, parts.size()); part++) {
            boolean isCut = part == most - 1 && parts.size() > most;
            lines.add(styled(isCut ? Lines.cut(parts.get(part) + " ~", room.columns()) : parts.get(part), style));
        }
    }

    /** With a last line that tells the keys, if there is a last line. */
    private static List<AttributedString> fitted(List<AttributedString> lines, String keys, Room room) {
        int most = room.rows() == 0 ? Integer.MAX_VALUE : Math.max(1, room.rows() - 1);
        List<AttributedString> fitted = new ArrayList<>();
        lines.stream().limit(most).forEach(line -> fitted.add(cut(line, room)));
        if (room.rows() > 1) {
            while (fitted.size() < most) {
                fitted.add(AttributedString.EMPTY);
            }
            fitted.add(cut(styled(keys, faint()), room));
        }
        return fitted;
    }

    /** By columns, since some characters take two. */
    private static AttributedString cut(AttributedString line, Room room) {
        return line.columnLength() <= room.columns() ? line : line.columnSubSequence(0, room.columns());
    }
}
