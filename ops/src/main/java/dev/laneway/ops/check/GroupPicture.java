package dev.laneway.ops.check;

import dev.laneway.ops.LagStatus;
import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.Metric;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Series;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What was told of the group, put together by partition: by the Admin API, or else by the Laneways that were seen, of
 * the partitions that they have. Immutable.
 */
final class GroupPicture {
    /** Of the lag's growth: less than this share of what is appended is noise. */
    private static final double NOISE = 0.02;

    private static final int LEAST_SAMPLES = 3;
    /** So many looks with a new commit show a trend by themselves. */
    private static final int ENOUGH_COMMITS = 5;
    /** A record that came a moment ago only seems to stand. */
    private static final double STANDS_SECONDS = 10;
    /** What a Laneway tells of its lag is as of now, so that so much of it shows the trend. */
    private static final double TREND_SECONDS = 15;

    private static final int TREND_SAMPLES = 8;
    private static final double OFTEN = 0.75;

    final List<Part> parts;
    private final Observations seen;
    private final LagTrend trend;

    /**
     * A partition.
     *
     * @param name {@code topic-number}
     * @param member whose it is: its id, or a Laneway's name; empty if nobody's
     * @param held whether a member holds records of it; false if nobody tells
     * @param waits whether its member was told to wait: paused by the user, or the time of the next record has not come
     * @param appended records that were added in the time, and {@code done} those that were committed
     */
    record Part(
            String name,
            String topic,
            String member,
            LagStatus status,
            double lag,
            double appended,
            double done,
            double doneBeyond,
            double ageSeconds,
            boolean held,
            boolean waits,
            Series lags) {
        Metric tags() {
            return lags.metric();
        }

        /** Records wait, have waited for a while, and none was committed in the time. */
        boolean stands() {
            return lag > 0
                    && done == 0
                    && !waits
                    && lags.latest(STANDS_SECONDS, 1).min() > 0;
        }

        /** Whether a Laneway tells of it, and not the Admin API. */
        boolean isTold() {
            return tags().group().equals(Groups.LANEWAY_PARTITION);
        }
    }

    private GroupPicture(Observations seen, List<Part> parts) {
        this.seen = seen;
        this.parts = List.copyOf(parts);
        this.trend = makeTrend();
    }

    static GroupPicture of(Observations seen) {
        return seen.once(GroupPicture.class, GroupPicture::make);
    }

    private static GroupPicture make(Observations seen) {
        List<Part> parts = new ArrayList<>();
        if (!seen.has(Groups.GROUP)) {
            LanewayPicture.parts(seen).forEach(parts::add);
        }
        for (Series lag : seen.all(Groups.PARTITION, "lag")) {
            Map<String, String> tags = lag.metric().tags();
            parts.add(new Part(
                    tags.getOrDefault("topic", "") + "-" + tags.getOrDefault("partition", ""),
                    tags.getOrDefault("topic", ""),
                    seen.text(Metric.of(Groups.PARTITION, "member", tags)).orElse(""),
                    seen.text(Metric.of(Groups.PARTITION, "status", tags))
                            .map(LagStatus::valueOf)
                            .orElse(LagStatus.UNKNOWN),
                    lag.last(),
                    growth(seen, lag, "end"),
                    growth(seen, lag, "committed"),
                    last(seen, lag, "done-beyond"),
                    last(seen, lag, "age-seconds"),
                    false,
                    false,
                    lag));
        }
        if (!parts.isEmpty()) {
            parts.addAll(uncommitted(seen));
        }
        parts.sort(Comparator.comparingDouble(Part::lag).reversed().thenComparing(Part::name));
        return new GroupPicture(seen, parts);
    }

    /**
     * Partitions of a member without a commit ever: what came while it was watched waits. A group that commits nowhere
     * keeps its offsets elsewhere.
     */
    private static List<Part> uncommitted(Observations seen) {
        List<Part> parts = new ArrayList<>();
        for (Series end : seen.all(Groups.PARTITION, "end")) {
            Map<String, String> tags = end.metric().tags();
            String member =
                    seen.text(Metric.of(Groups.PARTITION, "member", tags)).orElse("");
            double appended = growth(seen, end, "end");
            boolean hasLag = seen.one(end.source(), Metric.of(Groups.PARTITION, "lag", tags))
                    .isPresent();
            if (!hasLag && !member.isEmpty() && appended > 0) {
                parts.add(new Part(
                        tags.getOrDefault("topic", "") + "-" + tags.getOrDefault("partition", ""),
                        tags.getOrDefault("topic", ""),
                        member,
                        LagStatus.UNKNOWN,
                        appended,
                        appended,
                        0,
                        0,
                        0,
                        false,
                        false,
                        end));
            }
        }
        return parts;
    }

