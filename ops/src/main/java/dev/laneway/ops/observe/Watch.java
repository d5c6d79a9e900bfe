package dev.laneway.ops.observe;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/**
 * Reads its sources round after round, and keeps what they told. A source that cannot be read stops no other; that it
 * cannot is kept, too. Used by one thread.
 */
public final class Watch implements AutoCloseable {
    private final List<Source> sources;
    private final Duration limit;
    private final Consumer<Sample> listener;
    private final Memory memory = new Memory();
    private final Map<String, String> failures = new LinkedHashMap<>();

    /**
     * @param limit how long each source may take in a round
     * @param listener is shown each sample at once, such as a recording
     */
    public Watch(List<Source> sources, Duration limit, Consumer<Sample> listener) {
        this.sources = new ArrayList<>(sources);
        this.limit = limit;
        this.listener = listener;
    }

    /** Reads a further source from the next round on, and closes it with the others. */
    public void add(Source source) {
        sources.add(source);
    }

    /** Closes a source and reads it no more; what it told stays until it is forgotten. */
    public void remove(Source source) {
        sources.remove(source);
        failures.remove(source.name());
        source.close();
    }

    /** Reads each source once. */
    public void round() {
        for (Source source : sources) {
            long now = System.currentTimeMillis();
            try {
                Sample sample = source.read(limit);
                keep(sample);
                keep(told(source.name(), sample.atMillis(), "", ""));
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
        memory.add(sample);
        listener.accept(sample);
    }

    /** What was observed so far. */
    public Observations observations() {
        return new Observations(memory);
    }

    /** Forgets what was told earlier, so that a watch can go on for ever. */
    public void forgetBefore(long atMillis) {
        forgetBefore(_ -> atMillis);
    }

    /**
     * As {@link #forgetBefore(long)}, but not all at the same age.
     *
     * @param atMillis for each group of metrics, see {@link Metric#group()}, before when it is forgotten
     */
    public void forgetBefore(ToLongFunction<String> atMillis) {
        memory.forgetBefore(atMillis);
    }

    /** Of what a group of metrics told earlier, keeps one point in each so many milliseconds. */
    public void thinBefore(String group, long atMillis, long everyMillis) {
        memory.thinBefore(group, atMillis, everyMillis);
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
