package dev.laneway.bench;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Describes cases in which a loaded topic is consumed. */
final class Consume {
    private static final Duration WARM = Duration.ofSeconds(4);
    private static final Duration MEASURE = Duration.ofSeconds(4);
    /** A JVM's start, the closes, and a lap that is cut off. */
    private static final Duration AROUND = Duration.ofSeconds(3);

    private Consume() {}

    static Case of(String name, Topic topic, Size size, Commits commits, List<String> peers) {
        return of(name, topic, commits, size.time(WARM), size.time(MEASURE), peers);
    }

    /** The same with times of its own. */
    static Case of(String name, Topic topic, Commits commits, Duration warm, Duration measure, List<String> peers) {
        Map<String, String> params = new LinkedHashMap<>();
        params.put("commits", commits.label());
        params.put("warm-ms", Long.toString(warm.toMillis()));
        params.put("measure-ms", Long.toString(measure.toMillis()));
        return new Case(
                name,
                topic,
                Workloads.CONSUME,
                params,
                peers,
                warm.plus(measure).plus(AROUND));
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
        return of(name, topic, size, commits, peers)
                .with("work-us", work.toNanos() / 1_000)
                .with("concurrency", concurrency)
                .with("little", little);
    }
}
