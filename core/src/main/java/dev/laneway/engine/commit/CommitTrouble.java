package dev.laneway.engine.commit;

import dev.laneway.engine.runtime.Host;
import java.time.Duration;
import java.util.Optional;

/** Since when no commit was confirmed although one was due. Written by the owner; anybody may read the words. */
final class CommitTrouble {
    private static final long NONE = Long.MIN_VALUE;
    private final Host host;
    private volatile String because = "";
    private volatile long sinceNanos = NONE;

    CommitTrouble(Host host) {
        this.host = host;
    }

    /** A commit has failed. */
    void begins(String because) {
        this.because = because;
        if (sinceNanos == NONE) {
            sinceNanos = host.nanoTime();
        }
    }

    /** A commit was confirmed, or none is due. */
    void ends() {
        sinceNanos = NONE;
    }

    /** Whether it has lasted for that long. There must be some. */
    boolean lasts(Duration limit) {
        return host.nanoTime() - sinceNanos >= limit.toNanos();
    }

    /** Empty when all is well. */
    Optional<String> words() {
        long since = sinceNanos;
        return since == NONE
                ? Optional.empty()
                : Optional.of("no commit was confirmed for "
                        + Duration.ofNanos(host.nanoTime() - since).toSeconds() + " s"
                        + because + "; a crash now would repeat that much");
    }
}
