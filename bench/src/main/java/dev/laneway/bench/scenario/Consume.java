package dev.laneway.bench.scenario;

import dev.laneway.bench.measure.Commits;
import dev.laneway.bench.workload.Workloads;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Describes cases in which a loaded topic is consumed. */
final class Consume {
    /** The longest warm-up: it ends earlier if laps no longer become faster. */
    private static final Duration WARM = Duration.ofSeconds(3);

    private static final Duration MEASURE = Duration.ofSeconds(2);
    /** The rate of handlers that wait is steady, so it needs less. */
    private static final Duration WAITING_WARM = Duration.ofSeconds(1);

    private static final Duration WAITING_MEASURE = Duration.ofMillis(1_500);
    /** The start of a JVM, joins, closes, and a last lap that begins shortly before the end. */
    private static final Duration AROUND = Duration.ofSeconds(3);

    private static final Duration QUICK_WARM = Duration.ofSeconds(2);
    private static final Duration QUICK_MEASURE = Duration.ofSeconds(1);

    /** With this many at once the peer's own work limits the rate, so it needs the usual warm-up. */
    private static final int MANY_AT_ONCE = 1_000;
    /** With this many the processors are busy, and rates rise for longer. */
    private static final int VERY_MANY_AT_ONCE = 10_000;

    private static final Duration LONG_WARM = Duration.ofSeconds(6);

    private Consume() {}

    static Case of(String name, Topic topic, Size size, Commits commits, List<String> peers) {
        return of(name, topic, commits, size.time(WARM), size.time(MEASURE), peers);
    }

    /** The same for peers that wait for the broker with each record: the rate is steady, so it needs less. */
    static Case roundTrips(String name, Topic topic, Size size, Commits commits, List<String> peers) {
        return of(name, topic, commits, size.time(WAITING_WARM), size.time(WAITING_MEASURE), peers);
    }

    /** The same with other times. */
    static Case of(String name, Topic topic, Commits commits, Duration warm, Duration measure, List<String> peers) {
        Map<String, String> params = new LinkedHashMap<>();
        params.put("commits", commits.label());
        params.put("warm-ms", Long.toString(warm.toMillis()));
        params.put("measure-ms", Long.toString(measure.toMillis()));
        return new Case(name, topic, Workloads.CONSUME, params, peers, took(warm, measure));
    }

    /** The same with handlers that wait, and what Little's law allows. */
    static Case waiting(
            String name,
            Topic topic,
            Size size,
            Commits commits,
            Duration work,
            int concurrency,
            long lanes,
            List<String> peers) {
        long little = Math.round(Math.min(concurrency, lanes) / (work.toNanos() / 1e9));
        Duration most = concurrency >= VERY_MANY_AT_ONCE ? LONG_WARM : WARM;
        Duration warm = size.time(concurrency < MANY_AT_ONCE ? WAITING_WARM : most);
        return of(name, topic, commits, warm, size.time(WAITING_MEASURE), peers)
                .with("work-us", work.toNanos() / 1_000)
                .with("concurrency", concurrency)
                .with("little", little);
    }

    /** A case of the quick run, with a longer warm-up. */
    static Case quick(Case of, Size size) {
        return of.with("warm-ms", Math.round(size.scale() * QUICK_WARM.toMillis()))
                .with("measure-ms", Math.round(size.scale() * QUICK_MEASURE.toMillis()))
                .taking(took(QUICK_WARM, QUICK_MEASURE));
    }

    /** About what an arm takes: the audited lap has the time of a measured one. */
    private static Duration took(Duration warm, Duration measure) {
        return warm.plus(measure.multipliedBy(2)).plus(AROUND);
    }
}
