package dev.laneway.ops.check;

import dev.laneway.Health;
import dev.laneway.ops.LagStatus;
import dev.laneway.ops.check.GroupPicture.Part;
import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.Metric;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Series;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** What Laneways told of themselves, put together. */
final class LanewayPicture {
    private LanewayPicture() {}

    /** One Laneway of one process. */
    record Member(Observations seen, String source, Map<String, String> tags) {
        String name() {
            String client = tags.getOrDefault("client-id", "");
            return client.equals(source) ? client : client + " (" + source + ")";
        }

        Optional<Series> one(String number) {
            return seen.one(source, Metric.of(Groups.LANEWAY, number, tags));
        }

        double last(String number) {
            return one(number).map(Series::last).orElse(0.0);
        }

        double growth(String number) {
            return one(number).map(Series::growth).orElse(0.0);
        }

        double mean(String number) {
            return one(number).map(Series::mean).orElse(0.0);
        }

        double seconds() {
            return one("workers").map(Series::seconds).orElse(0.0);
        }

        private Optional<Observations.Text> text(String name) {
            return seen.texts(Groups.LANEWAY, name).stream()
                    .filter(text ->
                            text.source().equals(source) && text.metric().tags().equals(tags))
                    .findFirst();
        }

        /** Its health at the latest look. */
        Health health() {
            String told = text("health").map(Observations.Text::last).orElse("");
            Health.Status status = Arrays.stream(Health.Status.values())
                    .filter(one -> one.name().equals(told))
                    .findFirst()
                    .orElse(Health.Status.UP); // Another version's.
            String reasons = text("reasons").map(Observations.Text::last).orElse("");
            return new Health(status, reasons.lines().toList());
        }

        /** A number of all its partitions that were there at the latest look, together. */
        double sum(String number) {
            return parts(number).stream().mapToDouble(Series::last).sum();
        }

        List<Series> parts(String number) {
            List<Series> all = seen.all(
                    Groups.LANEWAY_PARTITION,
                    number,
                    series -> series.source().equals(source)
                            && Objects.equals(series.metric().tags().get("client-id"), tags.get("client-id")));
            return all.stream().filter(series -> !isGone(series, all)).toList();
        }

        /** The partitions that are paused at the latest look, and why. */
        Map<String, String> pauses() {
            Map<String, String> pauses = new HashMap<>();
            List<Map<String, String>> present = parts("held").stream()
                    .map(series -> (Map<String, String>) series.metric().tags())
                    .toList();
            for (Observations.Text text : seen.texts(Groups.LANEWAY_PARTITION, "pause-reason")) {
                if (text.source().equals(source)
                        && present.contains(text.metric().tags())
                        && !text.last().isEmpty()) {
                    pauses.put(partition(text.metric()), text.last());
                }
            }
            return pauses;
        }
    }

    static List<Member> of(Observations seen) {
        return seen.all(Groups.LANEWAY, "workers").stream()
                .map(series -> new Member(seen, series.source(), series.metric().tags()))
                .toList();
    }

    private static String partition(Metric metric) {
        return metric.tag("topic") + "-" + metric.tag("partition");
    }

    /** Whether others go on where this one has ended: the partition went to another member. */
    private static boolean isGone(Series series, List<Series> all) {
        long newest = all.stream().mapToLong(LanewayPicture::end).max().orElseThrow();
        double rounds = Math.max(1, series.points().size() - 1);
        return newest - end(series) > Math.max(1_000, 2_000 * series.seconds() / rounds);
    }

    private static long end(Series series) {
        return series.points().getLast().atMillis();
    }

    /** The partitions that members have at the latest look, each once. */
    static List<Part> parts(Observations seen) {
        Map<String, Series> newest = new HashMap<>();
        List<Series> all = seen.all(Groups.LANEWAY_PARTITION, "lag");
        for (Series lag : all) {
            if (!isGone(lag, all)) {
                newest.merge(partition(lag.metric()), lag, (one, other) -> end(other) > end(one) ? other : one);
            }
        }
        List<Part> parts = new ArrayList<>();
        newest.forEach((name, lag) -> parts.add(part(seen, name, lag)));
        return parts;
    }

    private static Part part(Observations seen, String name, Series lag) {
        double held = GroupPicture.last(seen, lag, "held");
        double spilled = GroupPicture.last(seen, lag, "spilled-records");
        double read = GroupPicture.last(seen, lag, "position") - GroupPicture.last(seen, lag, "committable");
        return new Part(
                name,
                lag.metric().tag("topic"),
                lag.metric().tag("client-id"),
                LagStatus.UNKNOWN,
                lag.last(),
                GroupPicture.growth(seen, lag, "end"),
                GroupPicture.growth(seen, lag, "committable"),
                Math.max(0, read - held - spilled),
                GroupPicture.last(seen, lag, "oldest-age-seconds"),
                held + spilled > 0,
                lag);
    }

    /** The lag of all of them, look by look; sources are read one after another, so looks count and not moments. */
    static List<Series.Point> lags(List<Part> parts) {
        int looks = parts.stream()
                .mapToInt(part -> part.lags().points().size())
                .min()
                .orElse(0);
        List<Series.Point> lags = new ArrayList<>();
        for (int i = looks; i > 0; i--) {
            double sum = 0;
            long at = 0;
            for (Part part : parts) {
                List<Series.Point> points = part.lags().points();
                Series.Point point = points.get(points.size() - i);
                sum += point.value();
                at = Math.max(at, point.atMillis());
            }
            lags.add(new Series.Point(at, sum));
        }
        return lags;
    }
}
