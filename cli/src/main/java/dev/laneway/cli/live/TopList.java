package dev.laneway.cli.live;

import com.fasterxml.jackson.databind.JsonNode;
import dev.laneway.cli.live.TopView.Sorting;
import dev.laneway.cli.live.TopView.Subject;
import dev.laneway.cli.program.Lines;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The list below the figures, as lines that fit.
 *
 * @param title of the list
 * @param head the titles of its columns; null if it has none
 */
record TopList(String title, @Nullable String head, List<Row> rows) {
    private static final int NAME_LEAST = 12;
    private static final int NAME_MOST = 40;
    private static final int GAP = 2;
    /** Words are cut to no fewer characters; then their column is left out. */
    private static final int LEAST_WORDS = 12;

    /** One line of the list; one that is bad is to be seen first. */
    record Row(String text, boolean isBad) {}

    /** A column of a width; the columns stand in the order of what can be left out last. */
    private record Column(String title, int width, boolean isRight, Function<JsonNode, String> value) {}

    private static final List<Column> PARTITIONS = List.of(
            new Column("lag", 8, true, row -> FigureText.count(row, "lag")),
            new Column("held back by", 24, false, row -> FigureText.text(row, "heldBy")),
            new Column("waits", 8, true, FigureText::age),
            new Column("done/s", 8, true, row -> FigureText.rate(row, "done")),
            new Column("in/s", 8, true, row -> FigureText.rate(row, "appended")),
            new Column("in flight", 9, true, row -> FigureText.count(row, "queued")),
            new Column("why", 40, false, row -> FigureText.text(row, "why")));

    private static final List<Column> MEMBERS = List.of(
            new Column("lag", 8, true, row -> FigureText.count(row, "lag")),
            new Column("parts", 6, true, row -> FigureText.count(row, "partitions")),
            new Column("host", 16, false, row -> FigureText.text(row, "host")),
            new Column("state", 10, false, row -> FigureText.text(row.path("page"), "state")),
            new Column("verdict", 9, false, row -> FigureText.text(row.path("page"), "outcome")),
            new Column("done/s", 8, true, row -> FigureText.rate(row.path("page"), "done")),
            new Column("busy", 6, true, row -> FigureText.percent(row.path("page"), "busy")));

    private static final List<Column> RECORDS = List.of(
            new Column("for", 8, true, row -> FigureText.seconds(row.path("for").asDouble())),
            new Column("attempt", 7, true, row -> FigureText.count(row, "attempts")),
            new Column("last failure", 60, false, row -> FigureText.text(row, "error")));

    static TopList of(JsonNode frame, TopView view, int width) {
        Subject subject = view.subject();
        return switch (subject) {
            case PARTITIONS -> partitions(frame, view.sorting(), width);
            case MEMBERS -> members(frame, width);
            case RECORDS -> records(frame, width);
            case EVENTS -> events(frame, width);
            case EVIDENCE -> evidence(frame, width);
        };
    }

    private static TopList partitions(JsonNode frame, Sorting sorting, int width) {
        List<JsonNode> rows = new ArrayList<>();
        frame.path("rows").forEach(rows::add);
        switch (sorting) {
            case WORST -> {
                // As they come.
            }
            case LAG -> rows.sort(descending("lag"));
            case RATE -> rows.sort(descending("done"));
            case NAME -> rows.sort(Comparator.comparing(TopList::topic).thenComparingInt(TopList::number));
        }
        int all = frame.path("partitions").asInt();
        String more = rows.size() < all ? rows.size() + " of " + all + " partitions, " : "partitions, ";
        return table(more + sorting.words(), "partition", TopList::id, rows, PARTITIONS, width);
    }

    private static Comparator<JsonNode> descending(String name) {
        return Comparator.comparingDouble((JsonNode row) -> row.path(name).asDouble(-1))
                .reversed();
    }

    private static String id(JsonNode row) {
        return FigureText.text(row, "id");
    }

    private static String topic(JsonNode row) {
        String id = row.path("id").asText();
        return id.substring(0, Math.max(0, id.lastIndexOf('-')));
    }

    private static int number(JsonNode row) {
        String id = row.path("id").asText();
        try {
            return Integer.parseInt(id.substring(id.lastIndexOf('-') + 1));
        } catch (NumberFormatException none) {
            return 0;
        }
    }

