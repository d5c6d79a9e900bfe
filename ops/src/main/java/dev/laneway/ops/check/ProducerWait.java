package dev.laneway.ops.check;

import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.Metric;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Series;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How much of a thread's time goes into waiting for a producer: for acknowledgements, or for room in its buffer.
 *
 * @param share of the thread that waits most, from 0 to 1
 * @param whose what told it; empty if nothing did
 * @param runs whether the threads that consume are seen to run most of the time, so that they wait for nobody
 */
record ProducerWait(double share, String whose, boolean runs) {
    private static final List<String> CALLS = List.of("flush-time-ns-total", "bufferpool-wait-time-ns-total");
    /** Stacks are sampled a few at a time: fewer are no share. */
    private static final double LEAST_SAMPLES = 20;

    static ProducerWait of(Observations seen) {
        Map<String, Double> shares = new TreeMap<>();
        for (String call : CALLS) {
            for (Series series : seen.all(ClientPicture.PRODUCER, call)) {
                if (!Double.isNaN(series.rate())) {
                    shares.merge(
                            "calls of producer " + series.metric().tag("client-id") + " (" + series.source() + ")",
                            series.rate() / 1e9,
                            Double::sum);
                }
            }
        }
        boolean runs = false;
        boolean waits = false;
        for (Series all : seen.all(Groups.THREADS, "samples-total")) {
            double samples = all.last();
            if (samples < LEAST_SAMPLES) {
                continue;
            }
            double producer = last(seen, all, "producer-samples-total");
            double waiting = last(seen, all, "waiting-samples-total") + last(seen, all, "kafka-samples-total");
            shares.merge(
                    "stack samples of thread " + all.metric().tag("thread-group") + " (" + all.source() + ")",
                    producer / samples,
                    Double::sum);
            runs |= waiting < samples / 2;
            waits |= waiting >= samples / 2;
        }
        Map.@Nullable Entry<String, Double> most =
                shares.entrySet().stream().max(Map.Entry.comparingByValue()).orElse(null);
        return most == null
                ? new ProducerWait(0, "", false)
                : new ProducerWait(most.getValue(), most.getKey(), runs && !waits);
    }

    private static double last(Observations seen, Series all, String name) {
        return seen.one(
                        all.source(),
                        Metric.of(Groups.THREADS, name, all.metric().tags()))
                .map(Series::last)
                .orElse(0.0);
    }
}