    static double growth(Observations seen, Series lag, String name) {
        return seen.one(
                        lag.source(),
                        Metric.of(lag.metric().group(), name, lag.metric().tags()))
                .map(series -> Math.max(0, series.last() - series.first()))
                .orElse(0.0);
    }

    static double last(Observations seen, Series lag, String name) {
        return seen.one(
                        lag.source(),
                        Metric.of(lag.metric().group(), name, lag.metric().tags()))
                .map(Series::last)
                .orElse(0.0);
    }

    /** Whether the group could be read at all. */
    boolean isSeen() {
        return seen.has(Groups.GROUP);
    }

    /** Whether its lag is known: from brokers, or from the members that are Laneways. */
    boolean hasLag() {
        return isSeen() || !parts.isEmpty();
    }

    int members() {
        return (int) seen.max(Groups.GROUP, "members")
                .orElseGet(() -> parts.stream().map(Part::member).distinct().count());
    }

    /** Members that have a partition. */
    long busyMembers() {
        return parts.stream()
                .map(Part::member)
                .filter(member -> !member.isEmpty())
                .distinct()
                .count();
    }

    /** All members that were seen at any time of the observation. */
    Set<String> allMembers() {
        Set<String> ids = new HashSet<>();
        seen.all(Groups.MEMBER, "assigned-partitions")
                .forEach(series -> ids.add(series.metric().tag("member-id")));
        return ids;
    }

    List<String> states() {
        return seen.texts(Groups.GROUP, "state").stream()
                .flatMap(text -> text.values().stream())
                .toList();
    }

    /** In how many looks the group had no stable state. */
    long unstableLooks() {
        return states().stream().filter(GroupPicture::isMoving).count();
    }

    /** Whether it had none at the latest look. */
    boolean isUnstable() {
        List<String> states = states();
        return !states.isEmpty() && isMoving(states.getLast());
    }

    /** How often it settled after it had been without a stable state. */
    int timesSettled() {
        List<String> states = states();
        int times = 0;
        for (int i = 1; i < states.size(); i++) {
            times += isMoving(states.get(i - 1)) && !isMoving(states.get(i)) ? 1 : 0;
        }
        return times;
    }

    private static boolean isMoving(String state) {
        String upper = state.toUpperCase(Locale.ROOT);
        return upper.contains("REBALANC") || upper.equals("ASSIGNING") || upper.equals("RECONCILING");
    }

    /** Partitions of the topic of one, itself too. */
    List<Part> ofTopic(Part part) {
        return parts.stream()
                .filter(other -> other.topic().equals(part.topic()))
                .toList();
    }

    double seconds() {
        return parts.stream().map(Part::lags).mapToDouble(Series::seconds).max().orElse(0);
    }

    double lag() {
        return parts.stream().mapToDouble(Part::lag).sum();
    }

    double appended() {
        return parts.stream().mapToDouble(Part::appended).sum();
    }

    double done() {
        return parts.stream().mapToDouble(Part::done).sum();
    }

    /** Records that a member has committed. */
    double done(String member) {
        return parts.stream()
                .filter(part -> part.member().equals(member))
                .mapToDouble(Part::done)
                .sum();
    }

    /**
     * The lag of the whole group, sample by sample: only those in which all partitions were seen, without partitions
     * that have a first commit since a short time only.
     */
    List<Series.Point> lags() {
        if (!isSeen()) {
            return LanewayPicture.lags(parts.stream()
                    .map(part -> part.lags().latest(TREND_SECONDS, TREND_SAMPLES))
                    .toList());
        }
        Map<Long, Double> sums = new TreeMap<>();
        Map<Long, Integer> counts = new TreeMap<>();
        List<Series> told = seen.all(Groups.PARTITION, "lag");
        int most =
                told.stream().mapToInt(series -> series.points().size()).max().orElse(0);
        List<Series> all = told.stream()
                .filter(series -> series.points().size() >= most * OFTEN)
                .toList();
        for (Series series : all) {
            for (Series.Point point : series.points()) {
                sums.merge(point.atMillis(), point.value(), Double::sum);
                counts.merge(point.atMillis(), 1, Integer::sum);
            }
        }
        List<Series.Point> lags = new ArrayList<>();
        sums.forEach((at, sum) -> {
            if (counts.getOrDefault(at, 0) == all.size()) {
                lags.add(new Series.Point(at, sum));
            }
        });
        return lags;
    }

