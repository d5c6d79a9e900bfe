package dev.laneway.orders;

import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.Text;
import java.io.PrintStream;
import java.time.Duration;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A tracker that runs, as one sees it who waits for its end. */
interface WatchedTracker {
    /**
     * Fails if it has ended by itself.
     *
     * @throws dev.laneway.cli.program.VerbFailure says why it ended
     */
    void check();

    /** For people, such as {@code running}. */
    String state();

    /** About how many orders this process knows; empty while they move. */
    OptionalLong orders();

    /** Says every few seconds how far a tracker is, until it is to end. */
    static void watch(
            WatchedTracker tracker,
            TrackerCounts counts,
            long startNanos,
            @Nullable Duration length,
            Stop stop,
            PrintStream text)
            throws InterruptedException {
        long told = startNanos;
        long toldRecords = 0;
        while (!stop.await(Duration.ofMillis(200))) {
            tracker.check();
            long now = System.nanoTime();
            if (length != null && now - startNanos >= length.toNanos()) {
                return;
            }
            if (now - told >= Duration.ofSeconds(5).toNanos()) {
                long records = counts.records();
                text.println(line(tracker, counts, (records - toldRecords) / ((now - told) / 1e9)));
                text.flush();
                told = now;
                toldRecords = records;
            }
        }
    }

    private static String line(WatchedTracker tracker, TrackerCounts counts, double rate) {
        OptionalLong orders = tracker.orders();
        return tracker.state() + "  " + Text.rate(rate) + " records/s"
                + (orders.isPresent() ? "  " + Text.count(orders.getAsLong()) + " orders" : "")
                + (counts.malformed.sum() > 0 ? "  " + Text.count(counts.malformed.sum()) + " malformed" : "");
    }
}
