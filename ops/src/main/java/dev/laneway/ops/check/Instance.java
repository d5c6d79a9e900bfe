package dev.laneway.ops.check;

import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Series;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Predicate;

/**
 * One process of the group, as one source tells of it. What its source does not tell (disks, the cgroup) is taken from
 * the one that tells of its host, or of whichever there is where there is only one process.
 */
record Instance(Observations seen, String source, boolean alone) {
    /** So {@link dev.laneway.ops.observe.HostSource} calls what it tells of {@code pid 1}. */
    private static final String HOST = "host of ";

    /** The processes with Kafka Streams. */
    static List<Instance> streams(Observations seen) {
        return with(seen, group -> group.startsWith("stream-"));
    }

    /** The processes whose JVM is seen. */
    static List<Instance> jvms(Observations seen) {
        return with(seen, Groups.JVM::equals);
    }

    /** Whether any process of the group is seen from inside. */
    static boolean any(Observations seen) {
        return !with(
                        seen,
                        group -> group.endsWith("-metrics") || group.equals(Groups.JVM) || group.equals(Groups.LANEWAY))
                .isEmpty();
    }

    private static List<Instance> with(Observations seen, Predicate<String> group) {
        List<String> sources = seen.sources(group);
        return sources.stream()
                .map(source -> new Instance(seen, source, sources.size() == 1))
                .toList();
    }

    /**
     * All series of a metric. Kafka Streams has those of the level DEBUG at INFO too, with values that never change:
     * these are left out.
     */
    List<Series> all(StreamsMetric metric) {
        List<Series> all = all(metric.group(), metric.metric());
        if (!metric.debug()) {
            return all;
        }
        return debug().map(on -> on ? all : List.<Series>of())
                .orElseGet(
                        () -> all.stream().filter(series -> series.max() != 0).toList());
    }

    private boolean isOwn(String other) {
        return other.equals(source) || other.equals(HOST + source);
    }

    List<Series> all(String group, String name) {
        List<Series> own = seen.all(group, name, series -> isOwn(series.source()));
        return own.isEmpty() && alone ? seen.all(group, name) : own;
    }

    /** The sum of the latest values. */
    OptionalDouble sum(StreamsMetric metric) {
        return sum(all(metric));
    }

    OptionalDouble sum(String group, String name) {
        return sum(all(group, name));
    }

    private static OptionalDouble sum(List<Series> all) {
        return all.isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(all.stream().mapToDouble(Series::last).sum());
    }

    /** How much counters grew in a second, together; empty with one sample. */
    OptionalDouble rate(String group, String name) {
        List<Series> all =
                all(group, name).stream().filter(series -> series.seconds() > 0).toList();
        return all.isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(all.stream().mapToDouble(Series::rate).sum());
    }

    /** How much counters grew together. */
    double growth(StreamsMetric metric) {
        return all(metric).stream().mapToDouble(Series::growth).sum();
    }

    /** A text of a group. */
    Optional<String> text(String group, String name) {
        List<Observations.Text> texts = seen.texts(group, name);
        return texts.stream()
                .filter(text -> isOwn(text.source()))
                .findFirst()
                .or(() -> alone ? texts.stream().findFirst() : Optional.empty())
                .map(Observations.Text::last);
    }

    /** A configuration value. */
    Optional<String> config(String key) {
        return text(Groups.CONFIG, key);
    }

    /** Whether configuration values of Kafka Streams are known, so that one that is missing is not set. */
    boolean configured() {
        return config("application.id").isPresent(); // Open files tell state.dir, and nothing else.
    }

    /** Whether metrics of the level DEBUG are recorded; empty if nobody tells. */
    Optional<Boolean> debug() {
        return all(StreamsMetric.RECORDING_LEVEL).stream().findFirst().map(level -> level.last() >= 1);
    }

    /** How to see a metric of the level DEBUG. */
    String atDebug() {
        return debug().orElse(false)
                ? "Watch " + source + " for two minutes: RocksDB's statistics are recorded once a minute."
                : "Set metrics.recording.level=DEBUG in " + source
                        + " for the time of the check: at INFO it is not recorded.";
    }

    /** The RocksDB stores. */
    int stores() {
        return all(StreamsMetric.CACHE_CAPACITY).size();
    }

    /** Times that the kernel killed a process of the cgroup for its memory while it was watched. */
    double oomKills() {
        return all(Groups.CGROUP, "oom-kills-total").stream()
                .mapToDouble(Series::growth)
                .sum();
    }
}
