package dev.laneway;

import java.util.concurrent.Executor;

/** Where handlers run. Immutable. */
public sealed interface Workers {
    /** On virtual threads, one per running worker: for handlers that wait. The default. */
    static Workers virtual() {
        return new Virtual();
    }

    /**
     * On a pool of platform threads of Laneway's own: for handlers that compute. Concurrency is then at most
     * {@code threads}.
     */
    static Workers cpuBound(int threads) {
        return new CpuBound(threads);
    }

    /**
     * On an executor of the caller's, which Laneway does not close. It must run what it accepts, not on the calling
     * thread. If it rejects a worker, the consumer goes on with the workers that it has and tries again.
     */
    static Workers on(Executor executor) {
        return new On(executor);
    }

    /** See {@link Workers#virtual}. */
    record Virtual() implements Workers {}

    /** See {@link Workers#cpuBound}. */
    record CpuBound(int threads) implements Workers {
        /** Refuses fewer threads than one. */
        public CpuBound {
            Checks.atLeast("workers.threads", threads, 1);
        }
    }

    /** See {@link Workers#on}. */
    record On(Executor executor) implements Workers {}
}
