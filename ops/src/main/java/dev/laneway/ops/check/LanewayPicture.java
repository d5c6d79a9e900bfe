package dev.laneway.ops.check;

import dev.laneway.Health;
import dev.laneway.PauseReason;
import dev.laneway.ops.LagStatus;
import dev.laneway.ops.check.GroupPicture.Part;
import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.Metric;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Series;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What Laneways told of themselves, put together. Immutable. */
final class LanewayPicture {
    /** So many of the latest seconds are now: counters' growth in them makes the rates. */
    static final double NOW_SECONDS = 10;

    private static final double OFTEN = 0.75;

    private final List<Member> members;

    private LanewayPicture(Observations seen) {
        members = seen.all(Groups.LANEWAY, "workers").stream()
                .map(series -> new Member(seen, series.source(), series.metric().tags()))
                .toList();
    }

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

        /** How much a counter grew in the latest seconds. */
        double growth(String number) {
            return one(number)
                    .map(series -> series.latest(NOW_SECONDS, 2).growth())
                    .orElse(0.0);
        }

        /** For how long it was watched. */
        double seconds() {
            return one("workers").map(Series::seconds).orElse(0.0);
        }

        private String text(String name) {
            return seen.text(source, Metric.of(Groups.LANEWAY, name, tags)).orElse("");
        }

        /** Its health at the latest look. */
        Health health() {
            String told = text("health");
            Health.Status status = Arrays.stream(Health.Status.values())
                    .filter(one -> one.name().equals(told))
                    .findFirst()
                    .orElse(Health.Status.UP); // Another version's.
            return new Health(status, text("reasons").lines().toList());
        }

        /** When it was looked at last. */
        private long now() {
            return one("workers").map(LanewayPicture::end).orElse(0L);
        }

        /** Whether a number was told at the latest look. */
        boolean isOfNow(Series number) {
            return end(number) == now();
        }

        /** A number of all its partitions that were there at the latest look, together. */
        double sum(String number) {
            return parts(number).stream().mapToDouble(Series::last).sum();
        }

        List<Series> parts(String number) {
            return present(all(number), now());
        }

        private List<Series> all(String number) {
            return seen.all(
                    Groups.LANEWAY_PARTITION,
                    number,
                    series -> series.source().equals(source)
                            && Objects.equals(series.metric().tags().get("client-id"), tags.get("client-id")));
        }

        /** For how long records had been unfinished when they were looked at last, of those that have ended since. */
        DoubleStream endedAges() {
            return all("oldest-age-seconds").stream().flatMapToDouble(age -> {
                List<Series.Point> ages = age.points();
                List<Series.Point> offsets = seen.one(
                                source,
                                Metric.of(
                                        Groups.LANEWAY_PARTITION,
                                        "oldest-offset",
                                        age.metric().tags()))
                        .map(Series::points)
                        .orElse(List.of());
                return IntStream.range(1, Math.min(ages.size(), offsets.size()))
                        .filter(i ->
                                offsets.get(i).value() != offsets.get(i - 1).value())
                        .mapToDouble(i -> ages.get(i - 1).value());
            });
        }

        /** Another number of a partition, at the latest look at it; 0 if there is none. */
        double ofPart(Series part, String number) {
            return GroupPicture.last(seen, part, number);
        }

        /** The partitions that are paused at the latest look, and why. */
        Map<String, String> pauses() {
            Map<String, String> pauses = new HashMap<>();
            for (Series part : parts("held")) {
                String why = pause(seen, part);
                if (!why.isEmpty()) {
                    pauses.put(partition(part.metric()), why);
                }
            }
            return pauses;
        }

        /** The records that were unfinished at the latest look: the lowest of each partition that is not paused. */
        List<Unfinished> unfinished() {
            return parts("oldest-age-seconds").stream()
                    .filter(age -> isOfNow(age) && !pause(seen, age).equals(PauseReason.USER.name()))
                    .map(age -> new Unfinished(age, partition(age.metric()), age.last()))
                    .toList();
        }

        /** Its partition with the most records that wait; null if none waits. */
        @Nullable
        String mostLag() {
            return parts("lag").stream()
                    .filter(lag -> lag.last() > 0)
                    .max(Comparator.comparingDouble(Series::last))
                    .map(lag -> partition(lag.metric()))
                    .orElse(null);
        }
    }

    /** A record that was started, or waits in the log, and is not done. */
    record Unfinished(Series series, String partition, double seconds) {}

    static List<Member> of(Observations seen) {
        return seen.once(LanewayPicture.class, LanewayPicture::new).members;
    }

    static String partition(Metric metric) {
        return metric.tag("topic") + "-" + metric.tag("partition");
    }

    /** Why a partition is paused; empty if it is not. */
    private static String pause(Observations seen, Series part) {
        return seen.text(
                        part.source(),
                        Metric.of(
                                Groups.LANEWAY_PARTITION,
                                "pause-reason",
                                part.metric().tags()))
                .orElse("");
    }

    /** Without those that ended while the looks went on: these partitions went to another member. */
    private static List<Series> present(List<Series> all, long newest) {
        return all.stream().filter(series -> !isGone(series, newest)).toList();
    }

    private static boolean isGone(Series series, long newest) {
        double rounds = Math.max(1, series.points().size() - 1);
        return newest - end(series) > Math.max(1_000, 2_000 * series.seconds() / rounds);
    }

    private static long end(Series series) {
        return series.points().getLast().atMillis();
    }

    /** The partitions that members have at the latest look, each once. */
    static List<Part> parts(Observations seen) {
        Map<String, Series> newest = new HashMap<>();
        long now = of(seen).stream().mapToLong(Member::now).max().orElse(0);
        for (Series lag : present(seen.all(Groups.LANEWAY_PARTITION, "lag"), now)) {
            newest.merge(partition(lag.metric()), lag, (one, other) -> end(other) > end(one) ? other : one);
        }
        List<Part> parts = new ArrayList<>();
        newest.forEach((name, lag) -> parts.add(part(seen, name, lag)));
        return parts;
    }

    private static Part part(Observations seen, String name, Series lag) {
        double held = GroupPicture.last(seen, lag, "held");
        double spilled = GroupPicture.last(seen, lag, "spilled-records");
        double read = GroupPicture.last(seen, lag, "position") - GroupPicture.last(seen, lag, "committable");
        String pause = pause(seen, lag);
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
                pause.equals(PauseReason.USER.name())
                        || pause.equals(PauseReason.DELAYED.name())
                        || GroupPicture.last(seen, lag, "delayed") > 0,
                lag);
    }

    /** The lag of all of them, look by look; sources are read one after another, so looks count and not moments. */
    static List<Series.Point> lags(List<Series> all) {
        int most = all.stream().mapToInt(part -> part.points().size()).max().orElse(0);
        // Without those that came a short time ago: of fewer looks any trend may be seen.
        List<Series> parts = all.stream()
                .filter(part -> part.points().size() >= OFTEN * most)
                .toList();
        int looks = parts.stream().mapToInt(part -> part.points().size()).min().orElse(0);
        List<Series.Point> lags = new ArrayList<>();
        for (int i = looks; i > 0; i--) {
            double sum = 0;
            long at = 0;
            for (Series part : parts) {
                Series.Point point = part.points().get(part.points().size() - i);
                sum += point.value();
                at = Math.max(at, point.atMillis());
            }
            lags.add(new Series.Point(at, sum));
        }
        return lags;
    }
}