    private static TopList members(JsonNode frame, int width) {
        List<JsonNode> rows = new ArrayList<>();
        frame.path("members").forEach(rows::add);
        String title = rows.isEmpty() ? "members: none, or one process shows itself" : "members";
        return table(title, "client", row -> FigureText.text(row, "client"), rows, MEMBERS, width);
    }

    /** Below those that are unfinished for longest how long all of the last minute took. */
    private static TopList records(JsonNode frame, int width) {
        List<JsonNode> unfinished = new ArrayList<>();
        frame.path("unfinished").forEach(unfinished::add);
        String title =
                unfinished.isEmpty() ? "records: none is unfinished, or they are not watched" : "unfinished records";
        TopList table =
                table(title, "record", row -> id(row) + "@" + row.path("offset").asLong(), unfinished, RECORDS, width);
        List<Row> rows = new ArrayList<>(table.rows());
        for (JsonNode of : frame.path("latencies")) {
            String times = FigureText.text(of, "name") + ": half " + FigureText.brief(of, "half") + ", 99 % "
                    + FigureText.brief(of, "p99") + ", longest " + FigureText.brief(of, "most");
            rows.add(new Row(Lines.cut(times, width), false));
        }
        return new TopList(title, table.head(), rows);
    }

    private static TopList events(JsonNode frame, int width) {
        List<Row> rows = new ArrayList<>();
        for (JsonNode event : frame.path("events")) {
            String line = FigureText.clock(event.path("at").asLong()) + " " + FigureText.text(event, "text");
            rows.add(
                    0,
                    new Row(
                            Lines.cut(line, width),
                            "failure".equals(event.path("kind").asText())));
        }
        return new TopList("what happened, the newest first", null, rows);
    }

    private static TopList evidence(JsonNode frame, int width) {
        List<Row> rows = new ArrayList<>();
        for (JsonNode list : List.of(frame.path("verdict").path("evidence"), frame.path("remarks"))) {
            for (JsonNode line : list) {
                Lines.wrap(FigureText.harmless(line.asText()), Math.max(TopPicture.LEAST_WRAP, width))
                        .forEach(part -> rows.add(new Row(part, false)));
            }
        }
        return new TopList(rows.isEmpty() ? "evidence: none" : "evidence", null, rows);
    }

    /** As many columns as there is room for, after a first one that names the row. */
    private static TopList table(
            String title,
            String nameTitle,
            Function<JsonNode, String> nameOf,
            List<JsonNode> rows,
            List<Column> all,
            int width) {
        int longest = nameTitle.length();
        for (JsonNode row : rows) {
            longest = Math.max(longest, nameOf.apply(row).length());
        }
        int name = Math.clamp(longest, NAME_LEAST, NAME_MOST);
        List<Column> shown = new ArrayList<>();
        int left = width - Math.min(name, NAME_LEAST);
        for (Column column : all) {
            int most = Math.min(column.width(), left - GAP);
            if (most < (column.isRight() ? column.width() : LEAST_WORDS)) {
                break;
            }
            left -= most + GAP;
            shown.add(new Column(column.title(), most, column.isRight(), column.value()));
        }
        // What is left goes to the name, which is cut at its beginning.
        int most = Math.min(name, NAME_LEAST + Math.max(0, left));
        StringBuilder head = new StringBuilder(padded(nameTitle, most, false));
        shown.forEach(column -> head.append("  ").append(padded(column.title(), column.width(), column.isRight())));
        List<Row> lines = new ArrayList<>();
        for (JsonNode row : rows) {
            StringBuilder line = new StringBuilder(padded(Lines.shorten(nameOf.apply(row), most), most, false));
            shown.forEach(column ->
                    line.append("  ").append(padded(column.value().apply(row), column.width(), column.isRight())));
            lines.add(new Row(line.toString().stripTrailing(), row.path("hold").asInt() >= TopPicture.BAD_HOLD));
        }
        return new TopList(title, rows.isEmpty() ? null : head.toString().stripTrailing(), lines);
    }

    private static String padded(String text, int width, boolean isRight) {
        String cut = Lines.cut(text, width);
        String space = " ".repeat(Math.max(0, width - cut.length()));
        return isRight ? space + cut : cut + space;
    }
}
