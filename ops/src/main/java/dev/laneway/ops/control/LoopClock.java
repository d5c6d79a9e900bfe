package dev.laneway.ops.control;

/** The time, for a loop. Implementations are thread-safe. */
public interface LoopClock {
    /** That of the machine. */
    LoopClock SYSTEM = new LoopClock() {
        @Override
        public long millis() {
            return System.currentTimeMillis();
        }

        @Override
        public long nanos() {
            return System.nanoTime();
        }
    };

    /** Milliseconds since 1970. May go back, and leap. */
    long millis();

    /** Nanoseconds since some moment. Never goes back. */
    long nanos();
}
