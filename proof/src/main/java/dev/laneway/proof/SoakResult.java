package dev.laneway.proof;

import dev.laneway.Counters;
import dev.laneway.cli.program.Round;
import dev.laneway.cli.program.Text;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * What a soak has found, for people and as JSON. Made when all is over; immutable then.
 *
 * @param deadLetters records in the dead-letter topic
 * @param counters of the member that stayed
 * @param stalled whether records stopped to come to their end before all had
 */
record SoakResult(
        SoakPlan plan,
        double capacity,
        double rate,
        long produced,
        SoakHandler handler,
        long deadLetters,
        Counters counters,
        List<SoakRound> rounds,
        boolean committedEqualsEnd,
        boolean stalled,
        Optional<Throwable> failure) {
    private static final double LEAST_HEAP_MEGABYTES = 4;
    private static final double LEAST_THREADS = 2;
    private static final double LEAST_HANDLES = 3;
    private static final double LEAST_MILLIS = 10;

    /** What must not grow. Latencies scatter more than the rest, so they may by half. */
    List<Trend> trends() {
        return List.of(
                trend("heap_mb", SoakRound::heapMegabytes, 0.1, LEAST_HEAP_MEGABYTES),
                trend("threads", SoakRound::threads, 0.05, LEAST_THREADS),
                trend("handles", SoakRound::handles, 0.05, LEAST_HANDLES),
                trend("p99_ms", SoakRound::p99Millis, 0.5, LEAST_MILLIS));
    }

    private Trend trend(String name, ToDoubleFunction<SoakRound> value, double share, double least) {
        List<Trend.Sample> samples = rounds.stream()
                .map(round -> new Trend.Sample(round.seconds(), value.applyAsDouble(round)))
                .toList();
        return Trend.of(name, samples, share, least);
    }

    private long lost() {
        return produced - handler.finished();
    }

    private long lettersMissing() {
        return handler.poisoned() - deadLetters;
    }

    boolean isFine() {
        return trends().stream().noneMatch(Trend::isGrowing)
                && lost() == 0
                && lettersMissing() == 0
                && handler.duplicates() == 0
                && handler.violations() == 0
                && committedEqualsEnd
                && !stalled
                && failure.isEmpty();
    }

    Map<String, @Nullable Object> toJson() {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("fine", isFine());
        json.put("minutes", Round.to3(plan.duration().toNanos() / 60e9));
        json.put("partitions", plan.partitions());
        json.put("keys", plan.keys());
        json.put("concurrency", plan.concurrency());
        json.put("work_ms", Round.to3(plan.work().toNanos() / 1e6));
        json.put("capacity", Round.to3(capacity));
        json.put("rate", Round.to3(rate));
        json.put("records", produced);
        json.put("lost", lost());
        json.put("duplicates", handler.duplicates());
        json.put("order_violations", handler.violations());
        json.put("dead_letters", deadLetters);
        json.put("dead_letters_missing", lettersMissing());
        json.put("retries", counters.retries());
        json.put("rebalances", counters.rebalances());
        json.put("commits", counters.commits());
        json.put("failed_commits", counters.failedCommits());
        json.put("committed_equals_end", committedEqualsEnd);
        json.put("stalled", stalled);
        json.put("failure", failure.map(Throwable::toString).orElse(null));
        json.put("trends", trends().stream().map(Trend::toJson).toList());
        json.put("rounds", rounds.stream().map(SoakRound::toJson).toList());
        return json;
    }

    void print(PrintStream text) {
        BiConsumer<String, String> row = (name, value) -> text.printf("%-22s %s%n", name, value);
        text.println();
        row.accept(
                "records",
                Text.count(produced) + ", " + Text.count(counters.retries()) + " retries, " + Text.count(deadLetters)
                        + " dead letters, " + Text.count(lettersMissing()) + " missing");
        row.accept("lost", Text.count(lost()));
        row.accept("duplicates", Text.count(handler.duplicates()));
        row.accept("order violations", Text.count(handler.violations()));
        row.accept("rebalances", Text.count(counters.rebalances()));
        row.accept("committed = end", committedEqualsEnd ? "yes" : stalled ? "no, and nothing moved any more" : "no");
        for (Trend trend : trends()) {
            row.accept(
                    trend.name(),
                    Round.to3(trend.median()) + ", grown by " + Round.to3(trend.growth()) + " (z "
                            + Round.to3(trend.z())
                            + "), up to " + Round.to3(trend.tolerance()) + " allowed"
                            + (trend.isGrowing() ? ": IT GROWS" : ""));
        }
        failure.ifPresent(failed -> row.accept("failure", String.valueOf(failed.getMessage())));
        text.println(isFine() ? "All is well" : "NOT all is well");
    }
}
