package dev.laneway.cli.chart;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.Styler.YAxisPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * Lines over a common axis. Immutable.
 *
 * @param isLogarithmic whether both axes are; all numbers must then be more than 0
 */
public record SvgChart(String title, String across, String up, boolean isLogarithmic, List<Line> lines) {
    private static final int WIDTH = 900;
    private static final int HEIGHT = 480;

    /**
     * A line; both lists have the same length.
     *
     * @param right the title of an axis of its own on the right; null for the one on the left
     */
    public record Line(
            String name,
            List<Double> across,
            List<Double> up,
            @Nullable String right) {
        /** Copies the lists. */
        public Line {
            across = List.copyOf(across);
            up = List.copyOf(up);
        }
    }

    /** Copies the list. */
    public SvgChart {
        lines = List.copyOf(lines);
    }

    /**
     * The picture, as text.
     *
     * @throws IOException if there are no fonts to measure text with
     */
    public String svg() throws IOException {
        System.setProperty("java.awt.headless", "true"); // A machine may have no display.
        try {
            XYChart chart = new XYChartBuilder()
                    .width(WIDTH)
                    .height(HEIGHT)
                    .title(title)
                    .xAxisTitle(across)
                    .yAxisTitle(up)
                    .build();
            chart.getStyler()
                    .setXAxisLogarithmic(isLogarithmic)
                    .setYAxisLogarithmic(isLogarithmic)
                    .setLegendPosition(LegendPosition.OutsideS);
            lines.forEach(line -> add(chart, line));
            return new String(ChartEncoder.getBytes(chart, "svg"), StandardCharsets.UTF_8);
        } catch (LinkageError | InternalError fontless) {
            throw new IOException("this system has no fonts: install fontconfig and one font", fontless);
        }
    }

    private static void add(XYChart chart, Line line) {
        XYSeries series = chart.addSeries(line.name(), line.across(), line.up());
        series.setMarker(SeriesMarkers.NONE);
        if (line.right() != null) {
            series.setYAxisGroup(1);
            chart.setYAxisGroupTitle(1, line.right());
            chart.getStyler().setYAxisGroupPosition(1, YAxisPosition.Right);
        }
    }

    /** Writes the picture to a file. */
    public void write(Path file) throws IOException {
        Files.writeString(file, svg());
    }
}
