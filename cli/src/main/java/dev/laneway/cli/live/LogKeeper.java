package dev.laneway.cli.live;

import java.io.OutputStream;
import java.io.PrintStream;

/**
 * Keeps what is logged to standard error while a screen is shown, which it would tear; its end is written when this is
 * closed. Used by one thread; any may log.
 */
final class LogKeeper implements AutoCloseable {
    private static final int MOST = 16_384;

    private final PrintStream before = System.err;
    private final Kept kept = new Kept();

    LogKeeper() {
        System.setErr(new PrintStream(kept, true, before.charset()));
    }

    /** The latest bytes. */
    private static final class Kept extends OutputStream {
        private final byte[] ring = new byte[MOST];
        private long written;

        @Override
        public synchronized void write(int value) {
            ring[(int) (written++ % MOST)] = (byte) value;
        }

        synchronized byte[] latest() {
            int length = (int) Math.min(MOST, written);
            byte[] bytes = new byte[length];
            for (int at = 0; at < length; at++) {
                bytes[at] = ring[(int) ((written - length + at) % MOST)];
            }
            return bytes;
        }
    }

    @Override
    public void close() {
        System.setErr(before);
        byte[] latest = kept.latest();
        before.write(latest, 0, latest.length);
        before.flush();
    }
}
