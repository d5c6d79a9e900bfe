package dev.laneway.bench.report;

import dev.laneway.bench.scenario.ScenarioMillion;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * From what was measured to a million records a second: how many machines of this kind that takes.
 *
 * <p>The model. By Little's law a rate of L records/s with S seconds of work each needs C = L x S records at once,
 * 10,000 here. Order by key allows fewer than the W that are configured: with B records held and K keys, drawn evenly,
 * it is a closed network of queues, and so many can be at work: C_eff = min(W, K x B / (B + K - 1)). A machine that its
 * processors do not hold back handles C_eff / S. It never does more than was measured at its best, where work and not
 * waiting is the limit: machines are counted by that, so that they are busy to seven tenths, and one more may fail.
 */
final class Sizing {
    private static final String SCENARIO = "million";
    private static final String PEER = "laneway";
    private static final double WANTED = 1e6;
    private static final double SECONDS = 0.01;
    private static final double BUSY = 0.7;

    private Sizing() {}

    /** {@code min(W, K x B / (B + K - 1))}, for one kind of key for each of K. */
    static double concurrency(long workers, long keys, long held) {
        return Math.min((double) workers, (double) keys * held / (held + keys - 1));
    }

    /** With a header; only that when the scenario was not taken. */
    static List<List<String>> table(List<Row> rows) {
        List<List<String>> table = new ArrayList<>();
        table.add(List.of("at once", "by the model, records/s", "measured", "CPU us a record"));
        for (int concurrency : ScenarioMillion.CONCURRENCIES) {
            Figure rate = rate(rows, concurrency);
            if (rate != null) {
                Figure cpu = cpuMicros(rows, concurrency);
                table.add(List.of(
                        Figure.number(concurrency),
                        Figure.number(model(concurrency)),
                        rate.text(),
                        cpu == null ? "" : cpu.text()));
            }
        }
        return table;
    }

    /** What it comes to; empty when the scenario was not taken. */
    static String text(List<Row> rows, int cores) {
        Figure best = null;
        int at = 0;
        for (int concurrency : ScenarioMillion.CONCURRENCIES) {
            Figure rate = rate(rows, concurrency);
            if (rate != null && (best == null || rate.median() > best.median())) {
                best = rate;
                at = concurrency;
            }
        }
        if (best == null) {
            return "";
        }
        int machines = machines(best.median());
        return String.format(
                Locale.ROOT,
                "A million records/s of 10 ms need 10,000 at once. This machine is at its best with %,.0f at once:"
                    + " %,.0f records/s on %d cores, which the broker shares. So it takes %d machines of this kind, %d"
                    + " cores, busy to 0.7 and one of them spare; and 100 partitions at 10,000 records/s each.",
                (double) at,
                best.median(),
                cores,
                machines,
                machines * cores);
    }

    /** How many machines for a million records a second, with one spare. */
    static int machines(double rate) {
        return (int) Math.ceil(WANTED / (rate * BUSY)) + 1;
    }

    private static double model(int concurrency) {
        return concurrency(concurrency, ScenarioMillion.KEYS, ScenarioMillion.held(concurrency)) / SECONDS;
    }

    private static @Nullable Figure rate(List<Row> rows, int concurrency) {
        return Target.of(SCENARIO, "at-" + concurrency, PEER, Target.figure("steady_rate"))
                .apply(rows);
    }

    private static @Nullable Figure cpuMicros(List<Row> rows, int concurrency) {
        return Target.of(SCENARIO, "at-" + concurrency, PEER, row -> {
                    Double cpu = row.result().cpuSeconds();
                    Double rate = row.result().rate();
                    Double seconds = row.result().seconds();
                    return cpu == null || rate == null || seconds == null ? null : cpu * 1e6 / (rate * seconds);
                })
                .apply(rows);
    }
}
