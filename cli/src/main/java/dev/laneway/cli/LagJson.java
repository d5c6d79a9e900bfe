package dev.laneway.cli;

import dev.laneway.ops.GroupLag;
import dev.laneway.ops.LagAge;
import dev.laneway.ops.PartitionLag;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The lag of groups for {@code --json}. JSON has no infinity: it is null, as what is not known. */
final class LagJson {
    private LagJson() {}

    static Map<String, Object> of(List<GroupLag> groups, int rounds, Duration time) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("rounds", rounds);
        json.put("seconds", time.toMillis() / 1e3);
        json.put("groups", groups.stream().map(LagJson::group).toList());
        return json;
    }

    static Map<String, @Nullable Object> group(GroupLag lag) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("group", lag.group());
        json.put("kind", lag.kind().name().toLowerCase(Locale.ROOT));
        json.put("state", lag.state());
        json.put("members", lag.members().size());
        json.put("status", lag.status().name());
        json.put("known_lag", lag.knownLag());
        json.put("complete", lag.isComplete());
        json.put("clear_s", finite(lag.secondsToClear()));
        json.put("problems", lag.problems());
        json.put("lags", lag.partitions().stream().map(LagJson::partition).toList());
        return json;
    }

    static Map<String, @Nullable Object> partition(PartitionLag lag) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        LagAge age = lag.age();
        json.put("topic", lag.partition().topic());
        json.put("partition", lag.partition().partition());
        json.put("committed", lag.committed());
        json.put("start", lag.start());
        json.put("end", lag.end());
        json.put("lag", lag.lag());
        json.put("at_most", lag.atMost());
        json.put("done_beyond", lag.doneBeyond());
        json.put("append_rate", lag.appendRate());
        json.put("process_rate", lag.processRate());
        json.put("slope", lag.slope());
        json.put("age_low_s", age == null ? null : (Double) age.low());
        json.put("age_high_s", age == null ? null : finite(age.high()));
        json.put("clear_s", finite(lag.secondsToClear()));
        json.put(
                "clears",
                lag.secondsToClear() == null
                        ? null
                        : (Boolean) !lag.secondsToClear().isInfinite());
        json.put("latency_s", finite(lag.expectedLatency()));
        json.put("status", lag.status().name());
        json.put("evidence", lag.evidence());
        json.put("complete", lag.isComplete());
        return json;
    }

    private static @Nullable Double finite(@Nullable Double value) {
        return value == null || value.isInfinite() || value.isNaN() ? null : value;
    }
}
