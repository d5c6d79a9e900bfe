package dev.laneway.ills;

import dev.laneway.ops.observe.Metric;
import dev.laneway.ops.observe.Sample;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What of a sample a recording of an illness keeps: no metrics that no rule can use, and no names of this machine's
 * directories. Immutable.
 *
 * @param directory of the members
 */
record Keepsake(Path directory) {
    /** Numbers for each broker and each topic, of the client of this check, and of versions. */
    private static final Pattern UNUSED =
            Pattern.compile("(consumer|producer|admin-client)-node-metrics|admin-client-metrics|producer-topic-metrics"
                    + "|stream-processor-node-metrics|stream-topic-metrics|app-info|kafka-metrics-count");

    private static final String PLACE = "/var/lib/member";
    private static final String HOME = "/home/user";

    Sample of(Sample sample) {
        Map<Metric, Double> numbers = new LinkedHashMap<>();
        sample.numbers().forEach((metric, value) -> {
            if (isUsed(metric)) {
                numbers.put(neutral(metric), value);
            }
        });
        Map<Metric, String> texts = new LinkedHashMap<>();
        sample.texts().forEach((metric, text) -> {
            if (isUsed(metric)) {
                texts.put(neutral(metric), neutral(text));
            }
        });
        return new Sample(sample.source(), sample.atMillis(), numbers, texts);
    }

    private static boolean isUsed(Metric metric) {
        return !UNUSED.matcher(metric.group()).matches();
    }

    private Metric neutral(Metric metric) {
        TreeMap<String, String> tags = new TreeMap<>(metric.tags());
        tags.replaceAll((_, value) -> neutral(value));
        return Metric.of(metric.group(), metric.name(), tags);
    }

    private String neutral(String text) {
        return text.replace(directory.toString(), PLACE).replace(System.getProperty("user.home"), HOME);
    }
}
