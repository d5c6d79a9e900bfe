package dev.laneway.ops.observe;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Reads its sources round after round, and keeps what they told. A source that cannot be read stops no other; that it
 * cannot is kept, too. Used by one thread.
 */
public final class Watch implements AutoCloseable {
    private final List<Source> sources;
    private final Duration limit;
    private final Consumer<Sample> listener;
    private final List<Sample> samples = new ArrayList<>();
    private final Map<String, String> failures = new LinkedHashMap<>();

    /**
     * @param limit how long each source may take in a round
     * @param listener is shown each sample at once, such as a recording
     */
    public Watch(List<Source> sources, Duration limit, Consumer<Sample> listener) {
        this.sources = List.copyOf(sources);
        this.limit = limit;
        this.listener = listener;
    }

    /** Reads each source once. */
    public void round() {
        for (Source source : sources) {
            long now = System.currentTimeMillis();
            try {
                keep(source.read(limit));
                keep(told(source.name(), now, "", ""));
                failures.remove(source.name());
            } catch (SourceFailure failed) {
                String message = Objects.requireNonNull(failed.getMessage());
                failures.put(source.name(), message);
                keep(told(source.name(), now, message, failed.isUnreachable() ? message : ""));
            }
        }
    }

    private static Sample told(String source, long now, String failure, String unreachable) {
        SampleBuilder sample = new SampleBuilder();
        sample.put(Groups.SOURCE, "failure", failure);
        sample.put(Groups.SOURCE, "unreachable", unreachable);
        return sample.build(source, now);
    }

    private void keep(Sample sample) {
        samples.add(sample);
        listener.accept(sample);
    }

    /** What was observed so far. */
    public Observations observations() {
        return new Observations(samples);
    }

    /** Forgets samples of an earlier time, so that a watch can go on for ever. */
    public void forgetBefore(long atMillis) {
        samples.removeIf(sample -> sample.atMillis() < atMillis);
    }

    /** The sources that could not be read in the latest round, and why. */
    public Map<String, String> failures() {
        return Map.copyOf(failures);
    }

    @Override
    public void close() {
        sources.forEach(Source::close);
    }
}
