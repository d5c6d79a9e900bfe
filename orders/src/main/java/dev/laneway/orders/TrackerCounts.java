package dev.laneway.orders;

import dev.laneway.cli.program.Round;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** What a tracker has done since it was started. Thread-safe. */
final class TrackerCounts {
    /** A topic full of records that are no events must not fill the log. */
    private static final int MOST_LOGGED = 10;

    /** Events that changed the status of an order. */
    final LongAdder advanced = new LongAdder();

    /** Events that came after a later one, and changed no status. */
    final LongAdder late = new LongAdder();

    /** Events that were known. */
    final LongAdder repeated = new LongAdder();

    /** Events that came so late that the order may be forgotten: left out. */
    final LongAdder tooLate = new LongAdder();

    /** Records without a key, or whose value is no event: left out. */
    final LongAdder malformed = new LongAdder();

    /** Orders whose state was removed. */
    final LongAdder forgotten = new LongAdder();

    long records() {
        return advanced.sum() + late.sum() + repeated.sum() + tooLate.sum() + malformed.sum();
    }

    /** Counts a record that is no event, and logs the first ones. */
    void leaveOut(Logger log, String topic, int partition, long offset, @Nullable String reason) {
        malformed.increment();
        if (malformed.sum() <= MOST_LOGGED) {
            log.warn("left out {}-{} at offset {}: {}", topic, partition, offset, reason);
        }
    }

    /** For {@code --json}. */
    Map<String, Object> toJson(String applicationId, Duration took) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("application_id", applicationId);
        json.put("records", records());
        json.put("advanced", advanced.sum());
        json.put("late", late.sum());
        json.put("repeated", repeated.sum());
        json.put("too_late", tooLate.sum());
        json.put("malformed", malformed.sum());
        json.put("forgotten", forgotten.sum());
        json.put("seconds", Round.to3(took.toNanos() / 1e9));
        return json;
    }
}
