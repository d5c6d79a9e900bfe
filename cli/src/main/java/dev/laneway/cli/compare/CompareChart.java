package dev.laneway.cli.compare;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * A small picture with two axes from 0 on, as SVG whose colours a style sheet gives. Not XChart: that writes its own
 * colours into the picture, which are right for light pages only. Used by one thread.
 */
final class CompareChart {
    private static final int WIDTH = 460;
    private static final int HEIGHT = 240;
    private static final int LEFT = 44;
    private static final int BOTTOM = 26;
    private static final int TOP = 12;
    private static final int RIGHT = 12;
    private static final int POINTS = 300;

    private final StringBuilder parts = new StringBuilder();
    private final String name;
    private double across = 1;
    private double up = 1;

    CompareChart(String name) {
        this.name = name;
    }

    /** The ends of both axes, and marks at quarters. */
    void axes(double mostAcross, double mostUp) {
        across = nice(mostAcross);
        up = nice(mostUp);
        for (int i = 0; i <= 4; i++) {
            double x = x(across * i / 4);
            double y = y(up * i / 4);
            parts.append(String.format(
                    Locale.ROOT,
                    "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>",
                    LEFT,
                    y,
                    WIDTH - RIGHT,
                    y));
            text(LEFT - 4, y + 4, "end", number(up * i / 4));
            text(x, HEIGHT - BOTTOM + 16, "middle", number(across * i / 4));
        }
    }

    <T> void line(String style, String title, List<T> items, ToDoubleFunction<T> atAcross, ToDoubleFunction<T> atUp) {
        parts.append("<polyline class=\"").append(style).append("\" points=\"");
        int step = Math.max(1, items.size() / POINTS);
        for (int i = 0; i < items.size(); i += step) {
            T item = items.get(i);
            parts.append(String.format(
                    Locale.ROOT, "%.1f,%.1f ", x(atAcross.applyAsDouble(item)), y(atUp.applyAsDouble(item))));
        }
        parts.append("\"><title>").append(ComparePage.escaped(title)).append("</title></polyline>\n");
    }

    void dot(String style, String title, double atAcross, double atUp) {
        parts.append(String.format(
                Locale.ROOT,
                "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\"><title>%s</title></circle>%n",
                style,
                x(atAcross),
                y(atUp),
                ComparePage.escaped(title)));
        boolean isRight = x(atAcross) > WIDTH * 0.7;
        text(x(atAcross) + (isRight ? -8 : 8), y(atUp) - 5, isRight ? "end" : "start", title);
    }

    private void text(double x, double y, String anchor, String text) {
        parts.append(String.format(
                Locale.ROOT,
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>",
                x,
                y,
                anchor,
                ComparePage.escaped(text)));
    }

    String svg() {
        return "<figure><svg viewBox=\"0 0 " + WIDTH + " " + HEIGHT + "\" role=\"img\" aria-label=\""
                + ComparePage.escaped(name) + "\">\n" + parts + "</svg><figcaption>" + ComparePage.escaped(name)
                + "</figcaption></figure>\n";
    }

    private double x(double value) {
        return LEFT + value / across * (WIDTH - LEFT - RIGHT);
    }

    private double y(double value) {
        return HEIGHT - BOTTOM - value / up * (HEIGHT - BOTTOM - TOP);
    }

    /** The next number that divides well by four. */
    private static double nice(double value) {
        double power = Math.pow(10, Math.floor(Math.log10(Math.max(1e-9, value))));
        for (double step : new double[] {1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8}) {
            if (step * power >= value) {
                return step * power;
            }
        }
        return 10 * power;
    }

    private static String number(double value) {
        return value == Math.rint(value)
                ? String.format(Locale.ROOT, "%,.0f", value)
                : String.format(Locale.ROOT, "%.1f", value);
    }
}