    /**
     * Between two commits a lag only rises. Where most looks find no new commit, those that do tell the trend, or, if
     * there are few of them, what consumers tell of their own positions: Kafka Streams commits every 30 s by default.
     */
    private List<Series.Point> afterCommits(List<Series.Point> lags) {
        Map<Long, Double> committed = new TreeMap<>();
        for (Series series : seen.all(Groups.PARTITION, "committed")) {
            series.points().forEach(point -> committed.merge(point.atMillis(), point.value(), Double::sum));
        }
        List<Series.Point> fresh = new ArrayList<>();
        for (int i = 1; i < lags.size(); i++) {
            double before = committed.getOrDefault(lags.get(i - 1).atMillis(), 0.0);
            if (committed.getOrDefault(lags.get(i).atMillis(), before) != before) {
                fresh.add(lags.get(i));
            }
        }
        if (fresh.size() * 2 >= lags.size()) {
            return lags;
        }
        if (fresh.size() >= ENOUGH_COMMITS) {
            return fresh;
        }
        List<Series.Point> positions = positions();
        return positions.size() >= LEAST_SAMPLES ? positions : fresh;
    }

    /** What the owners of all partitions say that they have yet to read, look by look; empty if one is not seen. */
    private List<Series.Point> positions() {
        List<List<Series.Point>> all = new ArrayList<>();
        for (Part part : parts) {
            List<Series> told = seen.all(
                    ClientPicture.FETCHER,
                    "records-lag",
                    series -> series.metric().tag("topic").equals(part.topic())
                            && series.metric()
                                    .tag("partition")
                                    .equals(part.tags().tag("partition"))
                            && !series.metric().tag("client-id").contains("restore-consumer"));
            boolean isStale = told.stream().anyMatch(series -> !takes(series));
            if (part.lag() > 0 && (told.size() != 1 || isStale)) {
                return List.of();
            }
            told.forEach(series -> all.add(series.points()));
        }
        int looks = all.stream().mapToInt(List::size).min().orElse(0);
        List<Series.Point> sums = new ArrayList<>();
        for (int i = 0; i < looks; i++) {
            int back = looks - i;
            double sum = all.stream()
                    .mapToDouble(points -> points.get(points.size() - back).value())
                    .sum();
            List<Series.Point> first = all.getFirst();
            sums.add(new Series.Point(first.get(first.size() - back).atMillis(), sum));
        }
        return sums;
    }

    /** Whether the consumer that told this was given records of late: it tells no news of what it does not read. */
    private boolean takes(Series unread) {
        return seen.one(
                        unread.source(),
                        Metric.of(
                                ClientPicture.FETCHER,
                                "records-consumed-total",
                                Map.of("client-id", unread.metric().tag("client-id"))))
                .filter(given -> given.latest(STANDS_SECONDS, 2).growth() > 0)
                .isPresent();
    }

    /** How the lag moves. */
    LagTrend trend() {
        return trend;
    }

    private LagTrend makeTrend() {
        List<Series.Point> lags = lags();
        if (isSeen() && appended() + done() > 0) {
            lags = afterCommits(lags);
        }
        if (lags.size() < LEAST_SAMPLES) {
            return LagTrend.UNKNOWN;
        }
        double[] times = new double[lags.size()];
        double[] values = new double[lags.size()];
        for (int i = 0; i < times.length; i++) {
            times[i] = (lags.get(i).atMillis() - lags.getFirst().atMillis()) / 1e3;
            values[i] = lags.get(i).value();
        }
        double share = isSeen() || seconds() == 0 ? 1 : Math.min(1, times[times.length - 1] / seconds());
        return LagTrend.of(times, values, appended() * share * NOISE);
    }
}
