package dev.laneway.cli.live;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The latest figures, for small charts: five minutes of a frame a second. Used by one thread. */
final class TopTrail {
    private static final int MOST = 300;
    private static final String BLOCKS = "▁▂▃▄▅▆▇█";
    private static final String LETTERS = "_.-:=+*#";

    private final List<@Nullable Double> lags = new ArrayList<>();
    private final List<@Nullable Double> rates = new ArrayList<>();
    private long lastAt;

    /** Remembers a frame; one that it has already changes nothing. */
    void add(JsonNode frame) {
        long at = frame.path("at").asLong();
        if (at == lastAt) {
            return;
        }
        lastAt = at;
        add(lags, frame.path("totals").path("lag"));
        add(rates, frame.path("totals").path("done"));
    }

    private static void add(List<@Nullable Double> trail, JsonNode value) {
        if (trail.size() == MOST) {
            trail.removeFirst();
        }
        trail.add(value.isNumber() ? (Double) value.asDouble() : null);
    }

    String lag(int columns, boolean unicode) {
        return chart(lags, columns, unicode);
    }

    String rate(int columns, boolean unicode) {
        return chart(rates, columns, unicode);
    }

    /** One character for each of the latest values, from 0 to the greatest of them; a space for what is not known. */
    private static String chart(List<@Nullable Double> trail, int columns, boolean unicode) {
        String steps = unicode ? BLOCKS : LETTERS;
        List<@Nullable Double> shown = trail.subList(Math.max(0, trail.size() - Math.max(0, columns)), trail.size());
        double most = 0;
        for (Double value : shown) {
            most = Math.max(most, value == null ? 0 : value);
        }
        StringBuilder chart = new StringBuilder();
        for (Double value : shown) {
            chart.append(
                    value == null
                            ? ' '
                            : steps.charAt(most == 0 ? 0 : (int) Math.round(value / most * (steps.length() - 1))));
        }
        return chart.toString();
    }
}
