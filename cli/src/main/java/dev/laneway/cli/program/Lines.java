package dev.laneway.cli.program;

import java.util.ArrayList;
import java.util.List;

/** Fits text into columns. Pure functions. */
public final class Lines {
    private static final String INDENT = "    ";

    private Lines() {}

    /** Cuts a line; a tilde says so. */
    public static String cut(String line, int width) {
        return line.length() <= width ? line : line.substring(0, width - 1) + "~";
    }

    /** Cuts a name at its beginning: the names of partitions differ at their ends. */
    public static String shorten(String name, int most) {
        return name.length() <= most ? name : "~" + name.substring(name.length() - most + 1);
    }

    /** Breaks text at spaces; the further lines are indented. */
    public static List<String> wrap(String text, int width) {
        List<String> lines = new ArrayList<>();
        String left = text;
        while (left.length() > width) {
            int space = left.lastIndexOf(' ', width);
            int end = space > 6 ? space : width;
            lines.add(left.substring(0, end));
            left = INDENT + left.substring(end).stripLeading();
        }
        lines.add(left);
        return lines;
    }
}
