package dev.laneway.cli;

import dev.laneway.Counters;
import dev.laneway.cli.program.Round;
import dev.laneway.cli.program.Text;
import java.io.PrintStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a consumption has done, for people and as JSON. Immutable.
 *
 * @param endedBy signal, max-records, idle or failure
 * @param lag records that were left of the assigned partitions, as far as the client knew before the close
 */
record ConsumeResult(
        Consumption.Setup setup,
        String group,
        String endedBy,
        Duration took,
        Counters counters,
        long lag,
        long peakHeapBytes,
        @Nullable Throwable failure) {

    private double seconds() {
        return took.toNanos() / 1e9;
    }

    private double rate() {
        return Consumption.done(counters) / Math.max(1e-9, seconds());
    }

    Map<String, @Nullable Object> toJson() {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("topics", setup.topics());
        json.put("group", group);
        json.put("name", setup.name());
        json.put("ordering", DemoResult.name(setup.ordering()));
        json.put("concurrency", setup.concurrency());
        json.put("consumers", setup.consumers());
        json.put("work_ms", Round.to3(setup.work().toNanos() / 1e6));
        json.put("fail_rate", setup.failRate());
        json.put("ended_by", endedBy);
        json.put("seconds", Round.to3(seconds()));
        json.put("rate", Round.to3(rate()));
        json.put("processed", counters.processed());
        json.put("failed_attempts", counters.failedAttempts());
        json.put("retries", counters.retries());
        json.put("skipped", counters.skipped());
        json.put("dead_lettered", counters.deadLettered());
        json.put("emitted", counters.emitted());
        json.put("late", counters.late());
        json.put("dropped", counters.dropped());
        json.put("commits", counters.commits());
        json.put("failed_commits", counters.failedCommits());
        json.put("rebalances", counters.rebalances());
        json.put("lag", lag);
        json.put("peak_heap_mb", Round.to3(peakHeapBytes / 1e6));
        json.put("failure", failure == null ? null : failure.toString());
        return json;
    }

    void print(PrintStream text) {
        text.println("Ended by " + endedBy + " after " + Text.duration(took) + ": " + Text.count(counters.processed())
                + " records processed, " + Text.rate(rate()) + " records/s");
        text.println("  " + Text.count(counters.failedAttempts()) + " attempts failed, "
                + Text.count(counters.retries()) + " retries, " + Text.count(counters.deadLettered())
                + " dead-lettered, "
                + Text.count(counters.skipped()) + " skipped, " + Text.count(counters.emitted()) + " emitted");
        text.println("  " + Text.count(counters.commits()) + " commits, " + Text.count(counters.failedCommits())
                + " failed, " + Text.count(counters.rebalances()) + " rebalances, " + Text.count(counters.dropped())
                + " dropped, " + Text.count(counters.late()) + " late, lag " + Text.count(lag));
    }
}
