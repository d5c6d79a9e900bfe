package dev.laneway.ops.plan;

import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.Metric;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a record took in a run that was watched. Immutable.
 *
 * @param serviceSeconds time of one thread
 * @param cpuSeconds processor time; 0 if not known
 * @param recordBytes what the brokers sent for it; 0 if not known
 * @param concurrency how many records an instance handled at once, at most; 0 if not known
 * @param evidence how it was found
 */
public record MeasuredWork(
        double serviceSeconds, double cpuSeconds, double recordBytes, int concurrency, List<String> evidence) {
    private static final String CONSUMER = "consumer-metrics";
    private static final String FETCHER = "consumer-fetch-manager-metrics";
    private static final String STREAMS = "stream-thread-metrics";
    private static final String REMEDY = ": record a time in which it works, or give the time of a record yourself";
    /** A thread that has less to do was hardly watched at work. */
    private static final double LEAST_BUSY = 0.01;

    /** Copies the list. */
    public MeasuredWork {
        Check.notNegative("serviceSeconds", serviceSeconds);
        Check.notNegative("cpuSeconds", cpuSeconds);
        Check.notNegative("recordBytes", recordBytes);
        Check.notNegative("concurrency", concurrency);
        evidence = List.copyOf(evidence);
    }

    /** One or, of a Laneway, as many as it has workers; {@code busy} then is of all together. */
    private record WorkingThread(String source, String name, int workers, double busy, double rate, double bytes) {}

    /**
     * Of consumers with one thread each, or threads of Kafka Streams: the share of its time in which a thread works,
     * over the records it handles in a second. Of Laneway instances: the time in which their workers ran handlers, over
     * the records done; a handler that answers with a future leaves its worker at once, so of those it tells too
     * little.
     *
     * @throws IllegalArgumentException if no such thread was seen at work; says how to see one
     */
    public static MeasuredWork of(Observations seen) {
        List<WorkingThread> threads = laneways(seen);
        if (threads.isEmpty()) {
            threads = streams(seen);
        }
        if (threads.isEmpty()) {
            threads = consumers(seen);
        }
        List<WorkingThread> working = threads.stream()
                .filter(each -> each.busy >= LEAST_BUSY && each.rate > 0)
                .toList();
        if (working.isEmpty()) {
            throw new IllegalArgumentException(
                    (threads.isEmpty() ? "it shows no consumer" : "its consumers had no work") + REMEDY);
        }
        double records = working.stream().mapToDouble(WorkingThread::rate).sum();
        double busy = working.stream().mapToDouble(WorkingThread::busy).sum();
        double bytes = working.stream().mapToDouble(WorkingThread::bytes).sum();
        List<String> sources =
                working.stream().map(WorkingThread::source).distinct().toList();
        double cpu = sources.stream()
                .mapToDouble(source -> seen.one(source, Metric.of(Groups.JVM, "process-cpu-ns-total"))
                        .map(Series::rate)
                        .filter(Double::isFinite)
                        .orElse(0.0))
                .sum();
        List<String> evidence = working.stream()
                .map(each -> each.name + " (" + each.source + "): at work " + Say.percent(each.busy / each.workers)
                        + " of the time, for " + Say.number(each.rate) + " records/s"
                        + (each.workers > 1 ? ", with " + each.workers + " workers" : ""))
                .toList();
        int workers = working.stream().mapToInt(WorkingThread::workers).sum();
        return new MeasuredWork(
                busy / records, cpu / 1e9 / records, bytes / records, Math.ceilDiv(workers, sources.size()), evidence);
    }

    private static List<WorkingThread> laneways(Observations seen) {
        List<WorkingThread> all = new ArrayList<>();
        for (Series busy : seen.all(Groups.LANEWAY, "busy-ns-total")) {
            Map<String, String> tags = busy.metric().tags();
            double done = rate(seen, busy, "processed-total")
                    + rate(seen, busy, "skipped-total")
                    + rate(seen, busy, "dead-lettered-total");
            int workers = seen.one(busy.source(), Metric.of(Groups.LANEWAY, "workers", tags))
                    .map(each -> (int) each.last())
                    .orElse(1);
            double atWork = Double.isFinite(busy.rate()) ? busy.rate() / 1e9 : 0;
            all.add(new WorkingThread(
                    busy.source(),
                    tags.getOrDefault("client-id", "laneway"),
                    workers,
                    atWork,
                    done,
                    done * size(seen)));
        }
        return all;
    }

    private static double rate(Observations seen, Series beside, String name) {
        return seen.one(
                        beside.source(),
                        Metric.of(Groups.LANEWAY, name, beside.metric().tags()))
                .map(Series::rate)
                .filter(Double::isFinite)
                .orElse(0.0);
    }

    /** Of a record on the wire, by all consumers' clients; 0 if they do not tell. */
    private static double size(Observations seen) {
        double records = seen.all(FETCHER, "records-consumed-rate").stream()
                .mapToDouble(Series::mean)
                .sum();
        double bytes = seen.all(FETCHER, "bytes-consumed-rate").stream()
                .mapToDouble(Series::mean)
                .sum();
        return records > 0 ? bytes / records : 0;
    }

    private static List<WorkingThread> streams(Observations seen) {
        List<WorkingThread> threads = new ArrayList<>();
        for (Series ratio : seen.all(STREAMS, "process-ratio")) {
            seen.one(
                            ratio.source(),
                            Metric.of(STREAMS, "process-rate", ratio.metric().tags()))
                    .ifPresent(rate -> threads.add(new WorkingThread(
                            ratio.source(), ratio.metric().tag("thread-id"), 1, ratio.mean(), rate.mean(), 0)));
        }
        return threads;
    }

    /**
     * Kafka's ratio is the time in poll against that plus the whole cycle: what is true is r / (1 - r), KAFKA-17503.
     */
    private static List<WorkingThread> consumers(Observations seen) {
        List<WorkingThread> threads = new ArrayList<>();
        for (Series ratio : seen.all(CONSUMER, "poll-idle-ratio-avg")) {
            Map<String, String> tags = ratio.metric().tags();
            Optional<Series> rate = seen.one(ratio.source(), Metric.of(FETCHER, "records-consumed-rate", tags));
            double bytes = seen.one(ratio.source(), Metric.of(FETCHER, "bytes-consumed-rate", tags))
                    .map(Series::mean)
                    .orElse(0.0);
            double r = ratio.mean();
            double idle = r >= 0.5 ? 1 : r / (1 - r);
            rate.ifPresent(of -> threads.add(
                    new WorkingThread(ratio.source(), ratio.metric().tag("client-id"), 1, 1 - idle, of.mean(), bytes)));
        }
        return threads;
    }
}
