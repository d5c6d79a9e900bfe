package dev.laneway.ops.observe;

import java.time.Duration;

/** Something that tells numbers and texts. Used by one thread. */
public interface Source extends AutoCloseable {
    /** Which one it is, for people: {@code admin}, {@code pid 4711}, {@code http://host:9404/metrics}. */
    String name();

    /**
     * Reads everything once.
     *
     * @param limit how long that may take
     * @throws SourceFailure if nothing can be read; what is only missing in part is left out of the sample
     */
    Sample read(Duration limit);

    @Override
    void close();
}
