package dev.laneway.proof;

import dev.laneway.cli.program.Round;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What was seen at the end of a round of a soak, when the second member had left again. Immutable.
 *
 * @param seconds since the load began
 * @param finished records that came to their end in this round
 * @param medianMillis the median of their latencies, from when they were meant to be sent to the end of their handler
 * @param heapBytes in use after a full collection
 * @param threads platform threads that live
 * @param handles files and sockets that are open; negative where the system does not tell
 */
record SoakRound(
        double seconds,
        long finished,
        double medianMillis,
        double p99Millis,
        double maxMillis,
        long heapBytes,
        int threads,
        long handles) {

    double heapMegabytes() {
        return heapBytes / 1e6;
    }

    Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("second", Round.to3(seconds));
        json.put("finished", finished);
        json.put("median_ms", Round.to3(medianMillis));
        json.put("p99_ms", Round.to3(p99Millis));
        json.put("max_ms", Round.to3(maxMillis));
        json.put("heap_mb", Round.to3(heapMegabytes()));
        json.put("threads", threads);
        json.put("handles", handles);
        return json;
    }

    String line() {
        return String.format(
                Locale.ROOT,
                "%6.0f s  %,9d records  median %6.1f ms  p99 %7.1f ms  heap %6.1f MB  %d threads  %d handles",
                seconds,
                finished,
                medianMillis,
                p99Millis,
                heapMegabytes(),
                threads,
                handles);
    }
}
