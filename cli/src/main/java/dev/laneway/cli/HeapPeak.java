package dev.laneway.cli;

/** The most heap that was in use at any look, garbage that is not collected yet included. Used by one thread. */
final class HeapPeak {
    private final Runtime runtime = Runtime.getRuntime();
    private long bytes;

    void look() {
        bytes = Math.max(bytes, runtime.totalMemory() - runtime.freeMemory());
    }

    long bytes() {
        look();
        return bytes;
    }
}
