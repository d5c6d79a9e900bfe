package dev.laneway.cli;

import dev.laneway.Ordering;
import dev.laneway.cli.program.Round;
import dev.laneway.cli.program.Text;
import dev.laneway.cli.workload.Loader;
import dev.laneway.cli.workload.ParallelRun;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/** What the demo of exactly-once has found, for people and as JSON. Immutable. */
record ExactlyOnceResult(
        ExactlyOnceDemo.Setup setup, double skew, Loader.Result loaded, ExactlyOnceDemo.Result result) {
    /** Whether all that was promised holds. */
    boolean isFine() {
        CopiesCheck check = result.check();
        return check.violations() == 0 && check.duplicates() == 0 && check.lost() == 0 && result.committedEqualsEnd();
    }

    private long aborted() {
        return result.written() - result.check().visible();
    }

    Map<String, Object> toJson() {
        ParallelRun.Setup run = setup.run();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("ordering", DemoResult.name(run.ordering()));
        json.put("records", run.records());
        json.put("keys", setup.keys());
        json.put("partitions", setup.partitions());
        json.put("zipf", skew);
        json.put("work_ms", Round.to3(run.work().toNanos() / 1e6));
        json.put("concurrency", run.concurrency());
        json.put("consumers", run.consumers());
        json.put("members", setup.members());
        json.put("kills", setup.kills());
        json.put("load_rate", Round.to3(loaded.rate()));
        json.put("rate", Round.to3(result.rate(run.records())));
        json.put("copies", result.check().visible());
        json.put("aborted_copies", aborted());
        json.put("order_violations", result.check().violations());
        json.put("duplicates", result.check().duplicates());
        json.put("lost", result.check().lost());
        json.put("committed_equals_end", result.committedEqualsEnd());
        return json;
    }

    void print(PrintStream text) {
        BiConsumer<String, String> row = (name, value) -> text.printf("%-22s %s%n", name, value);
        text.println();
        row.accept("rate with the kills", Text.rate(result.rate(setup.run().records())) + " records/s");
        row.accept("members", setup.members() + ", of which " + setup.kills() + " were killed and replaced");
        row.accept(
                "copies", Text.count(result.check().visible()) + " committed, " + Text.count(aborted()) + " aborted");
        row.accept(
                "order violations",
                setup.run().ordering() == Ordering.UNORDERED
                        ? "none promised"
                        : Text.count(result.check().violations()));
        row.accept("duplicates", Text.count(result.check().duplicates()));
        row.accept("lost", Text.count(result.check().lost()));
        row.accept("committed = end", result.committedEqualsEnd() ? "yes" : "no");
    }
}
