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
 * @param evidence how it was found
 */
public record MeasuredWork(double serviceSeconds, double cpuSeconds, double recordBytes, List<String> evidence) {
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
        evidence = List.copyOf(evidence);
    }

    private record WorkingThread(String source, String name, double busy, double rate, double bytes) {}

    /**
     * Of consumers with one thread each, or threads of Kafka Streams: the share of its time in which a thread works,
     * over the records it handles in a second.
     *
     * @throws IllegalArgumentException if no such thread was seen at work; says how to see one
     */
    public static MeasuredWork of(Observations seen) {
        if (seen.has(Groups.LANEWAY)) {
            throw new IllegalArgumentException("it is of a Laneway instance, whose thread polls while others work"
                    + ": give the time of a record yourself");
        }
        List<WorkingThread> threads = streams(seen);
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
        double cpu = working.stream()
                .map(WorkingThread::source)
                .distinct()
                .mapToDouble(source -> seen.one(source, Metric.of(Groups.JVM, "process-cpu-ns-total"))
                        .map(Series::rate)
                        .filter(Double::isFinite)
                        .orElse(0.0))
                .sum();
        List<String> evidence = working.stream()
                .map(each -> each.name + " (" + each.source + "): at work " + Say.percent(each.busy)
                        + " of the time, for " + Say.number(each.rate) + " records/s")
                .toList();
        return new MeasuredWork(busy / records, cpu / 1e9 / records, bytes / records, evidence);
    }

    private static List<WorkingThread> streams(Observations seen) {
        List<WorkingThread> threads = new ArrayList<>();
        for (Series ratio : seen.all(STREAMS, "process-ratio")) {
            seen.one(
                            ratio.source(),
                            Metric.of(STREAMS, "process-rate", ratio.metric().tags()))
                    .ifPresent(rate -> threads.add(new WorkingThread(
                            ratio.source(), ratio.metric().tag("thread-id"), ratio.mean(), rate.mean(), 0)));
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
                    new WorkingThread(ratio.source(), ratio.metric().tag("client-id"), 1 - idle, of.mean(), bytes)));
        }
        return threads;
    }
}
