package dev.laneway.cli.program;

import java.io.IOException;
import java.io.InputStream;

/** The process that has started this one, and holds the other end of the pipe to its standard input. */
public final class Parent {
    private Parent() {}

    /** Waits until the parent has closed the pipe, which happens however that process ends. */
    public static void awaitEnd(InputStream input) {
        try {
            while (input.read() >= 0) {
                // Only the end of the stream is expected.
            }
        } catch (IOException gone) {
            // A broken pipe means the end, too.
        }
    }
}
