package dev.laneway.cli.workload;

/** The most heap that was in use at any look, garbage that is not collected yet included. Used by one thread. */
public final class HeapPeak {
    private final Runtime runtime = Runtime.getRuntime();
    private long bytes;

    public void look() {
        bytes = Math.max(bytes, runtime.totalMemory() - runtime.freeMemory());
    }

    public long bytes() {
        look();
        return bytes;
    }
}
