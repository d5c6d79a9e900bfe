package dev.laneway.cli;

import dev.laneway.Ordering;
import dev.laneway.cli.program.Round;
import dev.laneway.cli.program.Text;
import dev.laneway.cli.workload.Audit;
import dev.laneway.cli.workload.Loader;
import dev.laneway.cli.workload.ParallelRun;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** What the demo has found, for people and as JSON. Made when all is over; immutable then. */
record DemoResult(
        ParallelRun.Setup setup,
        int keys,
        int partitions,
        double skew,
        Loader.Result loaded,
        BareLoop.Result bare,
        ParallelRun.Result parallel,
        Audit audit,
        boolean committedEqualsEnd) {

    static String name(Ordering ordering) {
        return ordering.name().toLowerCase(Locale.ROOT);
    }

    /** Whether all that was promised holds. */
    boolean isFine() {
        return audit.violations() == 0
                && audit.duplicates() == 0
                && audit.lost() == 0
                && committedEqualsEnd
                && parallel.failure().isEmpty();
    }

    private @Nullable Double littleRate() {
        return setup.work().isZero() ? null : setup.littleRate(keys, partitions);
    }

    private @Nullable Double shareOfLittle() {
        Double little = littleRate();
        return little == null ? null : parallel.rate() / little;
    }

    private double timesBare() {
        return bare.records() == 0 ? 0 : parallel.rate() / bare.rate();
    }

    Map<String, @Nullable Object> toJson() {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("ordering", name(setup.ordering()));
        json.put("records", setup.records());
        json.put("keys", keys);
        json.put("partitions", partitions);
        json.put("zipf", skew);
        json.put("work_ms", Round.to3(setup.work().toNanos() / 1e6));
        json.put("concurrency", setup.concurrency());
        json.put("consumers", setup.consumers());
        json.put("load_rate", Round.to3(loaded.rate()));
        json.put("rate", Round.to3(parallel.rate()));
        json.put("rate_with_join", Round.to3(parallel.rateWithJoin()));
        json.put("little_rate", rounded(littleRate()));
        json.put("share_of_little", rounded(shareOfLittle()));
        json.put("hottest_key_share", Round.to3(hottestShare()));
        json.put("bare_rate", Round.to3(bare.rate()));
        json.put("times_bare", Round.to3(timesBare()));
        json.put("order_violations", audit.violations());
        json.put("duplicates", audit.duplicates());
        json.put("lost", audit.lost());
        json.put("committed_equals_end", committedEqualsEnd);
        json.put("peak_heap_mb", Round.to3(parallel.peakHeapBytes() / 1e6));
        json.put("failure", parallel.failure().map(Throwable::toString).orElse(null));
        return json;
    }

    void print(PrintStream text) {
        BiConsumer<String, String> row = (name, value) -> text.printf("%-22s %s%n", name, value);
        text.println();
        row.accept("rate", Text.rate(parallel.rate()) + " records/s");
        row.accept("with the join", Text.rate(parallel.rateWithJoin()) + " records/s");
        Double little = littleRate();
        Double share = shareOfLittle();
        if (little != null && share != null) {
            row.accept("share of Little's law", Text.percent(share) + " of " + Text.rate(little));
        }
        if (skew > 0) {
            row.accept("hottest key", Text.percent(hottestShare()) + " of the records");
        }
        row.accept("bare poll loop", Text.rate(bare.rate()) + " records/s");
        row.accept("times the bare loop", Text.rate(timesBare()));
        row.accept(
                "order violations",
                setup.ordering() == Ordering.UNORDERED ? "none promised" : Text.count(audit.violations()));
        row.accept("duplicates", Text.count(audit.duplicates()));
        row.accept("lost", Text.count(audit.lost()));
        row.accept("committed = end", committedEqualsEnd ? "yes" : "no");
        row.accept("peak heap", Text.bytes(parallel.peakHeapBytes()));
        parallel.failure().ifPresent(failure -> row.accept("failure", String.valueOf(failure.getMessage())));
    }

    private double hottestShare() {
        return (double) loaded.hottest() / Math.max(1, loaded.records());
    }

    private static @Nullable Double rounded(@Nullable Double value) {
        return value == null ? null : Round.to3(value);
    }
}
